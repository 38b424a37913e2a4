"""The front door: what is decided, what is varied, who sits, how many groups; then run, compare, fork, pack.

    study = Study("first", "exchange_economy", rule=["majority", "ranked"], seats="mixed", groups=20)
    await study.run()
    study.compare("utility@3", by="rule")
    forked = await study.fork(after=3, rule="ranked").run()
    forked.compare("utility@10", by="then")
    study.package("first.zip")

It is thin: a `sweep` in a `store`, tidy frames and paired tests, all reachable.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from importlib.metadata import distributions
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from support.analysis import stats
from support.analysis.frames import need_columns, numbers
from support.analysis.metrics import run_metrics
from support.errors import DamagedFile, InvalidInput
from support.prompts import listed
from support.roundtable.fork import Start, starting
from support.roundtable.mechanism import ROUNDTABLE, stages, stages_of
from support.roundtable.records import ENVIRONMENTS, PLACES, Transcript
from support.runs.estimate import estimate
from support.runs.frames import cells, export, head
from support.runs.study import Row, Store, Unit
from support.runs.sweep import VERSIONS, Sweep
from support.simulations import STUDIES

FILE = "study.sqlite"
SETTINGS = "study.json"
TREATED = ("without", "silent")
VERIFY = """from pathlib import Path

from support.study import verify

