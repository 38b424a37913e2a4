"""One paper with any participants: `make paper P=001 WITH="model:a, model:b" BUDGET=20` plays what its tables need.

It says what the run would ask, executes the paper's notebooks with the rule-based participants and the given ones, and
writes build/report/001.html: each printed table and statement beside every participant, and the figures. What was
stopped goes on when the same command is given again.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from support import __version__, ledger, published
from support.data import output
from support.errors import ConveneError, InvalidInput
from support.models.profiles import is_model
from support.runs import notebooks
from support.runs.pages import template
from support.tables import VERDICTS

NOTEBOOKS = {"000": ("10_", "11_", "12_"), "001": ("20_", "21_", "22_", "23_", "24_"), "002": ("40_", "41_", "42_"),
             "003": ("30_", "31_")}  # fmt: skip
RULES = "mixed"  # the rule-based participants of every role


def paper(number: str, who: Sequence[str], arguments: Sequence[str] = ()) -> int:
    """Estimate, play and report one paper with the participants `who`; 1 where a notebook failed or is partial."""
    if number not in NOTEBOOKS:
        raise InvalidInput(
            f"P={number!r} given; expected one of {', '.join(NOTEBOOKS)}"
        )
    if strangers := [name for name in who if not is_model(name) and name != RULES]:
        raise InvalidInput(
            f"WITH: {strangers[0]!r} given; expected names such as model:gpt-4o-mini"
        )
    seated = list(dict.fromkeys([RULES, *who]))
    given, only = (
        [f"PARTICIPANTS={', '.join(seated)}", *arguments],
        ",".join(NOTEBOOKS[number]),
    )
    print(
        "What this asks at most once (replies that are kept are not asked for again):\n"
    )
    notebooks.estimated(given, only)
    rest = notebooks.spelt(a for a in arguments if "BUDGET=" not in a)
    extra = [f"ARGS={shlex.quote(rest)}"] if rest else []
    money = [a for a in arguments if a.startswith("BUDGET=")]
    again = " ".join(
        [
            "make paper",
            f"P={number}",
            f"WITH={shlex.quote(', '.join(who))}",
            *money,
            *extra,
        ]
    )
    ended = notebooks.run(given, only, again, f"make paper P={number}")
    known = {
        name: value
        for path in notebooks.notebooks(only)
        for name, value in notebooks.parameters_of(path).items()
    }
    place = notebooks.place_of(dict(sorted(notebooks.parse(given, known).items())))
    print(
        f"The report: {report(number, place, seated, 'some notebooks are not finished' if ended else '')}"
    )
    return ended


def report(number: str, place: Path, seated: Sequence[str], lacking: str = "") -> Path:
    """Write the report of a paper from the ledger and the notebooks of a run; return its path."""
    [stem] = [path for path in published.known() if path.startswith(number)]
    printed = published.load(stem)
    kept = (ledger.load(kind, place / "ledger") for kind in ("cells", "statements"))
    cells, said = (frame[frame["paper"] == stem] for frame in kept)
    figures = [(path.stem, _pictures(path)) for path in sorted((place / "notebooks").glob("*.ipynb"))
               if path.name.startswith(NOTEBOOKS[number])]  # fmt: skip
    given = {
        "number": number, "stem": stem, "seated": seated, "lacking": lacking, "version": __version__,
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), "figures": figures, "tables": _tables(printed, cells),
        "verdicts": VERDICTS, "counts": _counts(cells), "statements": _statements(said, published.statements(printed)),
    }  # fmt: skip
    path = output("build", "report", f"{number}.html")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(template("report.html.j2").render(**given), encoding="utf-8")
    return path


def _tables(printed: pd.DataFrame, cells: pd.DataFrame) -> list[dict[str, Any]]:
    """Each printed table: its name, a line for each cell that was compared, and the cells that were not."""
    numbers, made = printed[printed["value"].notna()], []
    for name in dict.fromkeys([*numbers["table"], *cells["what"]]):
        mine, lines = cells[cells["what"] == name], []
        who = list(dict.fromkeys(mine["participant"]))
        for (row, column), group in mine.groupby(["row", "column"], sort=False):
            by = (
                group.drop_duplicates("participant")
                .set_index("participant")
                .to_dict("index")
            )
            lines.append(
                (row, column, group["published"].iloc[0], [by.get(one) for one in who])
            )
        inside = numbers[numbers["table"] == name]
        there = {(row, column) for row, column, *_ in lines}
        absent = [
            (r, c, v)
            for r, c, v in inside[["row", "column", "value"]].to_numpy()
            if (r, c) not in there
        ]
        made.append(
            {
                "name": name,
                "who": who,
                "lines": lines,
                "printed": len(inside),
                "absent": absent,
            }
        )
    return made


def _counts(cells: pd.DataFrame) -> list[list[Any]]:
    """For each participant, how many cells got which verdict."""
    counts = pd.crosstab(cells["participant"], cells["verdict"]).reindex(
        columns=list(VERDICTS), fill_value=0
    )
    return [[name, *row.tolist(), int(row.sum())] for name, row in counts.iterrows()]


def _statements(said: pd.DataFrame, stated: pd.DataFrame) -> dict[str, Any]:
    """Each statement with the verdict and evidence of every participant; those without a check say so."""
    who, lines = list(dict.fromkeys(said["participant"])), []
    for where, statement, note in stated.to_numpy():
        mine = said[(said["statement"] == statement) & (said["where"] == where)]
        by = (
            mine.drop_duplicates("participant")
            .set_index("participant")
            .to_dict("index")
        )
        lines.append((where, statement, note, [by.get(one) for one in who]))
    return {"who": who, "lines": lines}


def _pictures(path: Path) -> list[tuple[str, str]]:
    """The pictures of an executed notebook as (base64, what they show)."""
    shown = [o for o in notebooks.outputs_of(path) if "image/png" in o.get("data", {})]
    about = [o.get("metadata", {}).get("image/png", {}).get("alt", "") for o in shown]
    return [
        ("".join(o["data"]["image/png"]).replace("\n", ""), alt)
        for o, alt in zip(shown, about, strict=True)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m support.runs.paper", description=__doc__
    )
    parser.add_argument("number", help=f"of the paper: {', '.join(NOTEBOOKS)}")
    parser.add_argument(
        "--with",
        dest="who",
        default="",
        help="names of models, with commas between them",
    )
    parser.add_argument(
        "--budget", default="", help="US dollars that all calls may cost together"
    )
    parser.add_argument(
        "arguments",
        nargs="*",
        metavar="KEY=VALUE",
        help="further parameters of the notebooks",
    )
    given = parser.parse_intermixed_args(arguments)
    who = [name for part in given.who.split(",") if (name := part.strip())]
    money = [f"BUDGET={given.budget}"] if given.budget else []
    try:
        return paper(given.number, who, [*money, *given.arguments])
    except ConveneError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
