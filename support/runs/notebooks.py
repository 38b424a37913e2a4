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
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support import ledger
from support.data import ROOT, output, source_digest
from support.errors import (
    BudgetExceeded,
    ConveneError,
    InvalidInput,
    MissingData,
    ModelUnavailable,
)
from support.models import connect, named
from support.models.calls import Call, collected
from support.models.endpoint import Endpoint
from support.models.local import Embedded
from support.models.model import ChatModel
from support.models.money import dollars
from support.models.profiles import MODEL, check_prices, models_in
from support.models.stand_ins import ENDPOINT, stand_in
from support.runs import recordings
from support.runs.estimate import estimate
from support.runs.sweep import Sweep

FOLDER = ROOT / "notebooks"
MONEY, PACE = "BUDGET", "PACE"
READ, LATER, LAST = (
    ("20_", "21_"),
    ("22_", "23_", "24_"),
    "02_",
)  # what 20 and 21 play these read; it what all found
QUEUE = (
    *READ,
    "30_",
    "22_",
    "40_",
    "10_",
    "31_",
    "24_",
)  # then those that take long, so that none ends alone
AT_ONCE = 2  # notebooks without models
HOW = (
    MONEY,
    PACE,
    "CONCURRENCY",
    "RETRY_FAILED",
)  # how a run goes, and not what comes out: one folder, one purse
SAID = re.compile(r"^[\s|+-]*(?:[\w.]+\.)?([A-Z]\w+(?:Error|Exception|Exceeded|Unavailable|Input|Data|File|Miss|Failed|"
                  r"Reply|Full|InUse|Overflow|Sent|Unknown)|KeyboardInterrupt): (.*)", re.M)  # fmt: skip
BEYOND = re.compile(
    r" It was not sent\..*"
)  # that a budget holds no more is said once; the rest stands above
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Partial(Exception):
    """A notebook came to its end, with units that failed."""


def notebooks(only: str = "") -> list[Path]:
    """The notebooks in reading order, those whose name contains `only`, or one of its parts between commas."""
    names = sorted(FOLDER.glob("*.ipynb"))
    if chosen := [
        path for path in names if any(part in path.name for part in only.split(","))
    ]:
        return chosen
    raise InvalidInput(
        f"--only {only!r}: no such notebook; there are {', '.join(p.stem for p in names)}"
    )


def ordered(paths: Iterable[Path]) -> list[Path]:
    """The notebooks in the order in which they are begun."""
    place = {start: number for number, start in enumerate(QUEUE)}
    return sorted(
        paths,
        key=lambda p: (
            p.name.startswith(LAST),
            place.get(p.name[:3], len(place)),
            p.name,
        ),
    )


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
    given: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or key not in known:
            raise InvalidInput(
                f"ARGS: {argument!r} given; expected KEY=VALUE with one of {', '.join(sorted(known))}"
            )
        if isinstance(known[key], list) and not text.lstrip().startswith("["):
            given[key] = [name for part in text.split(",") if (name := part.strip())]
        else:
            own = (
                Path(text).resolve() if "." in text or os.sep in text else None
            )  # the kernels work in another folder
            text = (
                str(own)
                if isinstance(known[key], str) and own and own.exists()
                else text
            )
            given[key] = (
                text if isinstance(known[key], str) else _value(key, text, known[key])
            )
    return given


def _value(key: str, text: str, default: Any) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    number = (
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    )
    paced = key == PACE and (value is None or (type(value) is int and value > 0))
    fits = paced or (
        number
        if key == MONEY or isinstance(default, float)
        else type(value) is type(default)
    )
    if not fits:
        kinds = {MONEY: "US dollars", PACE: "requests a minute"}
        expected = kinds.get(key, f"something like {default!r}")
        raise InvalidInput(f"ARGS: {key}={text!r} given; expected {expected}")
    return value


