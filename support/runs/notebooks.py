"""Run the notebooks headless: `python -m support.runs.notebooks run|update|estimate [KEY=VALUE …] [--only NAME]`.

`run` executes every notebook into build/notebooks, or, with arguments, into a folder of its own below build/runs; one
that was executed with the same parameters and sources is not executed again, and one that fails does not end the run.
`update` executes them in place, as they are committed. `estimate` says what `run` would ask of models, and asks nobody.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support.data import ROOT, output, source_digest
from support.errors import BudgetExceeded, ConveneError, InvalidInput, MissingData
from support.models import connect, named
from support.models.calls import Call, collected
from support.models.fakes import stand_in
from support.models.model import ChatModel
from support.models.money import dollars
from support.models.profiles import MODEL, is_model, needed_price
from support.runs import recordings
from support.runs.estimate import estimate
from support.runs.sweep import Sweep

FOLDER = ROOT / "notebooks"
MONEY = "BUDGET"
SAID = re.compile(r"^[\s|+-]*(?:[\w.]+\.)?([A-Z]\w+(?:Error|Exception|Exceeded|Unavailable|Input|Data|File|Miss|Failed|"
                  r"Reply|Full|InUse)|KeyboardInterrupt): (.*)", re.M)  # fmt: skip
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def notebooks(only: str = "") -> list[Path]:
    """The notebooks in reading order, those whose name contains `only`."""
    names = sorted(FOLDER.glob("*.ipynb"))
    if chosen := [path for path in names if only in path.name]:
        return chosen
    raise InvalidInput(f"--only {only!r}: no such notebook; there are {', '.join(p.stem for p in names)}")


def parameters_of(path: Path) -> dict[str, Any]:
    """Names and default values in the cell of a notebook that is tagged `parameters`."""
    tagged = [source for source, tags in _code(path) if "parameters" in tags]
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse("\n".join(tagged)).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def parse(arguments: Iterable[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """KEY=VALUE arguments, values as Python literals or else text; each has to be a parameter of some notebook."""
    given = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or key not in known:
            raise InvalidInput(f"ARGS: {argument!r} given; expected KEY=VALUE with one of {', '.join(sorted(known))}")
        given[key] = text if isinstance(known[key], str) else _value(key, text, known[key])
    return given


def _value(key: str, text: str, default: Any) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    fits = number if key == MONEY or isinstance(default, float) else type(value) is type(default)
    if not fits:
        expected = "US dollars" if key == MONEY else f"a {type(default).__name__} such as {default!r}"
        raise InvalidInput(f"ARGS: {key}={text!r} given; expected {expected}")
    return value


def execute(source: Path, target: Path, parameters: Mapping[str, Any]) -> float:
    """Execute one notebook into `target`; return the seconds it took. papermill's error says which cell failed."""
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
    """Join what a stream printed piece by piece, as a terminal shows it in the end."""
    joined: list[dict[str, Any]] = []
    for shown in outputs:
        if joined and shown["output_type"] == "stream" and joined[-1].get("name") == shown["name"]:
            joined[-1]["text"] = [*joined[-1]["text"], *shown["text"]]
        else:
            joined.append(shown)
    for shown in (o for o in joined if o["output_type"] == "stream"):
        lines = "".join(shown["text"]).split("\n")
        shown["text"] = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines).splitlines(keepends=True)
    return joined


def run(arguments: Sequence[str], only: str = "") -> int:
    """Execute the notebooks, and say in the end what became of each; 1 where one failed or is partial."""
    paths, given, known = _given(arguments, only)
    check_money(given)
    place, ended = _place(given), dict[str, list[str]]()
    os.environ["CONVENE_PURSE"] = f"make run {' '.join(f'{k}={v}' for k, v in given.items() if k != MONEY)}".strip()
    for number, path in enumerate(paths, start=1):
        parameters = {k: v for k, v in given.items() if k in known[path]}
        target, head = place / "notebooks" / path.name, f"[{number}/{len(paths)}] {path.name}"
        stamp, mark = target.with_suffix(".stamp"), _mark(path, parameters)
        if stamp.exists() and stamp.read_text() == mark and target.exists() and any(place.glob("**/*.png")):
            ended.setdefault("up to date", []).append(path.stem)
            continue
        print(head, flush=True)
        try:
            seconds = execute(path, target, parameters)
            stamp.write_text(mark)
            ended.setdefault("done", []).append(path.stem)
            print(f"{head}: {seconds:.0f} s, {target}")
        except Exception as error:  # of the kernel, of papermill, of the disk: the next notebook may do without
            name, said = _reason(target, error)
            kind = {MissingData.__name__: "left out", BudgetExceeded.__name__: "partial"}.get(name, "failed")
            ended.setdefault(kind, []).append(f"{path.stem}: {name}: {said}")
            print(f"{head}: {kind}. {name}: {said}")
    print("\n" + "\n".join(f"{what}: {len(which)}" for what, which in ended.items()))
    for what in ("left out", "partial", "failed"):
        print(*(f"  {what}: {line}" for line in ended.get(what, [])), sep="\n", end="\n" if what in ended else "")
    again = f'make run ARGS="{" ".join(arguments)}"' if arguments else "make run"
    if stopped := {"failed", "partial"} & set(ended):
        larger = f", with a larger {MONEY}" if "partial" in ended else ""
        print(f"What is finished is kept, and replies are not paid for again. To go on: {again}{larger}")
    return int(bool(stopped))


