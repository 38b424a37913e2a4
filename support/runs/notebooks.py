"""The notebooks, headless: `python -m support.runs.notebooks run|update|estimate [KEY=VALUE …]`.

`run` executes every notebook into build/notebooks, or, with arguments, into a folder of
its own below build/runs; one that was executed with the same parameters and sources is
not executed again, and one that fails does not end the run. `update` executes them in
place, as they are committed. `estimate` says what `run` would ask, and asks nobody.
`--only 20,21` picks notebooks by parts of their names.
"""

from __future__ import annotations

import argparse
import ast
import errno
import hashlib
import json
import os
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from support import ledger
from support.data import ROOT, output, source_digest
from support.errors import ConveneError, InvalidInput
from support.models import named
from support.models.profiles import MODEL, check_prices, models_in

FOLDER = ROOT / "notebooks"
# What 20 and 21 play, those later read; 02 reads what all found.
READ, LAST = ("20_", "21_"), "02_"
NEEDS = {"22_": READ, "23_": READ, "24_": READ, LAST: ("",)}
QUEUE = ("20_", "21_", "30_", "22_", "40_", "10_", "31_", "24_")  # then the short ones
AT_ONCE = 2  # notebooks without models
# How a run goes, and not what comes out: one folder, one purse.
HOW = ("BUDGET", "PACE", "CONCURRENCY", "RETRY_FAILED", "TIMEOUT")
MEANT = {"BUDGET": "US dollars", "PACE": "requests a minute", "TIMEOUT": "seconds"}


SHOWN = ["notebook", "sweep", "model", "draws", "calls", "prompt_tokens"]
SHOWN += ["completion_tokens", "dollars", "most", "seconds"]


def notebooks(only: str = "") -> list[Path]:
    """The notebooks in the order in which they are begun; `only` has parts of names."""
    rank = {start: number - 9 for number, start in enumerate(QUEUE)} | {LAST: 1}
    every = sorted(FOLDER.glob("*.ipynb"), key=lambda p: (rank.get(p.name[:3], 0), p))
    parts = only.split(",")
    chosen = [path for path in every if any(part in path.name for part in parts)]
    if not chosen:
        known = ", ".join(path.stem for path in every)
        raise InvalidInput(f"--only {only!r}: no such notebook; there are {known}")
    return chosen