def execute(
    source: Path, target: Path, parameters: Mapping[str, Any], bar: bool = False
) -> float:
    """Execute one notebook into `target`; return the seconds it took. papermill's error says which cell failed."""
    import papermill

    target.parent.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault(
        "OMP_WAIT_POLICY", "passive"
    )  # threads that spin while they wait cost a busy machine thrice
    started = time.perf_counter()
    papermill.execute_notebook(
        str(source), str(target), parameters=dict(parameters) or None, cwd=str(FOLDER), kernel_name="python3",
        progress_bar={"ncols": 100} if bar else False, log_output=False, extra_arguments=["--log-level=ERROR"],
        iopub_timeout=60,  # seconds that a busy machine may take to pass on what a cell shows
    )  # fmt: skip
    tidy(target)
    return time.perf_counter() - started


def tidy(path: Path) -> None:
    """Leave in an executed notebook what a reader needs: no times of execution, no overwritten progress bars."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"] = {
        k: v
        for k, v in notebook["metadata"].items()
        if k in ("kernelspec", "language_info")
    }
    for cell in notebook["cells"]:
        kept = (
            ("tags", "jupyter")
            if "solution" in cell["metadata"].get("tags", ())
            else ("tags",)
        )
        cell["metadata"] = {
            k: v for k, v in cell["metadata"].items() if k in kept and v
        }
        if "outputs" in cell:
            cell["outputs"] = _one_stream(cell["outputs"])
    path.write_text(
        json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _one_stream(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join what a stream printed piece by piece, as a terminal shows it in the end."""
    joined: list[dict[str, Any]] = []
    for shown in outputs:
        if (
            joined
            and shown["output_type"] == "stream"
            and joined[-1].get("name") == shown["name"]
        ):
            joined[-1]["text"] = [*joined[-1]["text"], *shown["text"]]
        else:
            joined.append(shown)
    for shown in (o for o in joined if o["output_type"] == "stream"):
        lines = "".join(shown["text"]).split("\n")
        shown["text"] = "\n".join(
            line.rstrip("\r").rpartition("\r")[2] for line in lines
        ).splitlines(keepends=True)
    return joined