print(verify(Path(__file__).parent))
print("verified")
"""


class Expectation(NamedTuple):
    """A line of a plan: `value` under `a` less that under `b`, two conditions of `by`, is between `least` and `most`."""

    value: str
    by: str
    a: Any
    b: Any
    where: str = ""
    least: float = -math.inf
    most: float = math.inf

    def verdict(self, low: float, high: float) -> str:
        """What a 95 % interval of the difference says.

        >>> one = Expectation("utility@3", "rule", "ranked", "majority", least=0)
        >>> one.verdict(1, 5), one.verdict(-5, -1), one.verdict(-1, 5)
        ('holds', 'does not', 'too little data')
        """
        if self.least <= low and high <= self.most:
            return "holds"
        outside = high < self.least or low > self.most
        return "does not" if outside else "too little data"


class Study:
    """Groups that decide under every condition: a setting that is given as a list is a condition for each value.

    `decide` is "exchange_economy", "movielens" or a study function, and the settings are those that it takes: of the
    exchange economy `rule`, `seats`, `mechanism`, `rounds`, `agents`, `prompts`, … (`support.roundtable.study`).
    Repetition r is the same group everywhere, so that comparisons are paired. `store` is a file, by default
    study.sqlite in the folder that you are in, or an open `Store`: what is in it is neither played nor paid for again.
    """

    def __init__(
        self,
        name: str,
        decide: str | Callable[..., Any],
        *,
        groups: int,
        seed: int = 1,
        store: str | Path | Store = FILE,
        **varied: Any,
    ) -> None:
        studies: Any = STUDIES
        play = studies.get(decide, decide)
        if isinstance(play, str):
            known = f"one of {', '.join(STUDIES)}, or a study function"
            raise InvalidInput(f"decide: {decide!r} given; expected {known}")
        grid = {setting: _listed(value) for setting, value in varied.items()}
        for setting, values in grid.items():
            if any(values.count(value) > 1 for value in values):
                seats = " (a kind for each seat is {name: kind})"
                hint = seats if setting == "seats" else ""
                raise InvalidInput(
                    f"{setting}: {values!r} given; expected each condition once{hint}"
                )
        self.sweep = Sweep(name, play, grid, groups, seed, list(grid))
        self.store = store if isinstance(store, Store) else Store(store)

    @classmethod
    def of(cls, sweep: Sweep, store: Store) -> Study:
        """The study of a sweep that there is already."""
        study = cls.__new__(cls)
        study.sweep = sweep
        study.store = store
        return study

    def __repr__(self) -> str:
        left = self.sweep.missing(self.store)
        return f"<Study {self.sweep.name!r}: {left} discussions left to play>"

    async def estimate(self, **context: Any) -> pd.DataFrame:
        """What the units that are left will ask of each model, and cost; asks nobody."""
        return await estimate(self.sweep, self.store, **context)

    async def run(self, budget: float | None = None, **how: Any) -> Study:
        """Play what is left, for so many US dollars at most; `how` is that of `Sweep.run`.

        `model=` is who answers for seats named "model"; with on_error="raise" the first failure shows where it arose.
        """
        await self.sweep.run(self.store, budget_usd=budget, **how)
        return self

    @property
    def table(self) -> pd.DataFrame:
        """One row a group and condition: settings, repetition, what became of it, metrics."""
        rows = []
        for unit, record in self.sweep.records(self.store):
            settings = _conditions(unit)
            rows.append(
                {
                    **settings,
                    **_outcome(record),
                    **settings,
                }
            )
        return pd.DataFrame(rows)

    def compare(
        self,
        value: str,
        by: str,
        where: str = "",
        reference: Any = None,
    ) -> pd.DataFrame:
        """Differences of `value` between the conditions of `by`, paired by group: interval, size, Holm (`stats.compare`).

        `where` is a query of the table. A group counts once: its value is the mean over futures and other conditions.
        """
        means = self._means(value, by, where)
        tidy = means.melt(ignore_index=False, value_name=value).reset_index()
        return stats.compare(tidy, value, by, "repetition", reference)

    def _means(
        self,
        value: str,
        by: str,
        where: str = "",
    ) -> pd.DataFrame:
        """By group and condition of `by`; another condition counts where it is whole."""
        runs = self._played()
        need_columns(runs, [value, by])
        names = _conditions(next(self.sweep.units())).keys() - {"repetition"}
        if by not in names:
            known = ", ".join(sorted(names))
            raise InvalidInput(f"by: {by!r} given; expected a setting: {known}")
        chosen = _where(runs, where)
        chosen = chosen.assign(**{value: numbers(chosen, value)})
        names -= {
            by,
            *(f"{name} source" for name in names),
        }  # of an object: no condition
        wide = chosen.pivot(
            index=["repetition", *sorted(names)],
            columns=by,
            values=value,
        )
        means = wide.dropna().groupby("repetition").mean()
        return means.reindex(chosen["repetition"].unique(), columns=chosen[by].unique())

    def _played(self) -> pd.DataFrame:
        """The table, where there is one."""
        runs = self.table
        if runs.empty:
            wanted = "play it first: await study.run()"
            raise InvalidInput(f"{self.sweep.name}: no group is finished; {wanted}")
        return runs

    # ---- what would have been ------------------------------------------------------------------------------------

    def fork(
        self,
        after: Any,
        *,
        futures: int = 0,
        **changed: Any,
    ) -> Study:
        """These groups as they were up to a round, and then on under something else: conditions `then`.

        `changed` are settings of the study, `seats` of newcomers alone among them; or names: `without`, whose message
        in the next round nobody hears, and `silent`, who write none from then on. A list is a condition for each
        value; "as it was" stands beside them. With `futures` each goes on so many times, with draws that all
        conditions share; without, with the draws that it had.
        """
        origin = self.sweep
        path = self.store.path
        code = self.store.code

        async def forked(
            rng: Any,
            of: Row,
            after: int,
            then: Row,
            future: int | None = None,
            repetition: int = 0,
            **context: Any,
        ) -> Any:
            """One stored discussion, changed and played on."""
            unit = Unit(origin.name, json.dumps(of, sort_keys=True), repetition)
            with closing(Store(path, code)) as store:
                stored: Any = store.record(unit)
            start = _start(stored, after, then, future)
            if not then and future is None:  # nothing is changed or drawn
                told = {**stored.settings, "fork": start.settings}
                return replace(stored, settings=told)
            new = {k: then[k] for k in then.keys() - {*TREATED, "seats"}}
            with starting(start):
                return await origin.study(**origin.arguments(unit, context) | new)

        if not isinstance(futures, int) or futures < 0:
            raise InvalidInput(f"futures: {futures!r} given; expected 0 or more")
        values = product(*map(_listed, changed.values()))
        many = [dict(zip(changed, value, strict=True)) for value in values]
        self._played()
        _, stored = next(origin.records(self.store))
        for after_round, then in product(_listed(after), many):
            _start(stored, after_round, then)  # refused at once, not unit by unit
            stages(then.get("mechanism", ROUNDTABLE), then.get("rule", stored.rule))
            new = {name: [None] for name in then.keys() - {*TREATED, "seats"}}
            replace(origin, grid={**origin.grid, **new}).check({})
        settings = [unit.settings for unit in origin.units() if not unit.repetition]
        grid: Row = {
            "of": settings,
            "after": _listed(after),
            "then": [*filter(None, many), {}],
            "future": [*range(futures)] or [None],
        }
        name = f"{origin.name}, then {'; '.join(map(_worded, many))}"
        how: Row = {
            "groups": origin.repetitions,
            "seed": origin.seed,
            "store": self.store,
        }
        return Study(name, forked, **how, **grid)

    # ---- a plan before the results -------------------------------------------------------------------------------

    def register(self, plan: str | Path) -> str:
        """Keep what is expected, before anybody is asked; the sum of plan, settings and code.

        A plan is TOML with a table `expect.NAME` for each `Expectation`.
        """
        text = Path(plan).read_text(encoding="utf-8")
        levels = pd.DataFrame(map(_conditions, self.sweep.units()))
        for name, one in _expected(text).items():
            there = levels.get(one.by, pd.Series()).unique().tolist()
            if one.a not in there or one.b not in there:
                said = f"plan: {name} compares {one.a!r} and {one.b!r}"
                raise InvalidInput(f"{said}; expected conditions of {one.by}: {there}")
        promise = self._promise(text)
        kept = self.store.record(self._plan)
        rows = self.store.units(self.sweep.name).values()
        if kept is None and all(row["status"] != "done" for row in rows):
            self.store.add(self._plan, promise)
        elif kept != promise:
            said = "there are results, or another plan, already"
            raise InvalidInput(f"register: {said}; give this study another name")
        return promise["sha256"]

    def verdicts(self) -> pd.DataFrame:
        """Each expectation with what came, each on its own, by its 95 % interval: holds, does not, too little data."""
        kept = self.store.record(self._plan)
        if kept is None or kept != self._promise(kept["plan"]):
            raise InvalidInput(
                "verdicts: no plan was registered for the study as it is"
            )
        rows = {}
        for name, one in _expected(kept["plan"]).items():
            means = self._means(one.value, one.by, one.where)
            gap = (means[one.a] - means[one.b]).to_frame("gap")
            [row] = stats.describe(gap, "gap").to_dict("records")
            rows[name] = {**row, "verdict": one.verdict(row["low"], row["high"])}
        return pd.DataFrame.from_dict(rows, orient="index")

    @property
    def _plan(self) -> Unit:
        return Unit(f"{self.sweep.name}, plan", "{}", 0)

    def _promise(self, plan: str) -> Row:
        """A plan with a sum over it, the settings, and the code."""
        about = [plan, self.sweep.parameters, self.sweep.identity({})]
        text = json.dumps(about, sort_keys=True, default=str)
        return {"plan": plan, "sha256": _sum(text.encode())}

    # ---- for others ----------------------------------------------------------------------------------------------

    def package(self, path: str | Path) -> Path:
        """All that another needs to count again, as a zip: records, replies, tables, settings, versions, `verify.py`."""
        sweep = self.sweep
        identity = sweep.identity({})
        del identity["context"]
        self.store.register(sweep.name, identity)  # refused where other code played it
        how = {
            "name": sweep.name,
            "groups": sweep.repetitions,
            "seed": sweep.seed,
        }
        grid = {name: sweep.parameters[name] for name in sweep.grid}
        lock = sorted(f"{one.name}=={one.version}" for one in distributions())
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            about = {
                "study": how | grid,
                "identity": identity,
                "versions": VERSIONS,
                "mark": self.store.code,
                "sha256": _sums(self._export(folder)),
            }
            self.store.select("VACUUM INTO ?", [str(folder / FILE)])
            (folder / SETTINGS).write_text(json.dumps(about, indent=1))
            (folder / "requirements.txt").write_text("\n".join(lock))
            (folder / "verify.py").write_text(VERIFY)
            name = Path(path).with_suffix("")
            return Path(shutil.make_archive(str(name), "zip", folder))

    def _export(self, folder: Path) -> list[Path]:
        runs = self._played()
        return export(self.sweep, self.store, folder, "csv", prompts=True, runs=runs)


def verify(folder: Path) -> str:
    """Make the tables of a package again from its study's file: their sums; DamagedFile where they are others."""
    about = json.loads((folder / SETTINGS).read_text())
    with TemporaryDirectory() as scratch:
        copy = shutil.copy(folder / FILE, scratch)
        with closing(Store(copy, about["mark"])) as store:
            any_study = next(iter(STUDIES))  # none is played
            study = Study(
                decide=any_study,
                store=store,
                **about["study"],
            )
            again = _sums(study._export(Path(scratch, "again")))
    packed = _sums(folder / name for name in again)
    for name, digest in about["sha256"].items():
        if not digest == again[name] == packed[name]:
            raise DamagedFile(
                f"{name} is not what the records give: restore the package; or let verify.py import "
                "first what registers your own environment; or take the code that packed it"
            )
    return "\n".join(f"{digest}  {name}" for name, digest in packed.items())


