"""The rules of the game: which phases a round has, who acts in each, who sees it, and what a round decides.

Their words are made of the same fields (`rules`, the template `prompts/roundtable/rules`), so that nobody, a model
least of all, is told a rule that does not hold. Any mechanism meets any environment, any social choice rule and any
participants:

>>> CHAIR = Mechanism("chair", (Talk(), Propose(who=first), Vote(who=others, standing=False)))

With unanimity each of the others has a veto. A phase with an act of its own is a `Choose`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from support.choice import Rule, TieBreak, as_rule, check_ballot, explained, tally
from support.errors import InvalidInput, InvalidProposal
from support.prompts import render
from support.roundtable.records import (
    Ballot,
    Candidate,
    Chosen,
    Message,
    Proposal,
    Transcript,
)

Table = Any
"""The state of a discussion, `table.Table`."""
Who = Callable[[Sequence[str], int], Sequence[str]]
"""From all agents and the number of the round, those who act."""


def everybody(agents: Sequence[str], number: int) -> Sequence[str]:
    """All agents, in the order of their seats."""
    return agents


def first(agents: Sequence[str], number: int) -> Sequence[str]:
    """The agent in the first seat: a chair."""
    return agents[:1]


def others(agents: Sequence[str], number: int) -> Sequence[str]:
    """All but the first."""
    return agents[1:]


# ---- phases ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Phase:
    """One phase of a round: who acts, all at once or in `turns`, and whether the others do not see it (`private`).

    A subclass says which coroutine of a participant is called (`act`), in which field of `Round` its records stand
    (`kept`), and what an answer becomes (`take`).
    """

    title: str
    who: Who = everybody
    turns: bool = False
    private: bool = False
    act: ClassVar[str]
    kept: ClassVar[str]

    def __post_init__(self) -> None:
        if not callable(self.who):
            wanted = "a function of all agents and the number of the round"
            raise InvalidInput(f"who: {self.who!r} given; expected {wanted}")

    @property
    def label(self) -> str:
        """What its records bear in `phase`, where they have such a field: nothing in what every mechanism has."""
        return "" if self.title == "Messages" else self.title.lower()

    def take(
        self,
        table: Table,
        agent: str,
        answer: Any,
    ) -> Any:
        """The record of an answer, None for silence; InvalidProposal or InvalidBallot for what is not allowed."""
        raise NotImplementedError

    def before(self, table: Table) -> None:
        """Prepare what is acted on."""

    def after(self, table: Table, records: Sequence[Any]) -> None:
        """Bear in mind what was done."""

    def sees(self, agent: str, record: Any) -> bool:
        """Whether an agent sees a record when the phase is over."""
        return not self.private or agent == record.agent


@dataclass(frozen=True)
class Talk(Phase):
    """Each may write one message: for all to read or, in private, for those alone to whom it is written."""

    title: str = "Messages"
    act = "message"
    kept = "messages"

    def take(
        self,
        table: Table,
        agent: str,
        answer: Message | None,
    ) -> Message | None:
        """To those of the others who are named, or to all of them."""
        if answer is None or not answer.text.strip():
            return None
        there = [a for a in table.agents if a != agent]
        named = [a for a in dict.fromkeys(answer.recipients) if a in there]
        return replace(
            answer,
            sender=agent,
            recipients=tuple(named or there),
            phase=self.label,
            private=self.private,
        )

    def sees(self, agent: str, record: Message) -> bool:
        """All, or those concerned."""
        return not self.private or agent in (record.sender, *record.recipients)


@dataclass(frozen=True)
class Propose(Phase):
    """Each may put a solution on the list; without a new one the latest stays. In private, it is sealed until the vote."""

    title: str = "Proposals"
    act = "propose"
    kept = "proposals"

    def take(
        self,
        table: Table,
        agent: str,
        answer: Proposal | None,
    ) -> Proposal | None:
        """What the environment calls valid."""
        if answer is None or answer.value is None:
            return None
        return Proposal(agent, table.environment.validate(answer.value), answer.reason)

    def after(self, table: Table, records: Sequence[Proposal]) -> None:
        """The latest proposal of each."""
        table.latest |= {proposal.agent: proposal.value for proposal in records}
        if self.private:
            table.sealed = {proposal.agent for proposal in records}


@dataclass(frozen=True)
class Vote(Phase):
    """A ballot on the latest proposals, and on the decision that stands unless `standing` leaves it out."""

    title: str = "Votes"
    standing: bool = True
    act = "vote"
    kept = "ballots"

    def before(self, table: Table) -> None:
        """The candidates: identical proposals are one, in the order of their ids."""
        table.sealed = set()
        stands = table.standing if self.standing else None
        proposers: dict[Any, list[str]] = {stands.value: []} if stands else {}
        for agent in table.mechanism.proposers(table.agents, table.number):
            if agent in table.latest:
                proposers.setdefault(table.latest[agent], []).append(agent)
        table.candidates = table.named(proposers)

    def take(
        self,
        table: Table,
        agent: str,
        answer: Ballot | None,
    ) -> Ballot:
        """A ballot in the form of the rule."""
        if answer is None:
            return Ballot(agent, None)
        ids = [candidate.id for candidate in table.candidates]
        check_ballot(table.rule, answer.plain, ids, agent)
        return replace(answer, agent=agent)


@dataclass(frozen=True)
class Choose(Phase):
    """An act of one's own, such as an amount to give: `asks` says in words what is chosen, `reply` is its type.

    `asks` goes on after "You choose " and, where not everybody does, for all to read, after "Ana may choose ": "whether
    to veto", no "you". `reply` is any type that pydantic knows; a model is held to it, but its prompt has `asks` alone,
    so that what is allowed belongs there. A participant of your own has `async def choose(self, view)`, which returns the
    value, or None.
    """

    title: str = "Choices"
    asks: str = "something"
    reply: Any = str
    act = "choose"
    kept = "chosen"

    def take(
        self,
        table: Table,
        agent: str,
        answer: Any,
    ) -> Chosen | None:
        """The value, as its type has it."""
        from pydantic import TypeAdapter, ValidationError

        if answer is None:
            return None
        chosen = answer if isinstance(answer, Chosen) else Chosen(agent, answer)
        try:
            value = TypeAdapter(self.reply).validate_python(chosen.value)
        except ValidationError as error:
            raise InvalidProposal(
                f"{chosen.value!r} given; {error.errors()[0]['msg']}"
            ) from None
        return Chosen(agent, value, chosen.reason, self.label, self.private)


# ---- what a round decides --------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What a round decided, None where nothing new; scores as text; why, in a sentence."""

    winner: Candidate | None
    scores: tuple[tuple[str, str], ...]
    why: str


