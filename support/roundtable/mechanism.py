"""The rules of the game: which phases a round has, who acts in each, who sees it, and what a round decides.

What runs a phase also words it, from the same fields, so that nobody, a model least of all, is told a rule that does
not hold. Any mechanism meets any environment, any social choice rule and any participants:

>>> CHAIR = Mechanism("chair", (Talk(), Propose(who=first), Vote(who=others, standing=False)))

With unanimity each of the others has a veto. A phase with an act of its own is a `Choose`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

from support.choice import Rule, TieBreak, as_rule, check_ballot, explained, tally
from support.errors import InvalidInput, InvalidProposal
from support.prompts import listed
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
    (`kept`), what an answer becomes (`take`), and what it is in words (`may`).
    """

    title: str
    who: Who = everybody
    turns: bool = False
    private: bool = False
    act: ClassVar[str]
    kept: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()  # of the environment

    def take(self, table: Table, agent: str, answer: Any) -> Any:
        """The record of an answer, None for silence; InvalidProposal or InvalidBallot for what is not allowed."""
        raise NotImplementedError

    def before(self, table: Table) -> None:
        """Prepare what is acted on."""

    def after(self, table: Table, records: Sequence[Any]) -> None:
        """Bear in mind what was done."""

    def sees(self, agent: str, record: Any) -> bool:
        """Whether an agent sees a record when the phase is over."""
        return not self.private or agent == record.agent

    def may(self, you: str, table: Table) -> str:
        """What `you` ("You", or names) may do here, in a sentence or two."""
        raise NotImplementedError

    def seen(self) -> str:
        """Who sees it, where that is a sentence of its own."""
        return "Nobody else sees what you do here." if self.private else ""

    def words(self, table: Table, plain: bool) -> str:
        """The phase in a line; in a `plain` round all act at once and see all, which is said once for all phases."""
        acting = tuple(self.who(table.agents, table.number))
        you = "You" if acting == table.agents else listed(acting)
        sentences = [self.may(you, table), self.seen()]
        if not plain:
            sentences.append(self._order(acting, acting == table.agents))
        return " ".join(filter(None, [f"{self.title}.", *sentences]))

    def _order(self, acting: tuple[str, ...], all_act: bool) -> str:
        if self.turns:
            order = f"In turn, in the order {listed(acting)}"
            if self.private:
                return f"{order}."
            return f"{order}: whoever comes later has seen what the others did before."
        if len(acting) == 1:
            return "" if self.seen() else "Then everybody sees it."
        at_once = f"{'All of you' if all_act else listed(acting)} act at the same time"
        public = "" if self.seen() else "; then everybody sees it"
        return f"{at_once}{public}."


@dataclass(frozen=True)
class Talk(Phase):
    """Each may write one message: for all to read or, in private, for those alone to whom it is written."""

    title: str = "Messages"
    act, kept = "message", "messages"

    @property
    def label(self) -> str:
        """What its messages bear in `phase`: nothing in the phase that every mechanism has."""
        return "" if self.title == "Messages" else self.title.lower()

    def take(self, table: Table, agent: str, answer: Message | None) -> Message | None:
        """To those of the others who are named, or to all of them."""
        if answer is None or not answer.text.strip():
            return None
        there = [a for a in table.agents if a != agent]
        to = tuple(r for r in dict.fromkeys(answer.recipients) if r in there)
        return replace(
            answer,
            sender=agent,
            recipients=to or tuple(there),
            phase=self.label,
            private=self.private,
        )

    def sees(self, agent: str, record: Message) -> bool:
        """All, or those concerned."""
        return not self.private or agent in (record.sender, *record.recipients)

    def may(self, you: str, table: Table) -> str:
        """One message."""
        return f"{you} may write one message to one or several of the others."

    def seen(self) -> str:
        """Who reads it."""
        if self.private:
            return "Only those it is written to can read it."
        return "Everybody can read it."