def _sums(files: Iterable[Path]) -> dict[str, str]:
    return {one.name: _sum(one.read_bytes()) for one in files}


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _start(
    stored: Any,
    after: int,
    then: Row,
    future: int | None = None,
) -> Start:
    """Where a stored discussion goes on, after a round, under something else."""
    if not isinstance(stored, Transcript) or "fork" in stored.settings:
        wanted = "a finished discussion of the round table that is no fork"
        given = "a fork" if isinstance(stored, Transcript) else type(stored).__name__
        raise InvalidInput(f"fork: {given} given; expected {wanted}")
    stages_of(stored)  # all of them are known by name
    if not isinstance(after, int):
        raise InvalidInput(f"after: {after!r} given; expected the number of a round")
    if not isinstance(then.get("seats", {}), Mapping):
        wanted = "newcomers by name, such as {'Ana': 'conceder'}"
        raise InvalidInput(f"seats: {then['seats']!r} given; expected {wanted}")
    who = {name: tuple(_listed(then.get(name, []))) for name in TREATED}
    named = {*who["without"], *who["silent"], *then.get("seats", {})}
    if strangers := named - {*stored.seats}:
        there = ", ".join(stored.seats)
        raise InvalidInput(
            f"fork: {', '.join(sorted(strangers))} given; expected some of {there}"
        )
    within = "Messages" if who["without"] else ""
    return Start(stored, after + 1, within, future, **who, seats=then.get("seats", {}))