def elect(table: Table) -> Verdict:
    """The candidate that the rule picks from the ballots."""
    by_id = {candidate.id: candidate for candidate in table.candidates}
    count = tally(
        table.rule,
        {ballot.agent: ballot.plain for ballot in table.made["ballots"]},
        list(by_id),
        tie_break=table.tie_break,
        standing=table.standing.candidate if table.standing else None,
        rng=table.lottery(),
    )
    scores = tuple((str(c), str(score)) for c, score in count.scores.items())
    return Verdict(by_id.get(count.winner), scores, count.why)


def gather(table: Table) -> Verdict:
    """All that was chosen together, {agent: value}, as `environment.validate` takes it."""
    chosen = {each.agent: each.value for each in table.made["chosen"]}
    value = table.environment.validate(chosen)
    table.candidates = table.named({value: list(table.agents)})
    return Verdict(table.candidates[0], (), table.environment.describe(value))


END = (
    "Nothing is decided at the start. If the rule picks one proposal, it becomes the standing decision; otherwise "
    "what stood before stays. What stands after the last round is the outcome."
)


@dataclass(frozen=True)
class Mechanism:
    """Phases, what a round of them decides, and the sentences that no phase implies: what for, and how it ends.

    Of the phases `Talk`, `Propose`, `Vote` and `Choose`. A study takes it as `mechanism=`; put into `MECHANISMS`,
    its name does, too, in menus and in a fork.
    """

    name: str
    phases: tuple[Phase, ...]
    decide: Callable[[Table], Verdict] = elect
    aim: str = "Together you have to reach a decision."
    end: str = END
    lasting: bool = True  # whether a decision stands until the next one

    def __post_init__(self) -> None:
        listed = self.phases if isinstance(self.phases, tuple | list) else [None]
        if not all(isinstance(phase, Phase) for phase in listed):
            wanted = "a tuple of phases, such as (Talk(), Propose(), Vote())"
            told = f"mechanism {self.name!r}: {self.phases!r} given"
            raise InvalidInput(f"{told}; expected {wanted}")
        acts = [phase.act for phase in self.phases]
        once = ["propose", "vote", *(["choose"] if self.decide is gather else [])]
        wrong = [f"{act!r} twice" for act in once if acts.count(act) > 1]
        if not acts:
            wrong = ["none given"]
        elif "propose" in acts and "vote" in acts[: acts.index("propose")]:
            wrong = ["a vote before the proposals"]
        elif self.decide is not elect and self.end == END:
            wrong = ["`decide` of your own and no `end`, the sentence on how it ends"]
        if wrong:
            wanted = "each of 'propose' and 'vote' once at most, in this order, and `end` beside `decide`"
            raise InvalidInput(
                f"mechanism {self.name!r}: {wrong[0]}; expected phases, {wanted}"
            )

    def proposers(self, agents: Sequence[str], number: int) -> Sequence[str]:
        """Those whose latest proposals are on the list: who may propose in this round."""
        phases = [phase for phase in self.phases if phase.act == "propose"]
        return phases[0].who(agents, number) if phases else agents


