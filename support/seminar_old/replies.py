"""What is true of a simulated speaker, drawn once, and what they reply to each kind of mail."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from support.seminar.data import Persona
from support.seminar.wordings import Voice, our_issues, wordings

FIRM, PERHAPS, NO = "firm", "perhaps", "no"

TURNS = 0.75  # share of vague dates that turn out to be free when somebody asks
CONDITIONAL = (
    0.4  # share of issues on which coming depends; the others are mere questions
)
YIELDS = 0.6  # share of conditions that are given up when they are refused, or never answered
LONGEST = 10  # working days between a confirmation and its cancellation, at most; see `cancels_after`


class Truth:
    """One person's calendar and mind; all draws are from `rng`, for the dates in `slots` in their order.

    `conditional`: coming depends on the issue; `yields`: that condition would be given up; `cancels_after`: working
    days from a confirmation to its cancellation, beside the `days` of every answer (None: people keep their word).
    """

    def __init__(
        self, persona: Persona, slots: Sequence[date], rng: np.random.Generator
    ) -> None:
        self.persona, self.slots, self.rng = persona, slots, rng
        self.conditional = bool(persona.issue) & bool(rng.random() < CONDITIONAL)
        self.yields = bool(rng.random() < YIELDS)
        after, cancels = (
            int(rng.integers(1, LONGEST + 1)),
            rng.random() < persona.cancels,
        )
        self.cancels_after: int | None = after if cancels else None
        self._moods: dict[date, str] = {}
        self._turns: dict[date, bool] = {}
        self._rank: dict[date, float] = {}
        for slot in slots:
            self.mood(slot)

    def mood(self, slot: date) -> str:
        """Whether a date suits, perhaps suits, or does not; of one that is not in `slots` it is drawn now."""
        if slot not in self._moods:
            suits, vague, turns, rank = self.rng.random(4)
            uncertain = PERHAPS if vague < self.persona.vague else FIRM
            self._moods[slot] = uncertain if suits < self.persona.share else NO
            self._turns[slot], self._rank[slot] = bool(turns < TURNS), float(rank)
        return self._moods[slot]

    def suiting(self, offered: Iterable[date]) -> list[date]:
        """The dates that suit or perhaps do, the dearest first."""
        return sorted(
            (d for d in set(offered) if self.mood(d) != NO),
            key=lambda d: (self._rank[d], d),
        )

    def settle(self, slot: date) -> bool:
        """Look the date up: a vague one is firm or gone from now on. Returns whether it can be had."""
        if self.mood(slot) == PERHAPS:
            self._moods[slot] = FIRM if self._turns[slot] else NO
        return self._moods[slot] == FIRM

    def lose(self, slot: date) -> None:
        """From now on the date does not suit."""
        self.mood(slot)
        self._moods[slot] = NO


# how a mail in small letters asks for "more" dates, whether one is "sure", asks in a "warm" way, or "refuses"
HEARD = {
    name: re.compile(rf"\b(?:{'|'.join(phrases)})\b")
    for name, phrases in wordings()["heard"].items()
}


@dataclass(frozen=True, slots=True)
class Said:
    """A reply before it is a letter; `named` are the dates that it says are possible, firmly or not.

    `act` is "offer", "more", "only" (what was named stands), "decline", "settle", "noted", "accept", "refuse",
    "withdraw", "cancel" or "hold" (a note that the answer takes its time); `asks`: coming is made conditional.
    """

    act: str
    sentences: Sequence[str]
    named: Collection[date] = ()
    asks: bool = False


@dataclass
class Pen:
    """What the replies of one person rest on: what is true, how it is worded, what was named and asked before."""

    truth: Truth
    voice: Voice
    named: set[date] = field(default_factory=set)
    raised: bool = False
    open_issue: bool = False

    def offer(self, offered: Sequence[date], *, late: bool) -> Said:
        """The first answer: up to `limit` dates, what is impossible, what else matters; or a refusal."""
        suiting = self.truth.suiting(offered)
        chosen = sorted(suiting[: self.truth.persona.limit])
        if not chosen:
            return self.decline(late=late)
        dated, (_, vague) = self._moods(chosen, offered), self._split(chosen)
        if (
            len(chosen) == len(set(offered)) > 1
            and not vague
            and self.voice.chance(0.5)
        ):
            dated = [self.voice.say("all")]
        else:
            dated += self._cannot(chosen, suiting, offered)
        issue, opening = self._issue(), self.voice.say("late" if late else "opener")
        aside = [self.voice.say("aside")] if self.voice.chance(0.35) else []
        self.named |= set(chosen)
        return Said(
            "offer",
            [opening, *dated, *issue, *aside],
            chosen,
            bool(issue) and self.truth.conditional,
        )

    def decline(self, *, late: bool = False) -> Said:
        """No date suits; who would have another weekday, or somebody else speak, says so."""
        issue = (
            self._issue()
            if self.truth.persona.issue_kind in ("weekday", "substitute")
            else []
        )
        opening = [self.voice.say("late")] if late else []
        sentences = [*opening, self.voice.say("decline"), *issue]
        return Said("decline", sentences, asks=bool(issue) and self.truth.conditional)

    def more(
        self, offered: Sequence[date], ever: Sequence[date], *, warm: bool
    ) -> Said:
        """Further dates: up to `limit` for a warm question, one for a cold one; else those of `ever` named before."""
        new = [d for d in self.truth.suiting(offered) if d not in self.named]
        if chosen := sorted(new[: self.truth.persona.limit if warm else 1]):
            self.named |= set(chosen)
            return Said("more", self._moods(chosen, offered, "more"), chosen)
        still = sorted(d for d in set(ever) & self.named if self.truth.mood(d) != NO)
        if not still:
            return self.decline()
        firm, vague = self._split(still)
        sentences = (
            self._moods(still, offered)
            if vague
            else [self.voice.about("no_more", firm, offered)]
        )
        return Said("only", sentences, still)

    def settle(self, asked: Sequence[date], offered: Sequence[date]) -> Said:
        """Each date that is asked for is looked up: it can be had, or it is gone."""
        kept = [d for d in sorted(asked) if self.truth.settle(d)]
        lost = [d for d in sorted(asked) if d not in kept]
        self.named |= set(kept)
        told = [
            self.voice.about(act, days, offered)
            for act, days in (("kept", kept), ("lost", lost))
            if days
        ]
        return Said("settle", told, kept)

    def given(self, slot: date, offered: Sequence[date]) -> Said:
        """The answer to a confirmation: accepted, or given back where the date, or the person's terms, do not hold."""
        if self.open_issue and not self.truth.yields:
            return self.lost("refuse", "unsettled", slot, offered)
        if not self.truth.settle(slot):
            return self.lost("refuse", "refuse", slot, offered)
        self.open_issue = False
        self.named.add(slot)
        if self.voice.chance(0.5):
            return Said(
                "accept", [self.voice.about("accept_date", [slot], offered)], [slot]
            )
        return Said("accept", [self.voice.say("accept")])

    def lost(self, act: str, wording: str, slot: date, offered: Sequence[date]) -> Said:
        """A date is given back."""
        self.truth.lose(slot)
        return Said(act, [self.voice.about(wording, [slot], offered)])

    def answered(self, text: str) -> Said | None:
        """What is said to a mail about the issue: content, resigned, or out; None where the mail is not about it."""
        known = wordings()["about"]
        issue, kind = self.truth.persona.issue, self.truth.persona.issue_kind
        ours = issue in our_issues()
        words = (
            known.get(kind, known["other"])
            if ours
            else [*known["other"], *re.findall(r"\w{6,}", issue.casefold())]
        )
        if not self.open_issue or not any(
            re.search(rf"\b{re.escape(word)}\b", text) for word in words
        ):
            return None
        refused = HEARD["refuses"].search(text)
        if refused and not self.truth.yields:
            for day in self.truth.slots:
                self.truth.lose(day)
            return Said("withdraw", [self.voice.say("withdraws")])
        self.open_issue = False
        return Said("noted", [self.voice.say("yields" if refused else "settled")])

    def _split(self, days: Sequence[date]) -> tuple[list[date], list[date]]:
        return [d for d in days if self.truth.mood(d) == FIRM], [
            d for d in days if self.truth.mood(d) == PERHAPS
        ]

    def _moods(
        self, chosen: Sequence[date], offered: Sequence[date], act: str = "firm"
    ) -> list[str]:
        """The firm dates and the vague ones, in one sentence or in two."""
        firm, vague = self._split(chosen)
        if firm and vague and act == "firm" and self.voice.chance(0.3):
            sure, unsure = (self.voice.dates(days, offered) for days in (firm, vague))
            return [self.voice.say("both", dates=sure, maybe=unsure)]
        sentences = [self.voice.about(act, firm, offered)] if firm else []
        sentences += [self._vague(vague, offered)] if vague else []
        return (
            sentences[::-1] if act == "firm" and self.voice.chance(0.25) else sentences
        )

    def _vague(self, vague: Sequence[date], offered: Sequence[date]) -> str:
        """One date that is alone in its month may be told by the month."""
        alone = (
            len(vague) == 1 and [d.month for d in offered].count(vague[0].month) == 1
        )
        if alone and self.voice.chance(0.25):
            return self.voice.say("vague_month", month=f"{vague[0]:%B}")
        return self.voice.about("vague", vague, offered)

    def _cannot(
        self, chosen: Sequence[date], suiting: Sequence[date], offered: Sequence[date]
    ) -> list[str]:
        """Sometimes what is impossible is said too: a date or two, or all the others where they are."""
        out = sorted(d for d in set(offered) if self.truth.mood(d) == NO)
        if not out or not self.voice.chance(0.35):
            return []
        if len(chosen) == len(suiting) and self.voice.chance(0.4):
            return [self.voice.say("others")]
        return [self.voice.about("cannot", out[:2], offered)]

    def _issue(self) -> list[str]:
        """The issue, once: as a question, or as a condition of coming."""
        if self.raised or not self.truth.persona.issue:
            return []
        self.raised, self.open_issue = True, self.truth.conditional
        return [self.voice.issue(self.truth.conditional)]