def run(
    arguments: Sequence[str], only: str = "", again: str = "", purse: str = "make run"
) -> int:
    """Execute the notebooks, and say in the end what became of each; 1 where one failed or is partial.

    `again` is the command that goes on, where it is another than `make run`; what bears the name of `purse` and the
    parameters has one budget.
    """
    paths, given, known = _given(arguments, only)
    if (
        given.get(MONEY) is not None
    ):  # a model without a price is refused before anything is asked
        names = {
            f"{MODEL}:{given.get('MODEL', 'embedded')}",
            *models_in(list(given.values())),
        }
        check_prices(named(name) for name in sorted(names - {MODEL}))
    place, ended = place_of(given), dict[str, list[str]]()
    figures = Path(os.environ.get("CONVENE_FIGURES") or output("figures"))
    os.environ["CONVENE_LEDGER"] = str(place / "ledger")
    os.environ["CONVENE_PURSE"] = (
        f"{purse} {' '.join(f'{k}={v}' for k, v in given.items() if k not in HOW)}".strip()
    )
    order = ordered(paths)
    alone = len(order) == 1 or bool(
        models_in(list(given.values())) or given.get("MODEL")
    )

    def one(path: Path, before: Iterable[Future[Any]]) -> tuple[str, str]:
        wait(before)
        parameters = {k: v for k, v in given.items() if k in known[path]}
        target, stamp = (
            place / "notebooks" / path.name,
            place / "notebooks" / f"{path.stem}.stamp",
        )
        mark = _mark(path, parameters)
        known_already = stamp.exists() and stamp.read_text() == mark and target.exists()
        if (
            known_already
            and any(figures.glob("*/*.png"))
            and not path.name.startswith(LAST)
        ):
            return "up to date", path.stem
        print(head := f"[{order.index(path) + 1}/{len(order)}] {path.name}", flush=True)
        stamp.unlink(
            missing_ok=True
        )  # of an earlier state: what fails now is not up to date
        kind, said = _became(path, target, parameters, alone)
        if kind == "done":
            stamp.write_text(mark)
        print(f"{head}: {said}", flush=True)
        return (
            kind,
            path.stem
            if kind == "done"
            else f"{path.stem}: {BEYOND.sub('', said).partition('. ')[2]}",
        )

    # A model's pace and the calls at a time are each kernel's own, so that with models there is one kernel at a time.
    with ThreadPoolExecutor(1 if alone else AT_ONCE) as pool:
        try:
            begun: dict[Path, Future[tuple[str, str]]] = {}
            for path in order:
                reads = (
                    READ
                    if path.name.startswith(LATER)
                    else ("",)
                    if path.name.startswith(LAST)
                    else ()
                )
                begun[path] = pool.submit(
                    one, path, [begun[p] for p in begun if p.name.startswith(reads)]
                )
            for kind, line in (future.result() for future in begun.values()):
                ended.setdefault(kind, []).append(line)
        except KeyboardInterrupt:
            print(
                "\nStopped. What is finished is kept; the same command goes on.",
                flush=True,
            )
            os._exit(130)  # the kernels end with their parent
        except BaseException:  # of ours: what is not begun is left
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    print("\n" + "\n".join(f"{what}: {len(which)}" for what, which in ended.items()))
    for what in ("left out", "partial", "failed"):
        print(
            *(f"  {what}: {line}" for line in ended.get(what, [])),
            sep="\n",
            end="\n" if what in ended else "",
        )
    print(f"notebooks: {place / 'notebooks'}; figures: {figures}")
    asked = spelt([*arguments, *(["--only", only] if only else [])])
    again = again or (f"make run ARGS={shlex.quote(asked)}" if asked else "make run")
    if stopped := {"failed", "partial"} & set(ended):
        spent = any(
            BudgetExceeded.__name__ in line for line in ended.get("partial", ())
        )
        larger = f", with a larger {MONEY}" if spent else ""
        print(
            f"What is finished is kept, and replies are not paid for again. To go on: {again}{larger}"
        )
    return int(bool(stopped))


def _became(
    path: Path, target: Path, parameters: Mapping[str, Any], bar: bool
) -> tuple[str, str]:
    """Execute a notebook; what became of it (done, partial, left out, failed), and the words that say so."""
    try:
        seconds = execute(path, target, parameters, bar)
        if lacking := _lacking(target):
            raise Partial(lacking)
        return "done", f"{seconds:.0f} s, {target}"
    except Exception as error:  # of the kernel, of papermill, of the disk: the next notebook may do without
        name, said = _reason(target, error)
        kind = (
            "partial"
            if name in (BudgetExceeded.__name__, Partial.__name__)
            else "failed"
        )
        kind = "left out" if name == MissingData.__name__ else kind
        if kind == "failed" and (
            lacking := _lacking(target)
        ):  # too little was left to go on with
            kind, name, said = (
                "partial",
                Partial.__name__,
                f"{lacking} Then: {name}: {said}",
            )
        return kind, f"{kind}. {name}: {said}"


def _given(
    arguments: Sequence[str], only: str
) -> tuple[list[Path], dict[str, Any], dict[Path, dict[str, Any]]]:
    known = {path: parameters_of(path) for path in notebooks(only)}
    given = parse(
        arguments, {k: v for names in known.values() for k, v in names.items()}
    )
    return (
        list(known),
        dict(sorted(given.items())),
        known,
    )  # in any order, one folder and one purse


def spelt(arguments: Iterable[str]) -> str:
    """Arguments as one types them between the single quotes of ARGS: spaces within double ones."""
    return " ".join(re.sub(r"=(.*\s.*)$", r'="\1"', a) for a in arguments)