def _where(runs: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows that a query of the user's chooses."""
    if not where:
        return runs
    wanted = "a condition, such as \"rule == 'ranked'\", on columns of the table"
    try:
        chosen = runs.query(where)
    except Exception as error:  # pandas has many, in words of its parser
        told = f"where: {where!r} given ({error}); expected {wanted}: "
        raise InvalidInput(told + ", ".join(map(str, runs))) from None
    if chosen.empty:
        raise InvalidInput(
            f"where: no row of {len(runs)} has {where}; expected {wanted}"
        )
    return chosen


def _expected(plan: str) -> dict[str, Expectation]:
    try:
        lines = tomllib.loads(plan)["expect"]
        return {name: Expectation(**one) for name, one in lines.items()}
    except (KeyError, TypeError, ValueError) as error:
        fields = ", ".join(Expectation._fields)
        raise InvalidInput(
            f"plan: {error}; expected [expect.NAME] with {fields}"
        ) from None


def _conditions(unit: Unit) -> Row:
    """What a row begins with; of a fork, the settings of what it goes on from are among them."""
    settings = unit.settings
    of = settings.pop("of", {})
    if "then" in settings:
        settings["then"] = _worded(settings["then"])
    return head(unit._replace(text=json.dumps(of | settings)))


def _worded(then: Row) -> str:
    """A change in words.

    >>> _worded({"rule": "ranked", "silent": ["Ana", "Ben"]}), _worded({})
    ('rule ranked, silent Ana and Ben', 'as it was')
    >>> _worded({"mechanism": ROUNDTABLE})
    'mechanism roundtable'
    """
    words = []
    for name, value in then.items():
        text = getattr(value, "name", None) or cells({name: value})[name]
        words.append(f"{name} {listed(value) if isinstance(value, list) else text}")
    return ", ".join(words) or "as it was"


def _outcome(record: Any) -> Row:
    """What a record says of itself, and the metrics of a discussion.

    Whose environment is not known by name has none: a warning says so, once.
    """
    row = cells(getattr(record, "summary", record))
    if not isinstance(record, Transcript):
        return row
    name = record.environment["name"]
    if name in ENVIRONMENTS:
        return row | run_metrics(record)
    lacking = f"no metrics of {name!r}: put its environment into {PLACES}"
    warnings.warn(lacking, stacklevel=3)
    return row
