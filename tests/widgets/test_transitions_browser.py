"""The transition explorer in a real browser: its controls redraw the graph."""

SOURCE = """
import pandas as pd
from support.widgets.transitions import TransitionExplorer
said = {"majority": [("inform", "request"), ("propose",), ("accept", "evaluate")],
        "rated": [("inform", "request"), ("propose",), ("accept", "inform")]}
rows = [(run, "exchange_economy", rule, number, who, acts)
        for run, rule in enumerate(said) for number, acts in enumerate(said[rule], 1) for who in ("Ana", "Ben", "Cleo")]
messages = pd.DataFrame(rows, columns=["run", "environment", "rule", "round", "sender", "acts"])
explorer = TransitionExplorer(messages)
explorer.view
"""


def test_controls_redraw_the_graph_and_say_its_edges(browse, screenshot, button, dropdown):
    page = browse(SOURCE)
    figure = page.locator("img").first
    figure.wait_for()
    page.get_by_text("inform → propose").first.wait_for()
    drawn = [figure.get_attribute("src")]
    screenshot(page, "transitions_1_all_rules")
    dropdown(page, "rule").select_option("rated")
    page.get_by_text("accept → end").first.wait_for()
    page.wait_for_function("src => document.querySelector('img').src !== src", arg=drawn[-1])
    drawn.append(figure.get_attribute("src"))
    button(page, "matrix").click()
    page.wait_for_function("src => document.querySelector('img').src !== src", arg=drawn[-1])
    drawn.append(figure.get_attribute("src"))
    screenshot(page, "transitions_2_matrix")
    assert len(set(drawn)) == 3