@dataclass(frozen=True)
class Propose(Phase):
    """Each may put a solution on the list; without a new one the latest stays. In private, it is sealed until the vote."""

    title: str = "Proposals"
    act, kept, needs = "propose", "proposals", ("validate",)

    def take(
        self, table: Table, agent: str, answer: Proposal | None
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

    def may(self, you: str, table: Table) -> str:
        """A solution."""
        if you == "You":
            return "You may put a solution on the list. If you do not, your latest one stays there."
        return f"{you} alone may put a solution on the list; without a new one the latest stays there."

    def seen(self) -> str:
        """When it is opened."""
        return "Nobody else sees it before the vote." if self.private else ""


@dataclass(frozen=True)
class Vote(Phase):
    """A ballot on the latest proposals, and on the decision that stands unless `standing` leaves it out."""

    title: str = "Votes"
    standing: bool = True
    act, kept = "vote", "ballots"

    def before(self, table: Table) -> None:
        """The candidates: identical proposals are one, in the order of their ids."""
        table.sealed = set()
        stands = table.standing if self.standing else None
        proposers: dict[Any, list[str]] = {stands.value: []} if stands else {}
        for agent in self._proposers(table):
            if agent in table.latest:
                proposers.setdefault(table.latest[agent], []).append(agent)
        table.candidates = table.named(proposers)

    def take(self, table: Table, agent: str, answer: Ballot | None) -> Ballot:
        """A ballot in the form of the rule."""
        if answer is None:
            return Ballot(agent, None)
        ids = [candidate.id for candidate in table.candidates]
        check_ballot(table.rule, answer.plain, ids, agent)
        return replace(answer, agent=agent)

    def may(self, you: str, table: Table) -> str:
        """What is on the list, who votes, and the rule."""
        proposers = self._proposers(table)
        whose = "each of you" if proposers == table.agents else listed(proposers)
        stands = " and the decision that stands" if self.standing else ""
        voters = (
            "" if you == "You" else f" Only {you} may vote; the rule counts them alone."
        )
        rule = (
            f"The rule is {table.rule.name}: {explained(table.rule, table.tie_break)}"
        )
        return f"The list holds the latest proposal of {whose}{stands}.{voters} {rule}"

    def _proposers(self, table: Table) -> tuple[str, ...]:
        """Those whose latest proposals are on the list: who may propose in this round."""
        phases = [p for p in table.mechanism.phases if p.act == "propose"]
        who = phases[0].who if phases else everybody
        return tuple(who(table.agents, table.number))

    def seen(self) -> str:
        """A secret ballot."""
        return "Nobody else sees how you vote." if self.private else ""


@dataclass(frozen=True)
class Choose(Phase):
    """An act of one's own, such as an amount to give: `asks` says in words what is chosen, `reply` is its type.

    `asks` goes on after "You choose ", `reply` is any type that pydantic knows; a model and a person are asked by the
    two, a rule-based participant has `async def choose(self, view)`, which returns the value, or None.
    """

    title: str = "Choices"
    asks: str = "something"
    reply: Any = str
    act, kept = "choose", "chosen"

    def take(self, table: Table, agent: str, answer: Any) -> Chosen | None:
        """The value, as its type has it."""
        from pydantic import TypeAdapter, ValidationError

        if answer is None:
            return None
        chosen = answer if isinstance(answer, Chosen) else Chosen(agent, answer)
        try:
            value = TypeAdapter(self.reply).validate_python(chosen.value)
        except ValidationError as error:
            raise InvalidProposal(f"{self.title}: {error.errors()[0]['msg']}") from None
        where: Any = {"phase": self.title, "private": self.private}
        return replace(chosen, agent=agent, value=value, **where)

    def may(self, you: str, table: Table) -> str:
        """What is chosen."""
        return f"{you if you == 'You' else f'{you} may'} choose {self.asks}."


# ---- what a round decides --------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What a round decided, None where nothing new; scores as text; why, in a sentence."""

    winner: Candidate | None
    scores: tuple[tuple[str, str], ...]
    why: str


def elect(table: Table) -> Verdict:
    """The candidate that the rule picks from the ballots."""
    ballots = {ballot.agent: ballot.plain for ballot in table.made["ballots"]}
    count = tally(
        table.rule,
        ballots,
        [candidate.id for candidate in table.candidates],
        tie_break=table.tie_break,
        standing=table.standing.candidate if table.standing else None,
        rng=table.lottery(),
    )
    winner = next((c for c in table.candidates if c.id == count.winner), None)
    scores = tuple((str(c), str(score)) for c, score in count.scores.items())
    return Verdict(winner, scores, count.why)


def gather(table: Table) -> Verdict:
    """All that was chosen together, {agent: value}, as `environment.validate` takes it."""
    chosen = {each.agent: each.value for each in table.made["chosen"]}
    value = table.environment.validate(chosen)
    table.candidates = table.named({value: list(table.agents)})
    return Verdict(table.candidates[0], (), table.environment.describe(value))


@dataclass(frozen=True)
class Mechanism:
    """Phases, what a round of them decides, and the sentences that no phase implies: what for, and how it ends."""

    name: str
    phases: tuple[Phase, ...]
    decide: Callable[[Table], Verdict] = elect
    aim: str = "Together you have to reach a decision."
    end: str = (
        "Nothing is decided at the start. If the rule picks one proposal, it becomes the standing decision; otherwise "
        "what stood before stays. What stands after the last round is the outcome."
    )
    lasting: bool = True  # whether a decision stands until the next one

    def __post_init__(self) -> None:
        acts = [phase.act for phase in self.phases]
        once = ["propose", "vote", *(["choose"] if self.decide is gather else [])]
        if twice := [act for act in once if acts.count(act) > 1]:
            raise InvalidInput(
                f"phases: {twice[0]!r} twice in {self.name!r}; a round has one at most"
            )

    def rules(self, table: Table) -> str:
        """How the table works, in words, in the round that is played, what was before, and what will change later."""
        now = stage_of(table.stages, table.number)
        later = [stage for stage in table.stages if stage.first > now.first]
        begin, end = now.first, later[0].first - 1 if later else table.rounds
        every = "Every round has"
        if len(table.stages) > 1:
            joint = "and" if end == begin + 1 else "to"
            every = f"Rounds {begin} {joint} {end} have"
        if begin == end:
            every = f"Round {begin} has"
        count = (
            "There is one round"
            if table.rounds == 1
            else f"There are {table.rounds} rounds"
        )
        lines = [f"{count}. {every} {self.phrased(table)}", self.end]
        before = [stage for stage in table.stages if stage.first < begin]
        if before and before[-1].rule != now.rule:
            lines.append(
                f"Until round {begin - 1} the rule was {before[-1].rule.name}."
            )
        changes = pairwise((now, *later))
        lines += [stage.words(table, previous) for previous, stage in changes]
        return "\n".join(lines)

    def phrased(self, table: Table) -> str:
        """How many phases a round has, and each of them in a line."""
        acting = self._acting(table, table.number)
        apart = any(phase.turns or phase.private for phase in self.phases)
        plain = not apart and set(acting) == {table.agents}
        many = len(self.phases) > 1
        head = f"{_NUMBERS[len(self.phases)]} phase{'s' if many else ''}."
        rounds = range(1, table.rounds + 1)
        if any(self._acting(table, number) != acting for number in rounds):
            head += f" Who acts changes from round to round; it is so in round {table.number}:"
        if plain:
            head += " In each, all of you act at the same time and see what the others did when the phase is over."
        lines = [
            f"{i}. {phase.words(table, plain)}"
            for i, phase in enumerate(self.phases, 1)
        ]
        return "\n".join([head, *lines])

    def _acting(self, table: Table, number: int) -> list[tuple[str, ...]]:
        """Those who act in each phase of a round."""
        return [tuple(phase.who(table.agents, number)) for phase in self.phases]


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")

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
MECHANISMS = {m.name: m for m in (ROUNDTABLE, IN_TURN, CHAIR, PRIVATE)}
"""By name, as a grid and a record name them; put your own in."""


# ---- which mechanism and rule a round has ----------------------------------------------------------------------------


class Stage(NamedTuple):
    """What is in force from a round on."""

    first: int
    mechanism: Mechanism
    rule: Rule

    def words(self, table: Table, before: Stage) -> str:
        """What changes then: the rule, or all phases."""
        if self.mechanism == before.mechanism:
            rule = explained(self.rule, table.tie_break)
            return f"From round {self.first} on the rule is {self.rule.name}: {rule}"
        then = vars(table) | self._asdict() | {"number": self.first}
        phases = self.mechanism.phrased(SimpleNamespace(**then))
        return f"From round {self.first} on, a round has {phases}"


Stages = tuple[Stage, ...]


def stages(mechanism: Any, rule: Any) -> Stages:
    """Of one mechanism and rule for all rounds, or of {first round: …}, such as {1: "unanimous", 4: "ranked"}."""
    mechanisms = _by_round("mechanism", mechanism, as_mechanism)
    rules = _by_round("rule", rule, as_rule)
    starts = sorted({*mechanisms, *rules})
    return tuple(Stage(n, _at(mechanisms, n), _at(rules, n)) for n in starts)


def _by_round(name: str, given: Any, made: Callable[[Any], Any]) -> dict[int, Any]:
    schedule = given if isinstance(given, Mapping) else {1: given}
    starts = {int(number): made(value) for number, value in schedule.items()}
    if min(starts, default=0) != 1:
        raise InvalidInput(
            f"{name}: {given!r} given; expected what holds from round 1 on, such as {{1: …, 4: …}}"
        )
    return starts


def _at(starts: Mapping[int, Any], number: int) -> Any:
    return starts[max(n for n in starts if n <= number)]


def stage_of(stages: Stages, number: int) -> Stage:
    """What is in force in a round."""
    return [stage for stage in stages if stage.first <= number][-1]


def as_mechanism(given: str | Mechanism) -> Mechanism:
    """The mechanism of that name, or the mechanism itself."""
    if isinstance(given, Mechanism):
        return given
    if given not in MECHANISMS:
        names = ", ".join(MECHANISMS)
        raise InvalidInput(
            f"mechanism: {given!r} given; expected one of {names}, or a Mechanism"
        )
    return MECHANISMS[given]


def in_words(
    agents: Sequence[str],
    mechanism: Any = ROUNDTABLE,
    rule: Any = "majority",
    rounds: int = 10,
    tie_break: TieBreak = "defer",
) -> str:
    """How such a table works, as its participants read it in the first round."""
    now = stages(mechanism, rule)
    table = SimpleNamespace(agents=tuple(agents), number=1, rounds=rounds, stages=now)
    table.tie_break, table.mechanism, table.rule = (
        tie_break,
        now[0].mechanism,
        now[0].rule,
    )
    return now[0].mechanism.rules(table)


def stages_of(transcript: Transcript) -> Stages:
    """The stages of a stored discussion, read back by name."""
    usual = [[1, ROUNDTABLE.name, transcript.rule]]
    kept = transcript.settings.get("stages", usual)
    return tuple(Stage(n, as_mechanism(name), as_rule(rule)) for n, name, rule in kept)
