"""One paper with any participants: `make paper P=001 WITH="model:a" BUDGET=20`.

It says what the run would ask, executes the paper's notebooks with the rule-based
participants and the given ones, and writes build/report/001.html: printed numbers and
statements beside every participant's, and the notebooks without their code. What was
stopped goes on when the same command is given again.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

import pandas as pd

from support import ledger, published
from support.data import output
from support.errors import InvalidInput
from support.models.profiles import is_model
from support.runs import notebooks

NOTEBOOKS = {
    "000": "10_,11_,12_",
    "001": "20_,21_,22_,23_,24_",
    "002": "11_,40_,41_",
    "003": "30_,31_",
}
RULES = "mixed"  # the rule-based participants of every role
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{0}</title>
<style>body {{ font: 15px/1.45 sans-serif }} img {{ max-width: 100% }}
th {{ overflow-wrap: anywhere }} td {{ vertical-align: top }}</style>
<h1>{0}: published, and each participant</h1><p>Participants: {1}. {2}</p>"""


def paper(number: str = "", models: str = "", *arguments: str) -> int:
    """Estimate, play and report a paper; 1 where a notebook is not whole."""
    number = published.number(number)
    seated = f"{RULES}, {models}" if models else RULES
    every = [f"PARTICIPANTS={seated}", *arguments]
    known, given = notebooks.parameters(every, NOTEBOOKS[number])
    for name in given["PARTICIPANTS"]:
        if not is_model(name) and name != RULES:
            wanted = "expected names such as model:gpt-4o-mini"
            raise InvalidInput(f"WITH: {name!r} given; {wanted}")
    print("At most (replies that are kept are not asked for again):")
    notebooks.estimated(known, given)
    ended = notebooks.run(known, given, f"make paper P={number}")
    lacking = "Partial: some notebooks are not whole." if ended else ""
    place = notebooks.place_of(given)
    print(f"The report: {report(number, place, seated, lacking)}")
    return ended


def report(number: str, place: Path, seated: str, lacking: str) -> Path:
    """Write a paper's report, from the ledger and the notebooks of a run."""
    from nbconvert import HTMLExporter

    printed = published.load(number)
    title = published.PAPERS[number]
    parts = [HEAD.format(title, escape(seated), lacking)]

    cells = ledger.load("cells", place / "ledger").query("paper == @number")
    verdicts = pd.crosstab(cells["participant"], cells["verdict"], margins=True)
    if len(cells):
        parts.append(verdicts.to_html())

    said = ledger.load("statements", place / "ledger").query("paper == @number")
    said = said.assign(told=said["verdict"] + ". " + said["evidence"])
    statements = published.statements(printed)
    parts.append(_beside(statements, said, ["where", "statement"]))

    cells = cells.rename(columns={"what": "table"})
    ours = cells["ours"].map("{:.4g}: ".format).astype("str")  # of none, too
    cells["told"] = ours + cells["verdict"]
    cell = ["table", "row", "column"]
    numbers = printed.dropna(subset="value")[[*cell, "value"]]
    parts.append(_beside(numbers, cells, cell))

    shown = HTMLExporter(template_name="basic", exclude_input=True)
    shown.exclude_anchor_links = True
    for path in notebooks.notebooks(NOTEBOOKS[number]):
        executed = place / "notebooks" / path.name
        if executed.exists():
            parts.append(shown.from_filename(str(executed))[0])
    made = output("build", "report", f"{number}.html")
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text("\n".join(parts), encoding="utf-8")
    return made


def _beside(printed: pd.DataFrame, found: pd.DataFrame, by: list[str]) -> str:
    """What is printed, with a column for what is told of each participant."""
    told = found.pivot_table("told", by, "participant", aggfunc="first")
    both = printed.merge(told.reset_index(), "left", by)
    return both.to_html(index=False, na_rep="not tested")


if __name__ == "__main__":
    sys.exit(notebooks.told(paper, *sys.argv[1:]))
