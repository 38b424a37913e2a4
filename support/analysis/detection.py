"""Which policies apply, and what should be asked about: selectors and detectors put to
the test (002, section 4), on suites of the project's own (`data/inputs/seminar/TESTS.md`).

Whoever is tested sees what a role sees, and never the truth, which is set beside the
answer afterwards. Two tidy frames hold the answers, a row each: selections (technique,
run, item, selected, applies: ids of policies, the second the truth; problem) and verdicts
(technique, run, item, case, flag: the truth, flagged; problem). Runs that repeat the same
items differ by a model's temperature alone: tests over runs, items and whole cases drawn
anew stand side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns
from support.analysis.stats import cluster_bootstrap
from support.errors import InvalidInput, MalformedReply
from support.models.profiles import MODEL
from support.seats import TEMPERATURE as DETECTING
from support.seats import Repeated, Spoken
from support.seminar.acts import seat_detector, selecting
from support.seminar.books import Books, Contact
from support.seminar.data import ORGANISER, Persona, passed, rows, scenario
from support.seminar.desk import Desk
from support.seminar.policies import PolicySet, applies
from support.seminar.records import REPLY, Mail

if TYPE_CHECKING:
    from support.models.model import ChatModel

RUNS = 3
"""Of every condition in the paper."""
LITERAL, EVERY = "literal", "every policy"
CONTEXTS = SPEAKER, SLOT, BOTH, SUMMARY = "speaker", "slot", "both", "summary"
SELECTING = 1.0
"""The temperature of section 4.1.1."""

# ---- the suites ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply, and whether the organiser has to decide about it; of one `case` all stay
    on one side of a split. `voice` is who speaks, or, of test replies, the topic."""

    id: str
    text: str
    flag: bool
    case: str
    voice: str = ""


@dataclass(frozen=True)
class JudgedState:
    """A morning's books, an assistant's report on them, and the policies that apply."""

    id: str
    books: Books
    summary: str
    applies: tuple[str, ...]
    why: str


def edge_cases() -> list[JudgedReply]:
    """100 replies: 20 cases in five voices each."""
    found = []
    for case in rows("edge_cases.toml", "case"):
        for voice, text in case["voices"].items():
            name = f"{case['id']}, {voice}"
            found.append(JudgedReply(name, text, case["flag"], case["id"], voice))
    return found


def held_out_replies() -> list[JudgedReply]:
    """60 replies by another author."""
    found = rows("test_replies.toml", "reply")
    return [
        JudgedReply(e["id"], e["text"], e["flag"], e["id"], e["topic"]) for e in found
    ]


def held_out_states() -> list[JudgedState]:
    """30 states by another author."""
    return [
        JudgedState(e["id"], _books(e), e["summary"], tuple(e["applies"]), e["why"])
        for e in rows("test_states.toml", "state")
    ]


def _books(entry: Any) -> Books:
    """Work began long before: of a state some dates may be over."""
    people = [
        Persona(s["name"], s["name"], f"{k}@example.org", s["role"])
        for k, s in enumerate(entry["speakers"])
    ]
    slots = tuple(date.fromisoformat(s["date"]) for s in entry["slots"])
    begun: Any = {"start": date(2026, 1, 5), "deadline": slots[-1], "slots": slots}
    books = Books(replace(scenario("four"), people=tuple(people), **begun))
    books.today = date.fromisoformat(entry["today"])
    for given in entry["speakers"]:
        contact = books.contacts[given["name"]]
        for what in ("mails", "answered"):
            getattr(contact, what).extend(map(date.fromisoformat, given[what]))
        contact.can = {*map(date.fromisoformat, given["available"])}
        contact.perhaps = {*map(date.fromisoformat, given["vague"])}
    for slot, given in zip(slots, entry["slots"], strict=True):
        if given["speaker"]:
            books.enter("given", given["speaker"], slot)
    return books