def parameters_of(path: Path) -> dict[str, Any]:
    """Names and default values in the cell that is tagged `parameters`."""
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            for node in ast.parse("".join(cell["source"])).body:
                if isinstance(node, ast.Assign):
                    found[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    return found


def parse(arguments: Iterable[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """KEY=VALUE arguments by name, each of them a parameter of some notebook."""
    given = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or key not in known:
            wanted = f"expected KEY=VALUE with one of {', '.join(sorted(known))}"
            raise InvalidInput(f"ARGS: {argument!r} given; {wanted}")
        given[key] = _value(key, text, known[key])
    return dict(sorted(given.items()))  # in any order, one folder and one purse


def _value(key: str, text: str, default: Any) -> Any:
    """A parameter's value: a Python literal of the default's type, names, or text."""
    if isinstance(default, str):  # the kernels work in another folder than we
        return os.path.abspath(text) if os.path.exists(text) else text
    if isinstance(default, list) and not text.startswith("["):
        return [name.strip() for name in text.split(",")]
    value: Any = text
    with suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
    if default is None or isinstance(default, float):
        fits = value is default or (type(value) in (int, float) and value >= 0)
    else:
        fits = type(value) is type(default)
    if not fits:
        wanted = MEANT.get(key, f"something like {default!r}")
        raise InvalidInput(f"ARGS: {key}={text!r} given; expected {wanted}")
    return value


def spelt(given: Mapping[str, Any]) -> str:
    """Parameters as they are typed in ARGS."""
    values = {name: given[name] for name in given}
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = ",".join(value)
    return shlex.join(f"{name}={value}" for name, value in values.items())


def place_of(given: Mapping[str, Any]) -> Path:
    """Where results go: build, or, with parameters, a folder of their own, which has
    their names, shortened, and a digest of all of them."""
    made = _what(given)
    if not made:
        return output("build").resolve()
    text = json.dumps(made)
    readable = re.sub(r"\W+", "-", text).strip("-")[:60]
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return output("build", "runs", f"{readable}-{digest}").resolve()


def _what(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that change what comes out."""
    return {name: given[name] for name in given if name not in HOW}


# ---- one notebook --------------------------------------------------------------------


def execute(
    source: Path, target: Path, parameters: Mapping[str, Any], **settings: str
) -> float:
    """Execute a notebook into `target`, its kernel with `settings` in the environment.

    The seconds it took; papermill's error says what a cell raised. The kernel imports
    this checkout's package, wherever its environment was installed from.
    """
    import papermill
    from jupyter_client.manager import AsyncKernelManager

    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    # Threads that spin while they wait cost a busy machine thrice.
    usual = {"OMP_WAIT_POLICY": "passive", **os.environ, "PYTHONPATH": path}

    class Kernel(AsyncKernelManager):
        async def start_kernel(self, **more: Any) -> None:  # type: ignore[override]
            await super().start_kernel(env=usual | settings, **more)

    target.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    papermill.execute_notebook(
        source,
        target,
        parameters=dict(parameters) or None,
        cwd=FOLDER,
        kernel_name="python3",
        kernel_manager_class=Kernel,
        progress_bar=False,
        extra_arguments=["--log-level=ERROR"],
        iopub_timeout=60,  # seconds that a busy machine may take to pass on outputs
    )
    tidy(target)
    return time.perf_counter() - started


def tidy(path: Path) -> None:
    """Leave in an executed notebook what a reader needs: no times of execution, no
    overwritten progress bars."""
    import nbformat
    from nbconvert.preprocessors import ClearMetadataPreprocessor

    kept = {"kernelspec", "language_info"}
    clear = ClearMetadataPreprocessor(
        preserve_cell_metadata_mask={"tags", "jupyter"}, preserve_nb_metadata_mask=kept
    )
    book, _ = clear.preprocess(nbformat.read(path, 4), {})
    for cell in book.cells:
        if "outputs" in cell:
            cell.outputs = _joined(cell.outputs)
    nbformat.write(book, path)


def _joined(outputs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs with each stream in one piece, as a terminal shows it in the end."""
    made: list[dict[str, Any]] = []
    for shown in outputs:
        if made and "name" in shown and made[-1].get("name") == shown["name"]:
            made[-1]["text"] += shown["text"]
        else:
            made.append(shown)
    for shown in made:
        if "text" in shown:
            shown["text"] = re.sub(r".*\r(?=[^\n])|\r", "", shown["text"])
    return made


def _became(
    path: Path,
    target: Path,
    parameters: Mapping[str, Any],
    mark: str,
    settings: Mapping[str, str],
) -> tuple[str, str]:
    """Execute a notebook: done, partial, left out or failed, by the records that its
    sweeps leave and by what a cell raised; and the words that say so."""
    ended, stamp = target.with_suffix(".ended.jsonl"), target.with_suffix(".stamp")
    raised, name = [], ""
    try:
        for old in (ended, stamp):  # of an earlier state
            old.unlink(missing_ok=True)
        seconds = execute(
            path, target, parameters, CONVENE_ENDED=str(ended), **settings
        )
        if not _unfinished(ended):
            stamp.write_text(mark)
            return "done", f"{seconds:.0f} s, {target}"
    except Exception as error:  # of a cell, papermill, the disk: others go on
        name, said = _error(error)
        raised = [f"{name}: {said}"]
    unfinished = _unfinished(ended)
    kind = "left out" if name == "MissingData" else "failed"
    if unfinished or name == "BudgetExceeded":
        kind = "partial"
    return kind, " Then: ".join([*unfinished, *raised])


def _error(error: Exception) -> tuple[str, str]:
    """The class and the words of what ended a notebook: a cell's error, or our own."""
    if getattr(error, "errno", None) == errno.ENOSPC:
        return "DiskFull", f"{error}. Free some space, then run again"
    said = getattr(error, "evalue", str(error))
    return getattr(error, "ename", type(error).__name__), " ".join(said.split())[:600]


def _unfinished(path: Path) -> list[str]:
    """The sweeps that lack units, as their last records say."""
    last = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):  # the disk may have cut one off
            record = json.loads(line)
            last[record["sweep"]] = record
    told = "{sweep}: {missing} of {units} units are missing. {error}"
    return [told.format(**one).strip() for one in last.values() if one["missing"]]


def _mark(path: Path, parameters: Mapping[str, Any]) -> str:
    """A sum over all that a notebook's outputs depend on: itself, the package, the
    inputs, the lock, the parameters, and files that parameters name."""
    made = _what(parameters)
    own = [Path(str(value)) for value in made.values() if os.path.isfile(str(value))]
    digest = hashlib.sha256((json.dumps(made) + source_digest()).encode())
    for source in (path, ROOT / "requirements.lock", *own):
        digest.update(source.read_bytes())
    return digest.hexdigest()


# ---- all of them ---------------------------------------------------------------------


def run(
    arguments: Sequence[str], only: str = "", again: str = "", purse: str = "make run"
) -> int:
    """Execute the notebooks, and say what became of each; 1 where one is not whole.

    `again` is the command that goes on, where it is another than `make run`; runs of
    the same `purse` and parameters have one budget.
    """
    known, given = parameters(arguments, only)
    models = models_in(list(given.values())) - {MODEL}
    if given.get("BUDGET") is not None:
        check_prices([named(name) for name in sorted(models)])  # before any is asked
    order, place, what = list(known), place_of(given), _what(given)
    figures = (place / "figures" if what else output("figures")).resolve()
    settings = {
        "CONVENE_FIGURES": str(figures),
        "CONVENE_LEDGER": str(place / "ledger"),
        "CONVENE_PURSE": f"{purse} {spelt(what)}".strip(),
    }

    def one(path: Path, before: Iterable[Future[Any]]) -> tuple[str, str]:
        wait(before)
        parameters = {name: given[name] for name in given if name in known[path]}
        target, mark = place / "notebooks" / path.name, _mark(path, parameters)
        stamp = target.with_suffix(".stamp")
        same = target.exists() and stamp.exists() and stamp.read_text() == mark
        if same and path.name[:3] != LAST and any(figures.glob("*/*.png")):
            return "up to date", ""
        head = f"[{order.index(path) + 1}/{len(order)}] {path.name}"
        print(head, flush=True)
        kind, said = _became(path, target, parameters, mark, settings)
        print(f"{head}: {kind}. {said}", flush=True)
        return kind, said

    # Pace and calls at a time are each kernel's own: with models, one at a time.
    with ThreadPoolExecutor(1 if models else AT_ONCE) as pool:
        begun: dict[Path, Future[tuple[str, str]]] = {}
        try:
            for path in order:
                reads = NEEDS.get(path.name[:3], ())
                before = [begun[one] for one in begun if one.name.startswith(reads)]
                begun[path] = pool.submit(one, path, before)
            ended = {path: future.result() for path, future in begun.items()}
        except KeyboardInterrupt:
            told = "Stopped. What is finished is kept; the same command goes on."
            print(f"\n{told}", flush=True)
            os._exit(130)  # the kernels end with their parent
    print(f"notebooks: {place / 'notebooks'}; figures: {figures}")
    asked = " ".join(
        [*([spelt(given)] if given else []), *(["--only", only] * bool(only))]
    )
    return _summary(ended, again or f"make run ARGS={shlex.quote(asked)}")


def _summary(ended: Mapping[Path, tuple[str, str]], again: str) -> int:
    """Print what became of each notebook, and the command that goes on."""
    kinds = Counter(kind for kind, _ in ended.values())
    print(", ".join(f"{kind}: {many}" for kind, many in kinds.items()))
    for path, (kind, said) in ended.items():
        if kind not in ("done", "up to date"):
            print(f"  {kind}: {path.stem}: {said}")
    if not kinds["partial"] + kinds["failed"]:
        return 0
    print("What is finished is kept, and replies are not paid for again.")
    print(f"To go on (with a larger BUDGET, where that ended it): {again}")
    return 1


def parameters(
    arguments: Sequence[str], only: str
) -> tuple[dict[Path, dict[str, Any]], dict[str, Any]]:
    """The parameters of each notebook, and the values that are given."""
    known = {path: parameters_of(path) for path in notebooks(only)}
    every = {name: one[name] for one in known.values() for name in one}
    return known, parse(arguments, every)


def update(arguments: Sequence[str], only: str = "") -> int:
    """Execute the notebooks in place, with the parameters that they state."""
    if arguments:
        raise InvalidInput(f"{arguments[0]!r} given; update takes no parameters")
    for path in notebooks(only):
        seconds = execute(path, path, {}, CONVENE_LEDGER=str(ledger.COMMITTED))
        print(f"{path.name}: {seconds:.0f} s", flush=True)
    return 0


def estimated(arguments: Sequence[str], only: str = "") -> int:
    """Print what a run would ask, a line for each study and model.

    Each notebook that can seat a model is executed with stand-ins and two repetitions
    a setting, and writes what all of them would ask.
    """
    known, given = parameters(arguments, only)
    asking = [path for path in known if "PARTICIPANTS" in known[path]]
    with tempfile.TemporaryDirectory() as scratch:

        def one(path: Path) -> tuple[str, pd.DataFrame]:
            names = known[path].keys() & given.keys() - {"BUDGET"}
            place = Path(scratch, path.stem)
            asked = Path(scratch, f"{path.stem}.jsonl")
            asked.touch()
            places = ("CONVENE_OUTPUT", "CONVENE_FIGURES", "CONVENE_LEDGER")
            settings = dict.fromkeys(places, str(place))
            settings["CONVENE_ESTIMATE"] = str(asked)
            stopped = ""
            try:
                execute(
                    path, place / path.name, {n: given[n] for n in names}, **settings
                )
            except Exception as error:  # it is named, and the others estimated
                stopped = (
                    f"not estimated further: {path.stem}: {': '.join(_error(error))}"
                )
            rows = pd.read_json(asked, lines=True)
            return stopped, rows.assign(notebook=path.stem)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            stopped, frames = zip(*pool.map(one, asking), strict=True)
    _print_estimate(pd.concat(frames))
    print(*filter(None, stopped), sep="\n")
    return 0


def _print_estimate(rows: pd.DataFrame) -> None:
    """A line for each study and model, and their sum; what two notebooks play, once."""
    if rows.empty:
        print("No model is asked.")
        return
    every = rows.groupby(["notebook", "sweep", "model"], sort=False)
    sums = every.sum(min_count=1, numeric_only=True).filter(SHOWN).reset_index()
    shown = sums.drop_duplicates(["sweep", "model", "calls", "prompt_tokens"])
    print(shown.to_string(index=False, float_format="{:,.2f}".format))
    print("sum:", shown.sum(numeric_only=True).map("{:,.2f}".format).to_dict())
    unpriced = shown["model"][shown["dollars"].isna()].unique()
    if len(unpriced):
        print(
            f"No price is known of {', '.join(unpriced)}: add it to your models.toml."
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    commands = {"run": run, "update": update, "estimate": estimated}
    name = "python -m support.runs.notebooks"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("command", choices=commands)
    parser.add_argument("arguments", nargs="*", metavar="KEY=VALUE")
    parser.add_argument("--only", default="", help="parts of notebooks' names")
    given = parser.parse_intermixed_args(arguments)
    try:
        return commands[given.command](given.arguments, given.only)
    except ConveneError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