def _given(arguments: Sequence[str], only: str) -> tuple[list[Path], dict[str, Any], dict[Path, dict[str, Any]]]:
    known = {path: parameters_of(path) for path in notebooks(only)}
    return list(known), parse(arguments, {k: v for names in known.values() for k, v in names.items()}), known


def _place(given: Mapping[str, Any]) -> Path:
    """Where results go: build and figures, or, with other participants or numbers, a folder of their own."""
    slug = "_".join(f"{k}-{''.join(c if c.isalnum() else '-' for c in str(v))}" for k, v in given.items() if k != MONEY)
    place = output("build", "runs", slug) if slug else output("build")
    if slug:
        os.environ["CONVENE_FIGURES"] = str(place / "figures")
    return place


def check_money(given: Mapping[str, Any]) -> None:
    """Refuse a budget for a model without a price, before anything is asked."""
    if given.get(MONEY) is None:
        return
    named_ones = {str(v) for v in given.values() if is_model(v) and v != MODEL}
    for name in {f"{MODEL}:{given[MODEL.upper()]}" if MODEL.upper() in given else f"{MODEL}:embedded", *named_ones}:
        needed_price(named(name))


def _mark(path: Path, parameters: Mapping[str, Any]) -> str:
    """A sum over all that a notebook's outputs depend on: itself, the package, the inputs, the lock, the parameters."""
    given = json.dumps({k: v for k, v in parameters.items() if k != MONEY}, sort_keys=True, default=str)
    digest = hashlib.sha256((given + source_digest()).encode())
    for source in (path, ROOT / "requirements.lock"):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _reason(target: Path, error: Exception) -> tuple[str, str]:
    """What ended a notebook: the kernel's error, out of the groups that it may stand in."""
    name, said, trace = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error)), ""
    if target.exists():
        shown = [o for c in json.loads(target.read_text())["cells"] for o in c.get("outputs", [])]
        trace = "\n".join("\n".join(o["traceback"]) for o in shown if o["output_type"] == "error")
    if "Group" in name and (inner := SAID.findall(COLOURS.sub("", trace))):
        name, said = [one for one in inner if "Group" not in one[0]][-1]
    return name, " ".join(said.split())[:600]


def update(only: str = "") -> int:
    """Execute the notebooks in place, with the parameters that they state."""
    for path in notebooks(only):
        print(f"{path.name}: {execute(path, path, {}):.0f} s", flush=True)
    return 0


# ---- what a run would ask --------------------------------------------------------------------------------------------


def _code(path: Path) -> list[tuple[str, list[str]]]:
    """The code cells of a notebook, with their tags."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(c["source"]), c["metadata"].get("tags", [])) for c in cells if c["cell_type"] == "code"]


def asking(path: Path) -> list[str]:
    """The cells of a notebook that wait for something, and those that they need, in order."""
    cells, wanted, kept = [(source, *_names(source)) for source, _ in _code(path)], set[str](), list[str]()
    for source, made, used, waits in reversed(cells):
        if waits or made & wanted:
            wanted = (wanted - made) | used
            kept.insert(0, source)
    return kept


def _names(source: str) -> tuple[set[str], set[str], bool]:
    """What a cell defines, what it uses, and whether it waits for something."""
    nodes = list(ast.walk(ast.parse(source)))
    made = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    made |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    made |= {a.asname or a.name for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}
    used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return made, used, any(isinstance(n, ast.Await) for n in nodes)


class _Asked:
    """What the cells of a notebook would ask: a row for each sweep, and for each model asked outside of one."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float, float | None, float]] = []  # study, calls, tokens, dollars, seconds
        self.unpriced: set[str] = set()
        self.missed: list[str] = []

    async def sweep(self, sweep: Sweep, store: Any, **options: Any) -> Counter[str]:
        """In the place of `Sweep.run`."""
        model = options.pop(MODEL, None)
        context = {
            k: v for k, v in options.items() if k not in ("on", "concurrency", "progress", "retry_failed", "budget_usd")
        }
        replays = isinstance(model, ChatModel) and model.name == "replayed"
        if not replays and (model is not None or set(sweep.models) - {MODEL}):
            who = model.name if isinstance(model, ChatModel) else model
            guess = await estimate(sweep, who, sample=6, store=store, **context)
            tokens = guess.prompt_tokens.expected + guess.completion_tokens.expected
            usd = None if guess.usd is None else guess.usd.expected
            if guess.usd is None:
                self.unpriced |= {line for line in guess.assumptions if line.startswith("No price")}
            self.rows.append((sweep.name, guess.calls.expected, tokens, usd, guess.seconds.expected))
        return Counter(done=0, failed=0, replies=0, format_errors=0)

    def calls(self, what: str, calls: Sequence[Call]) -> None:
        """Calls outside of sweeps, by the model that they would go to."""
        for name in sorted({call.model for call in calls} - {"replayed"}):
            mine, price = [call for call in calls if call.model == name], named(f"{MODEL}:{name}").price
            read, written = (sum(getattr(c, f"{part}_tokens") for c in mine) for part in ("prompt", "completion"))
            usd = None if price is None else price.cost(read, written)
            self.rows.append((what, len(mine), read + written, usd, 0.5 * len(mine) + written / 50))