def one_voice(replies: Sequence[JudgedReply]) -> list[JudgedReply]:
    """One reply of each case, its voices in turn: a subset that holds every case.

    >>> [reply.voice for reply in one_voice(edge_cases())[:3]]
    ['renowned', 'junior', 'finishing']
    """
    by_case: dict[str, list[JudgedReply]] = {}
    for reply in replies:
        by_case.setdefault(reply.case, []).append(reply)
    return [voices[k % len(voices)] for k, voices in enumerate(by_case.values())]


# ---- selections ------------------------------------------------------------------------


def contexts(state: JudgedState) -> dict[str, str]:
    """What is told in the four contexts: who is pending, which dates are open, both, or a
    report in prose."""
    books = state.books
    pending = [f"- {c.name}: {_reached(books, c)}" for c in books.waiting]
    speaker = "\n".join(["Speakers pending:", *(pending or ["- none"])])
    told = []
    for what, free in (("filled", False), ("open", True)):
        dates = [str(slot) for slot in books.holders if (slot in books.free) is free]
        told.append(f"Dates {what}: {', '.join(dates) or 'none'}")
    slot = "\n".join(told)
    both = f"{slot}\n{speaker}"
    return {SPEAKER: speaker, SLOT: slot, BOTH: both, SUMMARY: state.summary}


def _reached(books: Books, contact: Contact) -> str:
    if not contact.mails:
        return "not written to yet"
    count, last = len(contact.mails), contact.mails[-1]
    times = {1: "once", 2: "twice"}.get(count, f"{count} times")
    days = passed(last, books.today)
    ago = f"{days} working day{'' if days == 1 else 's'} ago"
    said = f"written to {times}, last on {last} ({ago})"
    if not contact.answered:
        return f"{said}, has never answered"
    said = f"{said}, last answered on {contact.answered[-1]}"
    return f"{said}, {contact.unanswered} unanswered" if contact.unanswered else said


def technique(context: str, listed: bool) -> str:
    """The context's name where it is put as in the paper's prompts, which list the
    policies under *summary* alone, and with what is changed elsewhere.

    >>> technique("slot", False), technique("slot", True), technique("summary", False)
    ('slot', 'slot, listed', 'summary, not listed')
    """
    if listed == (context == SUMMARY):
        return context
    return f"{context}, listed" if listed else f"{context}, not listed"


async def model_selections(
    model: ChatModel | str,
    states: Sequence[JudgedState],
    policies: PolicySet,
    listed: bool,
    temperature: float = SELECTING,
) -> pd.DataFrame:
    """What a model selects in each state under each context, in each of `RUNS`, shown
    the list of policies or not.

    An answer that did not fit its form counts as none selected, and `problem` says why.
    """

    async def one(context: str, run: int, state: JudgedState) -> dict[str, Any]:
        """What is selected in one state."""
        act = selecting(listed, quotes=context == SUMMARY)
        spoken = Spoken(temperature=temperature, repetition=run - 1)
        seat = Repeated(model, {"select": act}, spoken=spoken)
        desk = Desk(state.books, policies)
        found, problem = (), ""
        try:
            found = await seat.select(desk, contexts(state)[context])
        except MalformedReply as error:
            problem = str(error)
        named = {"technique": technique(context, listed), "listed": listed, "run": run}
        given = {"item": state.id, "selected": found, "applies": state.applies}
        return {**named, **given, "problem": problem}

    asked = [
        one(context, run, state)
        for context in CONTEXTS
        for run in range(1, RUNS + 1)
        for state in states
    ]
    return pd.DataFrame(await asyncio.gather(*asked))


def literal_selections(
    states: Sequence[JudgedState], policies: PolicySet
) -> pd.DataFrame:
    """What the literal reading of the policies selects, and the floor that selects every
    one: one run of each."""
    found = []
    for name in (LITERAL, EVERY):
        for one in states:
            some = policies.ids if name == EVERY else applies(policies, one.books)
            row = {"technique": name, "run": 1, "item": one.id, "selected": some}
            found.append(row | {"applies": one.applies, "problem": ""})
    return pd.DataFrame(found)


# ---- verdicts --------------------------------------------------------------------------