def place_of(given: Mapping[str, Any]) -> Path:
    """Where results go: build and figures, or, with other participants or numbers, a folder of their own."""
    told = {
        k: "-".join(v) if isinstance(v, list) else str(v)
        for k, v in given.items()
        if k not in HOW
    }
    slug = "_".join(
        f"{k}-{''.join(c if c.isalnum() else '-' for c in v)}" for k, v in told.items()
    )
    place = output("build", "runs", slug).resolve() if slug else output("build")
    if slug:  # the kernels work in the notebooks' folder
        os.environ["CONVENE_FIGURES"] = str(place / "figures")
    return place


def _mark(path: Path, parameters: Mapping[str, Any]) -> str:
    """A sum over all that a notebook's outputs depend on: itself, the package, the inputs, the lock, the parameters.

    Files that a parameter names are among the inputs.
    """
    own = [
        Path(v)
        for v in parameters.values()
        if isinstance(v, str) and v and Path(v).is_file()
    ]
    given = json.dumps(
        {k: v for k, v in parameters.items() if k not in HOW},
        sort_keys=True,
        default=str,
    )
    digest = hashlib.sha256((given + source_digest()).encode())
    for source in (path, ROOT / "requirements.lock", *own):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def outputs_of(path: Path) -> list[dict[str, Any]]:
    """What the cells of an executed notebook show, in order; nothing where it is not there."""
    cells = (
        json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    )
    return [shown for cell in cells for shown in cell.get("outputs", ())]


def _lacking(target: Path) -> str:
    """What an executed notebook says of units that failed, "" where none did."""
    lines = (
        line
        for shown in outputs_of(target)
        for line in "".join(shown.get("text", ())).splitlines()
    )
    return "; ".join(
        dict.fromkeys(line for line in lines if " units have failed. " in line)
    )[:600]


def _reason(target: Path, error: Exception) -> tuple[str, str]:
    """What ended a notebook: the kernel's error, out of the groups that it may stand in."""
    name, said = (
        getattr(error, "ename", type(error).__name__),
        getattr(error, "evalue", str(error)),
    )
    shown = outputs_of(target)[-1:]
    trace = "".join(
        "\n".join(o.get("traceback", ())) + "".join(o.get("text", ())) for o in shown
    )
    if name in ("CellExecutionError", "ExceptionGroup") and (
        inner := SAID.findall(COLOURS.sub("", trace))
    ):
        name, said = inner[-1]  # a kernel prints a group, and tells nothing else of it
    return name, " ".join(said.split())[:600]


def update(only: str = "") -> int:
    """Execute the notebooks in place, with the parameters that they state; the committed ledger is theirs."""
    os.environ["CONVENE_LEDGER"] = str(ledger.COMMITTED)
    for path in ordered(notebooks(only)):
        print(f"{path.name}: {execute(path, path, {}):.0f} s", flush=True)
    return 0


# ---- what a run would ask --------------------------------------------------------------------------------------------


def _code(path: Path) -> list[tuple[str, list[str]]]:
    """The code cells of a notebook, with their tags."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        ("".join(c["source"]), c["metadata"].get("tags", []))
        for c in cells
        if c["cell_type"] == "code"
    ]


def asking(path: Path) -> list[ast.stmt]:
    """The statements that wait for something, and those that they need, in order, of a notebook that names a model."""
    every = [
        one
        for source, tags in _code(path)
        if "parameters" not in tags
        for one in ast.parse(source).body
    ]
    if not any(MODEL in ast.unparse(one).lower() for one in every):
        return []
    own = {
        name
        for one in every
        if not isinstance(one, ast.Import | ast.ImportFrom)
        for name in _made(one)
    }
    wanted, kept = set[str](), list[ast.stmt]()
    for one in reversed(every):
        nodes, made = list(ast.walk(one)), _made(one)
        if (made | {_base(n) for n in nodes} & own) & wanted or any(
            isinstance(n, ast.Await) for n in nodes
        ):
            anew = isinstance(
                one, ast.Assign | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            )
            used = {
                n.id
                for n in nodes
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            }
            wanted = (wanted - made if anew else wanted) | used
            kept.insert(0, one)
    return kept


def _made(statement: ast.stmt) -> set[str]:
    """What a statement gives a name."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {a.asname or a.name.partition(".")[0] for a in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        n.id
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _base(node: ast.AST) -> str:
    """What is changed in place, or called for what it does: `rows` in `rows.append(1)` and in `rows[0] = 1`."""
    call = node.value if isinstance(node, ast.Expr) else None
    found = call.func if isinstance(call, ast.Call) else node
    stored = found is not node or isinstance(getattr(node, "ctx", None), ast.Store)
    while stored and isinstance(found, ast.Attribute | ast.Subscript):
        found = found.value
    return found.id if stored and isinstance(found, ast.Name) else ""