@contextlib.contextmanager
def _estimating(asked: _Asked) -> Iterator[None]:
    """While it lasts, sweeps are estimated instead of run, and whoever connects a model gets a stand-in."""

    async def instead(sweep: Sweep, store: Any, **options: Any) -> Counter[str]:
        return await asked.sweep(sweep, store, **options)

    def other(model: str = "embedded", **options: Any) -> ChatModel:
        known = connect(model, base_url=options.get("base_url"), api_key="not asked")
        return stand_in(name=known.name if known.endpoint != "embedded" else model, profile=known.profile)

    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.object(Sweep, "run", instead))
        stack.enter_context(patch("support.models.connect", other))
        stack.enter_context(patch.object(recordings, "replayed", lambda name, path: stand_in(name="replayed")))
        yield


async def _estimated(path: Path, parameters: Mapping[str, Any], asked: _Asked) -> None:
    space: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
    for source in asking(path):
        with collected() as calls, contextlib.redirect_stdout(io.StringIO()):
            try:
                code = compile(source, path.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                if (waits := eval(code, space)) is not None:
                    await waits
            except (
                Exception
            ) as error:  # what rests on records that nobody played: it is said, and the rest is estimated
                asked.missed.append(f"{path.stem}: {source.strip().splitlines()[0][:60]}… ({type(error).__name__})")
        asked.calls(f"asked directly: {source.strip().splitlines()[0][:40]}…", calls)
        space |= {key: value for key, value in parameters.items() if key in space}


def estimated(arguments: Sequence[str], only: str = "") -> int:
    """Print what a run would ask, notebook by notebook and study by study."""
    os.environ["MPLBACKEND"] = "Agg"
    paths, given, known = _given(arguments, only)
    total, missed, unpriced = [0.0] * 4, list[str](), set[str]()
    print(f"{'':58}{'calls':>8}{'tokens':>13}{'dollars':>10}{'minutes':>9}")
    with tempfile.TemporaryDirectory() as scratch, patch.dict(os.environ, {"CONVENE_OUTPUT": scratch}):
        for path in paths:
            asked, mine = _Asked(), {k: v for k, v in given.items() if k in known[path] and k != MONEY}
            with _estimating(asked):
                asyncio.run(_estimated(path, mine, asked))
            missed, unpriced = missed + asked.missed, unpriced | asked.unpriced
            for study, calls, tokens, usd, seconds in asked.rows:
                shown = "no price" if usd is None else dollars(usd)
                print(f"{path.stem[:2]} {study[:54]:55}{calls:>8,.0f}{tokens:>13,.0f}{shown:>10}{seconds / 60:>9.1f}")
                total = [a + b for a, b in zip(total, (calls, tokens, usd or 0.0, seconds), strict=True)]
    print(f"{'sum':58}{total[0]:>8,.0f}{total[1]:>13,.0f}{dollars(total[2]):>10}{total[3] / 60:>9.1f}")
    print(*sorted(unpriced), *(f"not estimated: {line}" for line in missed), sep="\n")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m support.runs.notebooks", description=__doc__)
    parser.add_argument("command", choices=("run", "update", "estimate"))
    parser.add_argument("arguments", nargs="*", metavar="KEY=VALUE")
    parser.add_argument("--only", default="", help="part of a notebook's name")
    given = parser.parse_args(arguments)
    try:
        if given.command == "update":
            return update(given.only)
        return {"run": run, "estimate": estimated}[given.command](given.arguments, given.only)
    except ConveneError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