async def verdicts(
    name: str,
    detector: Any,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    run: int = 1,
) -> pd.DataFrame:
    """What a detector, anything with `async check(mail, desk)`, says of each reply, given
    as a mail that states nothing as data; `name` it.

    An answer that did not fit its form counts as clear: nobody would have been asked;
    `problem` says why.
    """
    seated, programme = seat_detector(detector), scenario("four")
    desk, who = Desk(Books(programme), policies), programme.people[0].name

    async def one(reply: JudgedReply) -> tuple[bool, str]:
        """Whether a reply is flagged, and what was amiss."""
        mail = Mail(1, 1, REPLY, who, ORGANISER, body=reply.text)
        try:
            said = await seated.check(mail, desk)
        except MalformedReply as error:
            return False, str(error)
        return said.flag, ""

    found = await asyncio.gather(*map(one, replies))
    frame = judged(name, [flag for flag, _ in found], replies, run)
    return frame.assign(problem=[problem for _, problem in found])


async def model_verdicts(
    model: ChatModel | str,
    replies: Sequence[JudgedReply],
    policies: PolicySet,
    shots: str,
    temperature: float = DETECTING,
) -> pd.DataFrame:
    """A language model's `verdicts` in one of the paper's settings (`acts.SHOTS`), in
    each of `RUNS`; the setting names it."""
    asked = []
    for run in range(1, RUNS + 1):
        seat = seat_detector(MODEL, shots, Spoken(model, temperature, run - 1))
        asked.append(verdicts(shots, seat, replies, policies, run))
    return pd.concat(await asyncio.gather(*asked), ignore_index=True)


def judged(
    name: str, flagged: Sequence[bool], replies: Sequence[JudgedReply], run: int = 1
) -> pd.DataFrame:
    """Verdicts that are there already, such as those of a cross-validation, as
    `verdicts` gives them."""
    frame = pd.DataFrame([asdict(reply) for reply in replies]).drop(columns="text")
    frame = frame.rename(columns={"id": "item"})
    told: Any = {"flagged": np.asarray(flagged, bool), "problem": ""}
    return frame.assign(technique=name, run=run, **told)


# ---- scores ----------------------------------------------------------------------------


def _f1(counts: pd.DataFrame) -> pd.Series[float]:
    """F1 of each row's hits, chosen and true: 1 where both sides are empty, 0 where one
    is."""
    both = counts["chosen"] + counts["true"]
    return (2 * counts["hits"] / both.where(both > 0)).fillna(1.0)


def selection_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """The selections with chosen, true, hits (counts), right (1.0: the very set), f1."""
    _check(frame, "selected", "applies")
    pairs = zip(frame["selected"], frame["applies"], strict=True)
    counts = [
        (len({*some}), len({*true}), len({*some} & {*true}), {*some} == {*true})
        for some, true in pairs
    ]
    names = ["chosen", "true", "hits", "right"]
    scored = frame.join(pd.DataFrame(counts, frame.index, names).astype(float))
    return scored.assign(f1=_f1(scored))


def selection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each technique and run: n (states), f1 (mean over states), micro_f1 (of
    all policies of all states thrown together; the paper does not say which it prints),
    right (share of states with the very set)."""
    runs = selection_scores(frame).groupby(["technique", "run"], sort=False)
    micro = _f1(runs[["hits", "chosen", "true"]].sum())
    means = runs[["f1", "right"]].mean()
    return means.assign(n=runs.size(), micro_f1=micro).reset_index()


def with_right(frame: pd.DataFrame) -> pd.DataFrame:
    """The verdicts with `right`: 1.0 where what was said is the truth. InvalidInput on
    what is no verdict ("Clear")."""
    _check(frame, "case", "flag", "flagged")
    for name in ("flag", "flagged"):
        if not set(frame[name].unique()) <= {True, False}:
            given = frame[name].unique().tolist()
            raise InvalidInput(f"{name}: {given} given; expected True and False alone")
    same = frame["flag"].astype(bool) == frame["flagged"].astype(bool)
    return frame.assign(right=same.astype(float))


def detection_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each technique and run of verdicts: accuracy, sensitivity, specificity; a
    share of none is NaN."""
    told = with_right(frame)
    flag = told["flag"].astype(bool)
    told = told.assign(
        accuracy=told["right"],
        sensitivity=told["right"].where(flag),
        specificity=told["right"].where(~flag),
    )
    runs = told.groupby(["technique", "run"], sort=False)
    return runs[["accuracy", "sensitivity", "specificity"]].mean().reset_index()


