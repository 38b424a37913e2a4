"""The notebooks without a screen: `python -m support.runs.notebooks COMMAND KEY=VALUE …`.

`run` executes every notebook into build/notebooks, or, with arguments, into a folder of
its own below build/runs; one that fails does not end the run, and what is in a study's
file is not played again. `estimate` says what `run`
would ask, and asks nobody. `student` writes them for a class into build/student,
without outputs and answers. `--only 20,21` picks notebooks by parts of their names.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

import pandas as pd
from jupyter_client.channels import AsyncZMQSocketChannel

from support.data import ROOT, output
from support.errors import ConveneError, InvalidInput
from support.models import named
from support.models.model import check_prices
from support.models.profiles import MODEL, models_in
from support.runs import exercises
from support.runs.estimate import COUNTED
from support.runs.sweep import TERMS

FOLDER = ROOT / "notebooks"
LAST = "02_"  # it reads what all the others found
# How a run goes, and not what comes out: one folder, one purse. Notebooks have them as
# the terms of their sweeps.
HOW = {
    "BUDGET": None,
    "RETRY_FAILED": True,
    "CONCURRENCY": 8,
    "PACE": None,
    "TIMEOUT": None,
}
RAISED = {"MissingData": "left out", "BudgetExceeded": "partial"}  # others: "failed"
PLACES = ("CONVENE_OUTPUT", "CONVENE_FIGURES", "CONVENE_LEDGER")
ASKED = ["notebook", "sweep", "model"]
Known = Mapping[Path, Mapping[str, Any]]  # notebooks, with their parameters' defaults
Given = Mapping[str, Any]  # values of parameters


def notebooks(only: str = "") -> list[Path]:
    """The notebooks in order; `only` has parts of names."""
    every = sorted(FOLDER.glob("*.ipynb"))
    parts = only.split(",")
    chosen = [path for path in every if any(part in path.name for part in parts)]
    if not chosen:
        known = ", ".join(path.stem for path in every)
        raise InvalidInput(f"--only {only!r}: no such notebook; there are {known}")
    return chosen


def parameters_of(path: Path) -> dict[str, Any]:
    """Names and default values in the cell that is tagged `parameters`."""
    import papermill

    found = papermill.inspect_notebook(path)
    return {name: ast.literal_eval(one["default"]) for name, one in found.items()}


def parameters(arguments: Iterable[str], only: str = "") -> tuple[Known, Given]:
    """The parameters of each notebook, and the values of KEY=VALUE arguments, each of
    them a parameter of some notebook."""
    known = {path: parameters_of(path) for path in notebooks(only)}
    every = dict[str, Any](HOW)
    given: dict[str, Any] = {}
    for defaults in known.values():
        every |= defaults
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or key not in every:
            wanted = f"expected KEY=VALUE with one of {', '.join(sorted(every))}"
            raise InvalidInput(f"ARGS: {argument!r} given; {wanted}")
        given[key] = _value(key, text, every[key])
    return known, given


def _value(key: str, text: str, default: Any) -> Any:
    """A parameter's value, of its default's type: names, text, or a Python literal."""
    if isinstance(default, list):
        return [name.strip() for name in text.split(",")]
    if isinstance(default, str):  # the kernels work in another folder than we
        return os.path.abspath(text) if os.path.exists(text) else text
    number = default is None or isinstance(default, float)
    kind: Any = float | int | None if number else type(default)
    with suppress(ValueError, SyntaxError):
        value = ast.literal_eval(text)
        if isinstance(value, kind):
            return value
    wanted = "a number or None" if number else f"a value like {default!r}"
    raise InvalidInput(f"ARGS: {key}={text!r} given; expected {wanted}")


def place_of(given: Given) -> Path:
    """Where results go: build, or, with parameters, a folder of their own, which has
    their names, shortened, and a digest of all of them."""
    made = {name: given[name] for name in given if name not in HOW}
    if not made:
        return output("build").resolve()
    text = json.dumps(made, sort_keys=True)
    readable = re.sub(r"\W+", "-", text).strip("-")[:60]
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return output("build", "runs", f"{readable}-{digest}").resolve()


# ---- one notebook --------------------------------------------------------------------


class Patient(AsyncZMQSocketChannel):
    """Looks for a reply each second, signalled or not: what nbclient sends for a widget
    on the same socket takes the signal away, and it waits for ever (its issue 312)."""

    async def get_msg(  # type: ignore[override]
        self, timeout: float | None = None
    ) -> dict[str, Any]:
        """The next message; without `timeout`, in seconds, it is waited for."""
        while timeout is None:
            with suppress(Empty):
                return await super().get_msg(1.0)
        return await super().get_msg(timeout)


def execute(source: Path, target: Path, parameters: Given, **settings: str) -> None:
    """Execute a notebook into `target`, its kernel with `settings` in the environment.

    papermill's error says what a cell raised. The kernel imports this checkout's
    package, wherever its environment was installed from. Times of execution and
    overwritten progress bars are not kept.
    """
    import nbformat
    import papermill
    from jupyter_client.asynchronous import AsyncKernelClient
    from jupyter_client.manager import AsyncKernelManager
    from nbconvert import preprocessors

    usual = {
        "OMP_NUM_THREADS": "1",  # small matrices: threads cost five times what they do
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }

    class Client(AsyncKernelClient):
        shell_channel_class = Patient

    class Kernel(AsyncKernelManager):
        client_factory = Client

        async def start_kernel(self, **more: Any) -> None:  # type: ignore[override]
            await super().start_kernel(env=usual | settings, **more)

    nbformat.write(exercises.solved(source), target)
    papermill.execute_notebook(
        target,
        target,
        parameters=parameters,
        cwd=FOLDER,
        kernel_manager_class=Kernel,
        progress_bar=False,
        request_save_on_cell_execute=False,  # at each cell: a tenth of the cost
        extra_arguments=["--log-level=ERROR"],
        iopub_timeout=60,  # seconds that a busy machine may take to pass on outputs
    )
    book = nbformat.read(target, 4)
    solutions = exercises.solutions_of(source)
    clear = preprocessors.ClearMetadataPreprocessor(
        preserve_cell_metadata_mask={"tags", "jupyter"},
        preserve_nb_metadata_mask={"kernelspec", "language_info"},
    )
    written = {target: book}
    if solutions is not None:
        exercises.apart(book, solutions)
        written[target.parent / exercises.SOLUTIONS / target.name] = solutions
    for place, made in written.items():
        for step in (clear, preprocessors.CoalesceStreamsPreprocessor()):
            made, _ = step.preprocess(made, {})
        place.parent.mkdir(exist_ok=True)
        nbformat.write(made, place)


def _became(
    path: Path, target: Path, given: Given, settings: Mapping[str, str]
) -> tuple[str, str]:
    """Execute a notebook: done, partial, left out or failed, by the records that its
    sweeps leave and by what a cell raised; and the words that say so."""
    records = target.with_suffix(".ended.jsonl")
    records.unlink(missing_ok=True)  # of an earlier state
    kind = "done"
    raised = []
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        execute(path, target, given, CONVENE_ENDED=str(records), **settings)
    except Exception as error:  # of a cell, papermill, the disk: others go on
        name, said = _error(error)
        kind = RAISED.get(name, "failed")
        raised = [said]
    unfinished = _unfinished(records)
    return "partial" if unfinished else kind, " Then: ".join([*unfinished, *raised])


def _error(error: Exception) -> tuple[str, str]:
    """The class of what ended a notebook, a cell's error or our own; and its words."""
    name = getattr(error, "ename", type(error).__name__)
    words = getattr(error, "evalue", str(error)).split()
    return name, f"{name}: {' '.join(words)[:600]}"


