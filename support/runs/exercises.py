"""Exercises of the notebooks: empty cells, their solutions in a folder of their own.

An exercise is an empty cell with a tag ("exercise-1"). Cells with that tag in
`notebooks/solutions` solve it, and are executed in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

SOLUTIONS = "solutions"
SOLVED = f"Solutions are in [{SOLUTIONS}]({SOLUTIONS}/{{}})."
TELLS = ("**The answer.**", "◇")  # how a paragraph begins that tells what came out
ANSWER = "answer"  # the tag of a cell that does


def tag_of(cell: Any) -> str:
    """The tag of a code cell that is an exercise, or solves one; else nothing."""
    tags = cell.metadata.get("tags", ()) if cell.cell_type == "code" else ()
    return next((tag for tag in tags if tag.startswith("exercise-")), "")


def solutions_of(path: Path) -> Any:
    """The notebook that solves the exercises of another, or None."""
    beside = path.parent / SOLUTIONS / path.name
    return nbformat.read(beside, 4) if beside.exists() else None


def solved(path: Path) -> Any:
    """A notebook with the solutions in the place of its exercises."""
    book = nbformat.read(path, 4)
    if (solutions := solutions_of(path)) is None:
        return book
    cells = []
    for cell in book.cells:
        tag = tag_of(cell)
        solving = [one for one in solutions.cells if tag and tag_of(one) == tag]
        cells += solving or [cell]
    book.cells = cells
    return book


def apart(book: Any, solutions: Any) -> None:
    """Take the solutions out of a notebook that was executed with them."""
    played = iter([cell for cell in book.cells if tag_of(cell)])
    cells = list[Any]()
    for cell in book.cells:
        tag = tag_of(cell)
        if tag and (not cells or tag_of(cells[-1]) != tag):
            cells.append(nbformat.v4.new_code_cell(metadata={"tags": [tag]}, id=tag))
        elif not tag:
            cells.append(cell)
    book.cells = cells
    solutions.cells = [next(played) if tag_of(c) else c for c in solutions.cells]
    for each in (book, solutions):
        code = [cell for cell in each.cells if cell.cell_type == "code" and cell.source]
        for number, cell in enumerate(code, 1):
            cell.execution_count = number


def student(paths: Sequence[Path], folder: Path) -> None:
    """Write notebooks for a class: nothing in them tells what came out."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        book = nbformat.read(path, 4)
        kept = []
        for cell in book.cells:
            if ANSWER in cell.metadata.get("tags", ()):
                continue
            if cell.cell_type == "code":
                cell |= {"outputs": [], "execution_count": None}
            else:
                parts = cell.source.split("\n\n")
                told = "\n\n".join(p for p in parts if not p.startswith(TELLS))
                cell.source = told.replace(SOLVED.format(path.name), "").rstrip()
            kept.append(cell)
        book.cells = kept
        nbformat.write(book, folder / path.name)