def _check(frame: pd.DataFrame, *columns: str) -> None:
    keys = ["technique", "run", "item"]
    need_columns(frame, [*keys, *columns], "the frame of answers")
    twice = frame[frame.duplicated(keys)]
    if not twice.empty:
        first = twice.iloc[0][keys].to_dict()
        raise InvalidInput(f"answers: {first} given twice; expected once")


# ---- between two techniques ------------------------------------------------------------


class Measured(NamedTuple):
    """What a comparison looks at: scored answers, a row for each run, their measure, and
    what is drawn anew."""

    scored: pd.DataFrame
    runs: pd.DataFrame
    column: str
    per_run: str
    cluster: str
    within: str


def measured(frame: pd.DataFrame) -> Measured:
    """F1 over states of selections; accuracy over cases of verdicts, as many of either
    label as there are."""
    if "flagged" in frame:
        names = "right", "accuracy", "case", "flag"
        return Measured(with_right(frame), detection_runs(frame), *names)
    names = "f1", "f1", "item", ""
    return Measured(selection_scores(frame), selection_runs(frame), *names)


def intervals(
    frame: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> pd.DataFrame:
    """Each technique's mean with a 95 % interval over states or whole cases: technique,
    mean, se, low, high, … ."""
    of = measured(frame)
    found = []
    for name, part in of.scored.groupby("technique", sort=False):
        drawn = cluster_bootstrap(part, of.column, of.cluster, rng, of.within, draws)
        found.append({"technique": name, **drawn})
    return pd.DataFrame(found)


def difference(
    frame: pd.DataFrame, a: str, b: str, rng: np.random.Generator, draws: int = 2000
) -> dict[str, float]:
    """The paired difference a - b on the same items, as `cluster_bootstrap` has it:
    whole states or cases drawn."""
    of = measured(frame)
    pairs = paired(of.scored, of.column, a, b)
    return cluster_bootstrap(pairs, "gap", of.cluster, rng, of.within, draws)


def paired(scored: pd.DataFrame, column: str, a: str, b: str) -> pd.DataFrame:
    """The items that both techniques judged, each with its means over runs (a, b),
    `gap`, case and flag."""
    wide = scored.pivot_table(index="item", columns="technique", values=column)
    wide = wide.reindex(columns=[a, b]).dropna()
    if a == b or wide.empty:
        raise InvalidInput(
            f"{a!r} and {b!r} given: they have no two answers to an item"
        )
    about = scored.drop_duplicates("item").set_index("item")
    known = about[[name for name in ("case", "flag") if name in about]]
    return wide.assign(gap=wide[a] - wide[b]).join(known).reset_index()


def results(
    rng: np.random.Generator, *frames: pd.DataFrame, draws: int = 2000
) -> pd.DataFrame:
    """Selections and verdicts as `claims.check` reads them: row, column ("F1",
    "accuracy"), value, se, n.

    A row "summary - slot" is the paired difference of two techniques; errors are over
    states or cases, not over runs.
    """
    found = []
    for frame in frames:
        means = intervals(frame, rng, draws).set_index("technique")
        said: dict[Any, Any] = dict(means.T.items())
        for a, b in permutations(means.index, 2):
            said[f"{a} - {b}"] = difference(frame, a, b, rng, draws)
        column = "accuracy" if "flagged" in frame else "F1"
        for name, one in said.items():
            row = {"row": name, "column": column, "value": one["mean"]}
            found.append(row | {"se": one["se"], "n": one["clusters"]})
    return pd.DataFrame(found)
