"""The comparison of two searches in a real browser: its controls redraw the figure and say the difference."""

SOURCE = """
import pandas as pd
from support.widgets.planning_budgets import BudgetExplorer
paths = {("mcts", "score"): (30, 20, 10), ("local", "score"): (32, 25, 24), ("mcts", "words"): (50, 41, 40)}
rows = [dict(coordinator=who, feedback=feedback, instance=f"i{i}", round=t, evaluations=3 * t, divergence=value + i,
             best_divergence=value + i - 2.0, standing_divergence=value + 1.5 * i)
        for (who, feedback), path in paths.items() for i in range(4) for t, value in enumerate(path, 1)]
explorer = BudgetExplorer(pd.DataFrame(rows))
explorer.view
"""


def test_another_search_is_drawn_and_compared(browse, screenshot, dropdown):
    page = browse(SOURCE)
    figure = page.locator("img").first
    figure.wait_for()
    page.get_by_text("mcts, score has").first.wait_for()
    before = figure.get_attribute("src")
    dropdown(page, "second").select_option("mcts, words")
    page.get_by_text("mcts, words 42.2").first.wait_for()
    page.wait_for_function("src => document.querySelector('img').src !== src", arg=before)
    screenshot(page, "planning_budgets")