class _Asked:
    """What the cells of a notebook would ask: a row for each sweep, and for each model asked outside of one."""

    def __init__(self) -> None:
        self.rows: list[
            tuple[str, float, float, float | None, float]
        ] = []  # study, calls, tokens, dollars, seconds
        self.unpriced: set[str] = set()
        self.missed: list[str] = []
        self.models: dict[str, ChatModel] = {}
        self.seen: set[tuple[str, str, Path]] = (
            set()
        )  # a sweep that is run again goes on with what is finished

    async def sweep(
        self,
        sweep: Sweep,
        store: Any,
        *,
        model: ChatModel | str | None = None,
        **options: Any,
    ) -> None:
        """In the place of `Sweep.run`."""
        known = (sweep.name, repr(sweep.parameters), store.path)
        again = known in self.seen
        self.seen.add(known)
        fake = isinstance(model, ChatModel) and (
            model.endpoint != ENDPOINT or model.name not in self.models
        )
        if again or fake or (model is None and not set(sweep.models) - {MODEL}):
            return
        context = {
            k: v
            for k, v in options.items()
            if k not in ("on", "progress", "retry_failed", "budget_usd")
        }
        guess = await estimate(
            sweep,
            model.name if isinstance(model, ChatModel) else model,
            sample=2,
            **context,
        )
        if guess.calls.worst:
            used = guess.prompt_tokens.expected + guess.completion_tokens.expected
            usd = guess.usd.expected if guess.usd else None
            self.unpriced |= {
                line for line in guess.assumptions if line.startswith("No price")
            }
            self.rows.append(
                (sweep.name, guess.calls.expected, used, usd, guess.seconds.expected)
            )

    def calls(self, what: str, calls: Sequence[Call]) -> None:
        """Calls outside of sweeps, by the model that they would go to."""
        for name, model in self.models.items():
            mine = [
                call
                for call in calls
                if (call.model, call.endpoint) == (name, ENDPOINT)
            ]
            read, written = (
                sum(getattr(c, f"{part}_tokens") for c in mine)
                for part in ("prompt", "completion")
            )
            usd = model.price.cost(read, written) if model.price else None
            self.rows += (
                [(what, len(mine), read + written, usd, 0.5 * len(mine) + written / 50)]
                if mine
                else []
            )


@contextlib.contextmanager
def _estimating(asked: _Asked) -> Iterator[None]:
    """While it lasts, sweeps are estimated instead of run, and whoever connects a model gets a stand-in."""

    async def instead(sweep: Sweep, store: Any, **options: Any) -> Counter[str]:
        await asked.sweep(sweep, store, **options)
        return Counter(done=0, failed=0, replies=0, format_errors=0)

    def other(
        model: str = "embedded", base_url: str | None = None, **options: Any
    ) -> ChatModel:
        if options.get("offline"):
            return stand_in(name="replayed")
        known = asked.models.setdefault(
            model, connect(model, base_url=base_url, api_key="not asked")
        )
        return stand_in(name=model, profile=known.profile)

    async def shut(transport: Any, request: Any) -> Any:
        raise ModelUnavailable(f"{transport.model!r} was about to be asked")

    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.object(Sweep, "run", instead))
        stack.enter_context(patch("support.models.connect", other))
        stack.enter_context(
            patch.object(
                recordings, "replayed", lambda name, path: stand_in(name="replayed")
            )
        )
        for kind in (Endpoint, Embedded):
            stack.enter_context(patch.object(kind, "complete", shut))
        yield


