"""The gallery of the book: every figure of the executed notebooks, a page in all.

Run from the root of the repository; writes book/gallery.md and the pictures beside it.
"""

import base64
import shutil
from pathlib import Path

import nbformat

PICTURES = Path("book/gallery")


def figures(notebook):
    """The PNG pictures among a notebook's outputs, each with its alternative text."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            png = output.get("data", {}).get("image/png")
            if png:
                about = output.get("metadata", {}).get("image/png", {})
                yield base64.b64decode(png), about.get("alt", "")


def section(path):
    """One notebook's part of the page: its title, and its figures as links to it."""
    notebook = nbformat.read(path, as_version=4)
    title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
    lines = [f"## {title}", ""]
    for number, (png, alt) in enumerate(figures(notebook), start=1):
        name = f"{path.stem}_{number:02}.png"
        (PICTURES / name).write_bytes(png)
        lines += [
            f"```{{image}} gallery/{name}",
            f":alt: {' '.join(alt.split())}",
            ":width: 45%",
            f":target: ../notebooks/{path.stem}.html",
            "```",
        ]
    return [*lines, ""]


shutil.rmtree(PICTURES, ignore_errors=True)
PICTURES.mkdir(parents=True)
page = ["# Gallery", "", "A click on a figure opens the notebook that draws it.", ""]
for path in sorted(Path("notebooks").glob("*.ipynb")):
    page += section(path)
Path("book/gallery.md").write_text("\n".join(page))
print(f"{len(list(PICTURES.iterdir()))} figures in book/gallery.md")