def _unfinished(records: Path) -> list[str]:
    """The sweeps that lack units, as the last record of each says."""
    last = {}
    for line in records.read_text().splitlines() if records.exists() else ():
        with suppress(ValueError):  # the disk may have cut one off
            record = json.loads(line)
            last[record["sweep"]] = record
    told = "{sweep}: {missing} of {units} units are missing. {error}"
    return [told.format(**one).strip() for one in last.values() if one["missing"]]


# ---- all of them ---------------------------------------------------------------------


def run(known: Known, given: Given, purse: str = "make run") -> int:
    """Execute the notebooks, and say what became of each; 1 where one is not whole.

    Runs of the same `purse` and parameters have one budget.
    """
    models = models_in(list(given.values())) - {MODEL}
    if given.get("BUDGET") is not None:
        check_prices([named(name) for name in sorted(models)])  # before any is asked
    place = place_of(given)
    own = given.keys() - HOW.keys()
    figures = place / "figures" if own else output("figures").resolve()
    settings = {
        "CONVENE_FIGURES": str(figures),
        "CONVENE_LEDGER": str(place / "ledger"),
        "CONVENE_PURSE": f"{purse} {place.name}",
        TERMS: json.dumps(
            {name.lower(): given[name] for name in HOW.keys() & given.keys()}
        ),
    }

    def one(path: Path) -> tuple[str, str]:
        mine = {name: given[name] for name in given if name in known[path]}
        print(path.name, flush=True)
        kind, said = _became(path, place / "notebooks" / path.name, mine, settings)
        print(f"{path.name}: {kind}. {said}", flush=True)
        return kind, said

    ended: dict[Path, tuple[str, str]] = {}
    # Pace and calls at a time are each kernel's own: with models, one at a time.
    with ThreadPoolExecutor(1 if models else 2) as pool:
        try:
            for last in (False, True):
                part = [path for path in known if path.name.startswith(LAST) == last]
                ended.update(zip(part, pool.map(one, part), strict=True))
        except KeyboardInterrupt:
            told = "Stopped. What is finished is kept; the same command goes on."
            print(f"\n{told}", flush=True)
            os._exit(130)  # the kernels end with their parent
    print(f"notebooks: {place / 'notebooks'}; figures: {figures}")
    return _summary(ended)