async def _estimated(path: Path, given: Mapping[str, Any], asked: _Asked) -> None:
    space = {
        "__name__": "__main__",
        "display": lambda *shown: None,
        **parameters_of(path),
        **given,
    }
    because: Exception | None = None
    for statement in asking(path):
        lines, before = ast.unparse(statement).splitlines(), len(asked.seen)
        asks = any(isinstance(node, ast.Await) for node in ast.walk(statement))
        line = next((line for line in lines if "await" in line), lines[0]).strip()[:60]
        code = compile(
            ast.Module([statement], []),
            path.name,
            "exec",
            flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        )
        with collected() as calls, contextlib.redirect_stdout(io.StringIO()):
            try:
                if (waits := eval(code, space)) is not None:
                    await waits
            except Exception as error:  # what rests on records that nobody played: it is said, and the rest estimated
                follows, because = (
                    isinstance(error, NameError) and because is not None,
                    because or error,
                )
                cause = (
                    because if follows else error
                )  # what left a name without its value
                told = (
                    f"{path.stem}: {line}… ({type(cause).__name__}: {str(cause)[:80]})"
                )
                if (
                    len(asked.seen) > before
                ):  # it has counted its sweeps, and then wants their records
                    told = f"{path.stem}: what rests on the records of sweeps that nobody has played yet"
                if asks and told not in asked.missed and not (follows and asked.missed):
                    asked.missed.append(told)
        asked.calls(f"asked directly: {line}", calls)


def estimated(arguments: Sequence[str], only: str = "") -> int:
    """Print what a run would ask, notebook by notebook and study by study."""
    os.environ["MPLBACKEND"] = "Agg"
    paths, given, known = _given(arguments, only)
    total, missed, unpriced = [0.0] * 4, list[str](), set[str]()
    print(f"{'':58}{'calls':>8}{'tokens':>13}{'dollars':>12}{'minutes':>9}")
    with (
        tempfile.TemporaryDirectory() as scratch,
        patch.dict(os.environ, {"CONVENE_OUTPUT": scratch}),
    ):
        for path in paths:
            asked, mine = (
                _Asked(),
                {k: v for k, v in given.items() if k in known[path] and k != MONEY},
            )
            with _estimating(asked):
                asyncio.run(_estimated(path, mine, asked))
            missed, unpriced = missed + asked.missed, unpriced | asked.unpriced
            for study, calls, tokens, usd, seconds in asked.rows:
                shown = "no price" if usd is None else dollars(usd)
                print(
                    f"{path.stem[:2]} {study[:54]:55}{calls:>8,.0f}{tokens:>13,.0f}{shown:>12}{seconds / 60:>9.1f}"
                )
                total = [
                    a + b
                    for a, b in zip(
                        total, (calls, tokens, usd or 0.0, seconds), strict=True
                    )
                ]
    shown = "no price" if unpriced and not total[2] else dollars(total[2])
    print(
        f"{'sum':58}{total[0]:>8,.0f}{total[1]:>13,.0f}{shown:>12}{total[3] / 60:>9.1f}"
    )
    print(*sorted(unpriced), *(f"not estimated: {line}" for line in missed), sep="\n")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m support.runs.notebooks", description=__doc__
    )
    parser.add_argument("command", choices=("run", "update", "estimate"))
    parser.add_argument("arguments", nargs="*", metavar="KEY=VALUE")
    parser.add_argument("--only", default="", help="part of a notebook's name")
    given = parser.parse_intermixed_args(arguments)
    try:
        if given.command == "update":
            if given.arguments:
                raise InvalidInput(
                    f"{given.arguments[0]!r} given; update takes the parameters that notebooks state"
                )
            return update(given.only)
        return {"run": run, "estimate": estimated}[given.command](
            given.arguments, given.only
        )
    except ConveneError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
