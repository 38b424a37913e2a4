"""Run the notebooks headless: `python -m support.notebooks run|update [KEY=VALUE …] [--only NAME]`.

`run` executes every notebook into build/notebooks, with given parameters; one that was executed already, with
the same parameters and sources, is not executed again. `update` executes them in place, as they are committed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from support.data import ROOT, output, source_digest
from support.errors import ConveneError, InvalidInput, MissingData

FOLDER = ROOT / "notebooks"
BUILD = output("build", "notebooks")


def notebooks(only: str = "") -> list[Path]:
    """The notebooks in reading order, those whose name contains `only`.

    Raises
    ------
    InvalidInput
        When there is none.
    """
    names = sorted(FOLDER.glob("*.ipynb"))
    chosen = [path for path in names if only in path.name]
    if not chosen:
        raise InvalidInput(f"--only {only!r}: no such notebook; there are {', '.join(p.stem for p in names)}")
    return chosen


def parameters_of(path: Path) -> dict[str, Any]:
    """Names and default values in the cell of a notebook that is tagged `parameters`."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    tagged = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
    tree = ast.parse("".join(tagged[0]["source"])) if tagged else ast.parse("")
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def parse(arguments: Iterable[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Read KEY=VALUE arguments; values are Python literals, or else text.

    Raises
    ------
    InvalidInput
        On an argument without "=", a parameter that no notebook has, or a value of another type than its default.
    """
    given = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or key not in known:
            raise InvalidInput(f"ARGS: {argument!r} given; expected KEY=VALUE with one of {', '.join(sorted(known))}")
        given[key] = _value(key, text, known[key])
    return given


def _value(key: str, text: str, default: Any) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(default, str):
        return text
    if default is not None and type(value) is not type(default):
        raise InvalidInput(f"ARGS: {key}={text!r} given; expected a {type(default).__name__} such as {default!r}")
    return value


def fingerprint(path: Path, parameters: Mapping[str, Any]) -> str:
    """A sum over all that a notebook's outputs depend on: itself, the package, the inputs, the lock, the parameters."""
    given = json.dumps(dict(parameters), sort_keys=True, default=str)
    digest = hashlib.sha256((given + source_digest()).encode())
    for source in (path, ROOT / "requirements.lock"):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def execute(source: Path, target: Path, parameters: Mapping[str, Any]) -> float:
    """Execute one notebook into `target`; return the seconds it took.

    Raises
    ------
    papermill.PapermillExecutionError
        When a cell fails; `target` then holds what was executed, with the error in it.
    """
    import papermill

    target.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    papermill.execute_notebook(
        str(source), str(target), parameters=dict(parameters) or None, cwd=str(FOLDER), kernel_name="python3",
        progress_bar={"ncols": 100}, log_output=False,
    )  # fmt: skip
    tidy(target)
    return time.perf_counter() - started


def tidy(path: Path) -> None:
    """Leave in an executed notebook what a reader needs: no times of execution, no overwritten progress bars."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"] = {k: v for k, v in notebook["metadata"].items() if k in ("kernelspec", "language_info")}
    for cell in notebook["cells"]:
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k == "tags" and v}
        if "outputs" in cell:
            cell["outputs"] = _one_stream(cell["outputs"])
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _one_stream(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join what a stream printed piece by piece, as it is seen in the end."""
    joined: list[dict[str, Any]] = []
    for shown in outputs:
        if joined and shown["output_type"] == "stream" and joined[-1].get("name") == shown["name"]:
            joined[-1]["text"] = [*joined[-1]["text"], *shown["text"]]
        else:
            joined.append(shown)
    for shown in (o for o in joined if o["output_type"] == "stream"):
        shown["text"] = _as_seen("".join(shown["text"])).splitlines(keepends=True)
    return joined


def _as_seen(text: str) -> str:
    """What a terminal shows in the end: of a line written over with carriage returns, the last version."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def run(arguments: Iterable[str], only: str = "") -> None:
    """Execute the notebooks into build/notebooks; skip those that are up to date."""
    paths = notebooks(only)
    known = {path: parameters_of(path) for path in paths}
    given = parse(arguments, {k: v for names in known.values() for k, v in names.items()})
    for number, path in enumerate(paths, start=1):
        parameters = {k: v for k, v in given.items() if k in known[path]}
        stamp, mark = BUILD / f"{path.stem}.stamp", fingerprint(path, parameters)
        head = f"[{number}/{len(paths)}] {path.name}"
        if stamp.exists() and stamp.read_text() == mark and (BUILD / path.name).exists() and _has_figures():
            print(f"{head}: up to date")
            continue
        print(head, flush=True)
        try:
            seconds = execute(path, BUILD / path.name, parameters)
        except Exception as error:  # papermill's error names the class of what was raised in the kernel
            if getattr(error, "ename", "") != MissingData.__name__:
                raise
            print(f"{head}: left out, its data are not here. {getattr(error, 'evalue', '')}")
            continue
        stamp.write_text(mark)
        print(f"{head}: {seconds:.0f} s, {BUILD / path.name}")


def _has_figures() -> bool:
    return any(output("figures").glob("*/*.png"))


def update(only: str = "") -> None:
    """Execute the notebooks in place, with the parameters that they state."""
    for path in notebooks(only):
        print(f"{path.name}: {execute(path, path, {}):.0f} s")


def main(arguments: list[str]) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m support.notebooks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=["run", "update"])
    parser.add_argument("values", nargs="*", metavar="KEY=VALUE", help="for run: parameters of the notebooks")
    parser.add_argument("--only", default="", metavar="NAME", help="notebooks whose name contains this")
    given = parser.parse_args(arguments)
    try:
        if given.what == "run":
            run(given.values, given.only)
        elif given.values:
            raise InvalidInput("update takes no parameters: the committed outputs are those of the stated ones")
        else:
            update(given.only)
    except ConveneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
