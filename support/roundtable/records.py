"""What is said and decided at the round table: frozen records that hold all that a later analysis may ask.

Agents are named by strings, candidates by short ids ("P1", "P2", …) that stay the same for the whole discussion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

from pydantic import Field

from support.errors import InvalidInput
from support.play import FormatError

PLACES = "support.roundtable.table.ENVIRONMENTS"
ENVIRONMENTS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "exchange_economy": lambda spec: _built("economy", spec),
    "movielens": lambda spec: _built("movielens", spec),
}
"""What builds an environment again from its `spec`, by name; put your own in, and analysis knows it."""

UNSAID = Field(exclude_if=lambda value: not value)
"""Not written where it is empty: records of the paper's mechanism are as they were."""

Choice = str | None | tuple[str, ...] | tuple[tuple[str, float], ...]
"""A ballot as a record: a candidate, an abstention, a ranking, or (candidate, number) pairs."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of one agent in one round; everybody sees it, whomever it addresses, unless it is `private`.

    `acts` are the dialogue acts that a rule-based sender knows it performs, `claim` what it states in numbers, as
    (name, value) pairs: rule-based listeners read it in the place of the text, all that models and people are shown.
    `phase` names the phase where a round has others beside "Messages".
    """

    sender: str
    recipients: tuple[str, ...]
    text: str
    acts: tuple[str, ...] = ()
    claim: tuple[tuple[str, float], ...] = ()
    phase: Annotated[str, UNSAID] = ""
    private: Annotated[bool, UNSAID] = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one agent proposes, in the environment's own frozen form; `value` None is nothing new, `reason` private."""

    agent: str
    value: Any | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal that is voted on; identical ones are one candidate with several proposers."""

    id: str
    value: Any
    proposers: tuple[str, ...]
    standing: bool = False


@dataclass(frozen=True, slots=True)
class Ballot:
    """One agent's ballot; `choice` None is an abstention; `reason` stays private."""

    agent: str
    choice: Choice
    reason: str = ""

    @property
    def plain(self) -> Any:
        """The choice in the form that `support.choice` counts: pairs become a mapping."""
        choice = self.choice
        pairs = isinstance(choice, tuple) and choice and isinstance(choice[0], tuple)
        return dict(choice) if pairs else choice  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """The choice in words.

        >>> Ballot("Ana", (("P1", 5), ("P2", 1))).text
        'P1: 5, P2: 1'
        """
        if self.choice is None:
            return "abstained"
        if isinstance(self.choice, str):
            return self.choice
        return ", ".join(
            entry if isinstance(entry, str) else f"{entry[0]}: {entry[1]:g}"
            for entry in self.choice
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """What one agent chose in a phase of a mechanism's own, such as an amount to give; `reason` stays private.

    Nobody else sees it where it is `private`.
    """

    agent: str
    value: Any
    reason: str = ""
    phase: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The standing decision: which candidate, and in which round it was accepted."""

    candidate: str
    value: Any
    round: int


@dataclass(frozen=True, slots=True)
class Round:
    """One finished round. `winner` is None when the decision was deferred; `decision` is what stands after it.

    `scores` are the exact totals of the tally as text ("11/6"); `replies` were asked of language models; `repairs` says
    who had to be asked again for a reply that fits, in which phase, how often; `asked` how many were asked in which
    phase, where that is not everybody in each.
    """

    number: int
    messages: tuple[Message, ...]
    proposals: tuple[Proposal, ...]
    candidates: tuple[Candidate, ...]
    ballots: tuple[Ballot, ...]
    winner: str | None
    scores: tuple[tuple[str, str], ...]
    why: str
    decision: Decision | None
    format_errors: tuple[FormatError, ...] = ()
    replies: int = 0
    chosen: Annotated[tuple[Chosen, ...], UNSAID] = ()
    repairs: Annotated[tuple[tuple[str, str, int], ...], UNSAID] = ()
    asked: Annotated[tuple[tuple[str, int], ...], UNSAID] = ()

    def questions(self, agents: int) -> dict[str, int]:
        """How many were asked in each phase, of so many agents."""
        votes = agents if self.candidates else 0
        return dict(self.asked) or {
            "message": agents,
            "propose": agents,
            "vote": votes,
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole discussion. `environment` rebuilds the environment, `seats` says which kind of participant sat where."""

    environment: Mapping[str, Any]
    rule: str
    seats: Mapping[str, str]
    rounds: tuple[Round, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def outcome(self) -> Decision | None:
        """The last accepted proposal, or None when the group never decided."""
        return self.rounds[-1].decision if self.rounds else None

    @property
    def summary(self) -> dict[str, Any]:
        """What a table of discussions says of this one: whether and when the group decided, its messages, and its
        replies off form."""
        decided = [one.number for one in self.rounds if one.decision]
        return {
            "decided": bool(decided),
            "decision_round": decided[0] if decided else None,
            "messages": sum(len(one.messages) for one in self.rounds),
            "format_errors": sum(len(one.format_errors) for one in self.rounds),
        }


def environment_of(transcript: Transcript) -> Any:
    """The environment of a discussion, built again."""
    name = transcript.environment.get("name")
    if name not in ENVIRONMENTS:
        raise InvalidInput(
            f"environment: {name!r} given; expected one of {', '.join(ENVIRONMENTS)}; "
            f"put your own into `{PLACES}`"
        )
    return ENVIRONMENTS[name](transcript.environment)


def _built(module: str, spec: Mapping[str, Any]) -> Any:
    """An environment of ours; they read much, and a record alone should not."""
    return import_module(f"support.roundtable.{module}").from_spec(spec)


@dataclass(frozen=True, slots=True)
class View:
    """What one agent may know when it is asked to act: the record as it saw it, without anybody's private reason.

    `messages`, `proposals`, `ballots` and `chosen` are those of the current round, once their phase is over;
    `candidates` is filled in the voting phase; `latest` holds each agent's latest proposal as (agent, value). `rule`
    names the social choice rule, `form` its kind of ballot ("vote", "ratings", "ranking" or "points"), `explanation`
    says how it decides. `phase` is the mechanism's phase, `aim` and `rules` are the mechanism in words, `claims` the
    names of what a message may state in numbers, where somebody sits there who reads numbers alone.
    """

    me: str
    agents: tuple[str, ...]
    rule: str
    form: str
    explanation: str
    round: int
    rounds: int
    history: tuple[Round, ...] = ()
    messages: tuple[Message, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    latest: tuple[tuple[str, Any], ...] = ()
    ballots: tuple[Ballot, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    phase: Any = None
    aim: str = ""
    rules: str = ""
    lasting: bool = True
    claims: tuple[str, ...] = ()

    @property
    def decision(self) -> Decision | None:
        """The standing decision, or None before the first one."""
        return self.history[-1].decision if self.history else None

    @property
    def talk(self) -> list[tuple[int, tuple[Message, ...]]]:
        """What was said in each round, this one last."""
        before = [(r.number, r.messages) for r in self.history]
        return [*before, (self.round, self.messages)]

    @property
    def others(self) -> tuple[str, ...]:
        """All agents but the one who looks."""
        return tuple(agent for agent in self.agents if agent != self.me)