ROUNDTABLE = Mechanism("roundtable", (Talk(), Propose(), Vote()))
"""That of the paper (sections 3 and A.1)."""
IN_TURN = Mechanism("in turn", (Talk(turns=True), Propose(), Vote()))
CHAIR = Mechanism(
    "chair", (Talk(), Propose(who=first), Vote(who=others, standing=False))
)
PRIVATE = Mechanism(
    "private talks",
    (Talk(), Propose(), Talk("Private talks", private=True), Vote()),
)
OURS = (ROUNDTABLE, IN_TURN, CHAIR, PRIVATE)
MECHANISMS = {m.name: m for m in OURS}
"""By name, as a grid and a record name them; put your own in."""


# ---- which mechanism and rule a round has ----------------------------------------------------------------------------


class Stage(NamedTuple):
    """What is in force from a round on."""

    first: int
    mechanism: Mechanism
    rule: Rule


Stages = tuple[Stage, ...]


def stages(mechanism: Any, rule: Any) -> Stages:
    """Of one mechanism and rule for all rounds, or of {first round: …}, such as {1: "unanimous", 4: "ranked"}."""
    given = {"mechanism": mechanism, "rule": rule}
    starts: dict[int, dict[str, Any]] = {}
    for name, schedule in given.items():
        changes = schedule if isinstance(schedule, Mapping) else {1: schedule}
        for number, value in changes.items():
            starts.setdefault(int(number), {})[name] = value
        if name not in starts.get(1, {}) or min(starts) < 1:
            wanted = "what holds from round 1 on, such as {1: …, 4: …}"
            raise InvalidInput(f"{name}: {schedule!r} given; expected {wanted}")
    found = []
    for number in sorted(starts):
        given |= starts[number]
        now = as_mechanism(given["mechanism"]), as_rule(given["rule"])
        found.append(Stage(number, *now))
    return tuple(found)


def stage_of(stages: Stages, number: int) -> Stage:
    """What is in force in a round."""
    return [stage for stage in stages if stage.first <= number][-1]


def stages_of(transcript: Transcript) -> Stages:
    """The stages of a stored discussion, read back by name."""
    usual = [[1, ROUNDTABLE.name, transcript.rule]]
    kept = transcript.settings.get("stages", usual)
    return tuple(Stage(n, as_mechanism(name), as_rule(rule)) for n, name, rule in kept)


def as_mechanism(given: str | Mechanism) -> Mechanism:
    """The mechanism of that name, or the mechanism itself."""
    mechanism = MECHANISMS.get(given, given) if isinstance(given, str) else given
    if not isinstance(mechanism, Mechanism):
        names = ", ".join(MECHANISMS)
        raise InvalidInput(
            f"mechanism: {given!r} given; expected one of {names}, or a Mechanism"
        )
    return mechanism


def in_words(
    agents: Sequence[str],
    mechanism: Any = ROUNDTABLE,
    rule: Any = "majority",
    rounds: int = 10,
    tie_break: TieBreak = "defer",
) -> str:
    """How such a table works, as its participants read it in the first round."""
    return rules(stages(mechanism, rule), agents, 1, rounds, tie_break)


def rules(
    stages: Stages,
    agents: Sequence[str],
    number: int,
    rounds: int,
    tie_break: TieBreak,
) -> str:
    """How a table works in a round, in words, what was before, and what will change later."""
    before = [stage for stage in stages if stage.first <= number]
    return render(
        "roundtable/rules",
        now=before.pop(),
        before=before,
        later=[stage for stage in stages if number < stage.first <= rounds],
        agents=list(agents),
        number=number,
        rounds=rounds,
        explained=partial(explained, tie_break=tie_break),
    )