def _summary(ended: Mapping[Path, tuple[str, str]]) -> int:
    """Print what became of each notebook, and how to go on."""
    kinds = Counter(kind for kind, _ in ended.values())
    print(", ".join(f"{kind}: {many}" for kind, many in kinds.items()))
    for path, (kind, said) in ended.items():
        if said:
            print(f"  {kind}: {path.stem}: {said}")
    if not kinds["partial"] + kinds["failed"]:
        return 0
    print(
        "What is finished is kept, and replies are not paid for again. To go on, give\n"
        "the same command (with a larger BUDGET, where that ended it)."
    )
    return 1


def estimated(known: Known, given: Given) -> int:
    """Print what a run would ask, a line for each study and model.

    Each notebook that can seat a model is executed with stand-ins and two repetitions
    a setting, and writes what all of them would ask.
    """
    frames = [pd.DataFrame()]
    stopped = []
    with tempfile.TemporaryDirectory() as scratch:
        settings = dict.fromkeys(PLACES, scratch)
        for path, own in known.items():
            if "PARTICIPANTS" not in own:
                continue
            names = own.keys() & given.keys() - {"BUDGET"}
            mine = {name: given[name] for name in names}
            target = Path(scratch, path.name)
            asked = target.with_suffix(".jsonl")
            asked.touch()
            settings["CONVENE_ESTIMATE"] = str(asked)
            try:
                execute(path, target, mine, **settings)
            except Exception as error:  # it is named, and the others estimated
                _, said = _error(error)
                stopped.append(f"not estimated further: {path.stem}: {said}")
            rows = pd.read_json(asked, lines=True)
            frames.append(rows.assign(notebook=path.stem))
    _print_estimate(pd.concat(frames))
    print(*stopped, sep="\n")
    return 0


def student(known: Known, given: Given) -> int:
    """Write the notebooks for a class."""
    target = output("build", "student")
    exercises.student([*known], target)
    print(f"notebooks: {target}; their solutions: {FOLDER / exercises.SOLUTIONS}")
    return 0


def _print_estimate(rows: pd.DataFrame) -> None:
    """A line for each study and model, and their sum; what two notebooks play, once."""
    if rows.empty:
        print("No model is asked.")
        return
    every = rows.reindex(columns=[*ASKED, *COUNTED, "units", "draws"])
    shown = every.groupby(ASKED, sort=False).sum(min_count=1).reset_index()
    shown = shown.drop_duplicates(["sweep", "model", "calls", "prompt_tokens"])
    print(shown.to_string(index=False, float_format="{:,.2f}".format))
    print("sum:", shown[COUNTED].sum().map("{:,.2f}".format).to_dict())
    alike = shown["sweep"][shown["draws"] < shown["units"]].unique()
    if len(alike):
        print(
            f"Fewer draws than units: {', '.join(alike)}. At temperature 0 the "
            "repetitions of a setting are one question asked as many times."
        )
    unpriced = shown["model"][shown["dollars"].isna()].unique()
    if len(unpriced):
        print(
            f"No price is known of {', '.join(unpriced)}: add it to your models.toml."
        )


def told(command: Callable[..., int], *arguments: Any) -> int:
    """What a command returns; 2, and what the user can mend, where that ends it."""
    try:
        return command(*arguments)
    except ConveneError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    commands = {"run": run, "estimate": estimated, "student": student}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=commands)
    parser.add_argument("arguments", nargs="*", metavar="KEY=VALUE")
    parser.add_argument("--only", default="", help="parts of notebooks' names")
    given = parser.parse_intermixed_args(arguments)
    chosen = commands[given.command]
    return told(lambda: chosen(*parameters(given.arguments, given.only)))


if __name__ == "__main__":
    sys.exit(main())
