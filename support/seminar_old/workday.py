"""A day of organising: the desk and the books, the morning's replies, and from the progress to the mails of the day."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from support.errors import InvalidInput
from support.seminar import records
from support.seminar.artefacts import Artefacts, Template, hook_of
from support.seminar.audit import violations
from support.seminar.checkpoints import AGAINS, ALWAYS, WHEN_FLAGGED, levels
from support.seminar.data import Scenario, in_words, iso
from support.seminar.ledger import Ledger, State, evening, refusal
from support.seminar.organizer_log import offered
from support.seminar.post import Asked, Slips, Written, checked_letter
from support.seminar.reading import named, settled
from support.seminar.records import (
    Action,
    Edit,
    Flag,
    Hook,
    Mail,
    OrganizingDay,
    Remade,
    Understood,
)
from support.seminar.reviewing import checked_review, in_text
from support.seminar.views import (
    APPROVE,
    EDIT,
    REMOVE,
    DayPlan,
    Desk,
    Draft,
    Review,
    Verdict,
)

T = TypeVar("T", DayPlan, Action, Draft)

# what is asked where a flag asks nothing, where a sentence about dates was not understood as a plain yes, and where
# somebody wrote more than once: of contradicting replies the newest would win unseen
UNSAID = "This reply is not covered by any policy. What is to be done about it?"
UNCLEAR = "I do not dare to read dates out of this: {} Which dates may I note? A date, “all”, or “none” is enough."
SEVERAL = "{name} wrote {count} mails since the last morning; the last one counts. What shall I answer, if anything?"
SENTENCES, QUOTED = (
    3,
    160,
)  # of a reply that are quoted where it is unclear, and characters of each


class Office:
    """The desk and everything on it; nothing tells which dates the writer of a reply meant."""

    def __init__(
        self, scenario: Scenario, artefacts: Artefacts, past: Sequence[Template]
    ) -> None:
        self.scenario, self.artefacts, self.past = scenario, artefacts, tuple(past)
        self._shown = replace(
            scenario, people=tuple(person.introduced for person in scenario.people)
        )
        self.policies, self.ledger = artefacts.policies, Ledger(scenario)
        self.number, self.mails = 0, list[Mail]()
        self.hooks, self.edits = (
            list(artefacts.hooks),
            list(artefacts.learnt),
        )  # those of earlier runs first
        self.answers, self.flagged = (
            tuple[Hook, ...](),
            set[str](),
        )  # of today: decisions, and whose replies asked

    @property
    def state(self) -> State:
        """The books as they stand."""
        return self.ledger.state(self.scenario.start + timedelta(days=self.number - 1))

    def desk(self) -> Desk:
        """What the organiser sees now; of how people behave nothing is on it."""
        kept = (
            self.policies,
            self.artefacts.templates,
            self.past,
            tuple(self.hooks),
            tuple(self.edits),
            self.answers,
        )
        return Desk(self._shown, self.state, self.number, tuple(self.mails), *kept)

    def arrive(self, one: Written) -> Mail:
        """Put a reply on the desk, numbered, without the dates that its writer meant; return the whole of it."""
        said, meant = (
            one.response,
            tuple(slot.isoformat() for slot in one.response.meant),
        )
        head = (
            len(self.mails) + 1,
            self.number,
            records.REPLY,
            one.person,
            records.ORGANISER,
        )
        mail = Mail(*head, said.subject, said.body, meant, one.answers or None)
        self.mails.append(replace(mail, slots=()))
        return mail

    def letter(self, action: Action, draft: Draft) -> Mail:
        """A mail as it would go out next: about all open dates to come, or the one of its action."""
        state, offers = (
            self.state,
            action.kind in (records.INVITATION, records.FOLLOW_UP),
        )
        free = [slot.isoformat() for slot in state.open if slot > state.today]
        slots = free if offers else [action.slot] if action.slot else []
        head = (
            len(self.mails) + 1,
            self.number,
            action.kind,
            records.ORGANISER,
            action.person,
        )
        return Mail(*head, draft.subject, draft.body, tuple(slots))

    def receive(self, read: Understood) -> None:
        """Enter a reading; a reply was written on the evening before."""
        self.ledger.received(read, self.state.today - timedelta(days=1))


class Run:
    """One run, played a day at a time; other `policies` of its `office` hold from the next step on."""

    def __init__(
        self,
        scenario: Scenario,
        post: Any,
        organizer: Any,
        detector: Any,
        reviewer: Any,
        artefacts: Artefacts,
        past: Sequence[Template],
        delegation: Mapping[str, str] | str,
        slips: Slips,
    ) -> None:
        self.organizer, self.detector, self.reviewer = organizer, detector, reviewer
        self.post, self.slips, self.delegation = post, slips, levels(delegation)
        self.office, self._remade = Office(scenario, artefacts, past), list[Remade]()

    async def day(self, number: int) -> OrganizingDay:
        """One day, from the morning's post to the evening's summary; days may be left out, none comes twice."""
        office = self.office
        office.number, office.answers, office.flagged = number, (), set()
        self.slips.errors, self._remade = [], []
        spent, edited = self._spent(), len(office.edits)
        received, understood, flags = await self._morning(
            await self.post.collect(number)
        )
        before = office.state
        progress, selected = await self._look()
        plan = await self._plan(progress, selected)
        actions = await self._act(plan, selected) if plan else []
        sent = await self._send(actions)
        after = office.state
        await self.post.evening(number, office.mails, after)
        summary = await self.slips.ask(
            "organizer", "close", self.organizer.close(office.desk()), ""
        )
        done = [
            action for action in actions if action.person in {mail.to for mail in sent}
        ]
        replies, tokens = (
            now - then for now, then in zip(self._spent(), spent, strict=True)
        )
        return OrganizingDay(
            number=number,
            date=before.today.isoformat(),
            received=tuple(received),
            understood=tuple(understood),
            flags=tuple(flags),
            progress=progress,
            selected=selected,
            plan=plan.text if plan else "",
            reason=plan.reason if plan else "",
            actions=tuple(actions),
            sent=tuple(sent),
            edits=tuple(office.edits[edited:]),
            assignment=tuple(
                (slot.isoformat(), names) for slot, names in after.slots.items()
            ),
            pending=tuple(before.pending.items()),
            violations=violations(before, done, office.policies, after, office.mails),
            summary=summary,
            format_errors=tuple(self.slips.errors),
            replies=replies,
            tokens=tokens,
            remade=tuple(self._remade),
        )

    def _spent(self) -> tuple[int, int]:
        """Replies and tokens of language models so far; somebody in two roles counts once."""
        everybody = (
            *self.post.seats.values(),
            self.organizer,
            self.detector,
            self.reviewer,
        )
        who = {id(one): one for one in everybody}.values()
        return sum(getattr(one, "replies", 0) for one in who), sum(
            getattr(one, "tokens", 0) for one in who
        )

    # ---- the morning's replies ----

    async def _morning(
        self, written: Sequence[Written]
    ) -> tuple[list[Mail], list[Understood], list[Flag]]:
        """What replies say goes into the books; what no policy covers, or has a warning, to the person at the desk.

        So does a mail that came back, of which nothing is entered.
        """
        office, came = self.office, [one for one in written if not one.bounced]
        bounced = {
            one.answers: Flag(one.answers, one.person, one.warning)
            for one in written
            if one.bounced
        }
        received = [office.arrive(one) for one in came]
        warned = {
            mail.id: one.warning for mail, one in zip(received, came, strict=True)
        }
        last, count = (
            {mail.sender: mail.id for mail in received},
            Counter(mail.sender for mail in received),
        )
        several = {
            last[name]: SEVERAL.format(name=name, count=n)
            for name, n in count.items()
            if n > 1
        }

        desk, shown = office.desk(), office.mails[len(office.mails) - len(received) :]
        reading = [
            Asked(
                "organizer",
                "read",
                self.organizer.read(desk, m),
                Understood(m.id, m.sender),
            )
            for m in shown
        ]
        verdicts = [
            self.detector.check(m.body, office.policies, self._known(desk, m))
            for m in shown
        ]
        checking = [
            Asked("detector", "check", verdict, Verdict(False)) for verdict in verdicts
        ]
        found = await self.slips.together([*reading, *checking])
        understood = [
            self._enter(mail, read) for mail, read in zip(shown, found, strict=False)
        ]

        flags = list(bounced.values())
        for mail, verdict in zip(shown, found[len(shown) :], strict=True):
            unsaid = (verdict.question.strip() or UNSAID) if verdict.flag else ""
            if question := " ".join(
                filter(None, (warned[mail.id], several.get(mail.id, ""), unsaid))
            ):
                flags.append(Flag(mail.id, mail.sender, question))
        flagged = {flag.mail for flag in flags}
        doubts = {
            k: flag
            for k, m in enumerate(shown)
            if (flag := self._doubt(m, understood[k], m.id in flagged))
        }
        office.flagged = {flag.person for flag in (*flags, *doubts.values())}
        decided = []
        for flag in flags:
            decided.append(flag := await self._decided(flag))
            office.hooks.append(hook_of(flag, office.number))
            office.answers += (office.hooks[-1],) if flag.answer else ()
        for k, flag in doubts.items():
            decided.append(flag := await self._decided(flag))
            understood[k] = self._settle(understood[k], flag.answer)
        return received, understood, decided

    def _known(self, desk: Desk, mail: Mail) -> str:
        """What a detector is told: of the writer in one line, then what was decided before, and the mails so far."""
        contact, person = (
            desk.state.contacts[mail.sender],
            self.office.scenario.person(mail.sender),
        )
        has = (
            ", ".join(in_words(slot) for slot in desk.state.dates_of(mail.sender))
            or "no date"
        )
        asked = next((m for m in self.office.mails if m.id == mail.answers), None)
        parts = [
            f"{person.name} is a {person.role}, was written {len(contact.mails)} mails and has {has}.",
            f"They said before: {contact.said}." if contact.said else "",
            f"The reply answers: {asked.subject}." if asked else "",
        ]
        decided = [
            f"Asked: {h.question} Decided: {h.answer}"
            for h in desk.hooks
            if h.answer.strip()
        ]
        thread = [m for m in desk.thread(mail.sender) if m.id != mail.id]
        mails = [
            f"Day {m.day}, {m.kind}, from {m.sender}: {m.subject}. {m.body}"
            for m in reversed(thread)
        ]
        return "\n".join(
            [
                " ".join(part for part in parts if part),
                *(" ".join(t.split()) for t in (*decided, *mails)),
            ]
        )

    def _enter(self, mail: Mail, read: Understood) -> Understood:
        """The reading of a mail is about that mail; one that cannot be is that of a reply which says nothing."""
        read = replace(read, mail=mail.id, person=mail.sender)
        try:
            self.office.receive(read)
        except InvalidInput as error:
            self.slips.note("organizer", "read", str(error))
            read = Understood(mail.id, mail.sender)
            self.office.receive(read)
        return read

    def _doubt(self, mail: Mail, read: Understood, flagged: bool) -> Flag | None:
        """What is asked about sentences that were not understood; of a flagged reply only about those with a date."""
        slots = self.office.scenario.slots
        asked = [
            sentence
            for sentence in read.unclear
            if not flagged or named(sentence, slots)
        ]
        quoted = [
            f"“{textwrap.shorten(text, QUOTED, placeholder=' …')}”"
            for text in asked[:SENTENCES]
        ]
        return (
            Flag(mail.id, mail.sender, UNCLEAR.format(" ".join(quoted)), dates=True)
            if asked
            else None
        )

    async def _decided(self, flag: Flag) -> Flag:
        asked = self.reviewer.decide(self.office.desk(), flag)
        return replace(
            flag, answer=(await self.slips.ask("reviewer", "decide", asked, "")).strip()
        )

    def _settle(self, read: Understood, answer: str) -> Understood:
        """A reading with the dates that the person at the desk read out of it; without an answer it stays as it is."""
        desk = self.office.desk()
        found = settled(answer, read.unclear, offered(desk, read.person), desk.today)
        if found is None:
            return read
        sets = {
            what: set(iso(getattr(found, what)))
            for what in ("available", "vague", "unavailable")
        }
        dates: dict[str, Any] = {}
        for what, said in sets.items():
            others = (other for name, other in sets.items() if name != what)
            dates[what] = tuple(
                sorted({*getattr(read, what), *said}.difference(*others))
            )
        read = replace(read, **dates, unclear=())
        self.office.receive(read)
        return read

    # ---- from the progress to the mails ----

    async def _look(self) -> tuple[str, tuple[str, ...]]:
        desk, slips = self.office.desk(), self.slips
        progress = await slips.ask(
            "organizer", "progress", self.organizer.progress(desk), ""
        )
        selected = await slips.ask(
            "organizer", "select", self.organizer.select(desk, progress), ()
        )
        known = self.office.policies.ids
        for stranger in (name for name in selected if name not in known):
            slips.note(
                "organizer",
                "select",
                f"policy {stranger!r} given; expected some of {', '.join(known)}",
            )
        return progress, tuple(
            dict.fromkeys(name for name in selected if name in known)
        )

    async def _plan(self, progress: str, selected: tuple[str, ...]) -> DayPlan | None:
        async def made(wish: str = "") -> DayPlan | None:
            asked = self.organizer.plan(self.office.desk(), progress, selected, wish)
            plan: DayPlan | None = await self.slips.ask("organizer", "plan", asked)
            return plan

        plan = await made()
        return (
            await self._checked(records.PLAN, plan, "", made)
            if plan and self._stops(records.PLAN)
            else plan
        )

    async def _act(self, plan: DayPlan, selected: tuple[str, ...]) -> list[Action]:
        """The actions of a plan that can be carried out together, each after its checkpoint."""

        async def made(wish: str = "") -> tuple[Action, ...]:
            asked = self.organizer.act(self.office.desk(), plan, selected, wish)
            return tuple(await self.slips.ask("organizer", "act", asked, ()))

        kept: list[Action] = []
        for proposed in await made():
            if not self._possible(proposed, kept, "organizer"):
                continue

            async def again(wish: str, person: str = proposed.person) -> Action | None:
                found = next(
                    (other for other in await made(wish) if other.person == person),
                    None,
                )
                if found is None:
                    self.slips.note(
                        "organizer",
                        "act",
                        f"no action for {person} when it was asked again",
                    )
                return found

            stops = self._stops(proposed.kind, proposed.person)
            action = (
                await self._checked(records.ACTION, proposed, proposed.person, again)
                if stops
                else proposed
            )
            if action and (
                action == proposed or self._possible(action, kept, "reviewer")
            ):
                kept.append(action)
        return kept

    def _possible(self, action: Action, kept: Sequence[Action], agent: str) -> bool:
        """Whether an action can be carried out beside others of the day; why not is noted."""
        why = refusal(evening(self.office.state, kept), action)
        if not why and action.person in {other.person for other in kept}:
            why = f"action: a second one for {action.person} given; expected at most one a day"
        if why:
            self.slips.note(agent, "act", why)
        return not why

    async def _send(self, actions: Sequence[Action]) -> list[Mail]:
        """Mails of the actions: all drafted, each looked at, then sent; a confirmation gives its date away then."""
        office, desk = self.office, self.office.desk()
        writing = [action for action in actions if action.kind in records.SENT]
        asked = [
            Asked("organizer", "draft", self._draft(desk, action)) for action in writing
        ]
        sent = []
        for action, draft in zip(
            writing, await self.slips.together(asked), strict=True
        ):
            if left := draft and await self._read_over(action, draft):
                mail = office.letter(action, left)
                if (
                    await self.slips.ask("post", "send", self.post.send(mail), False)
                    is None
                ):
                    office.ledger.sent(mail, action)
                    office.mails.append(mail)
                    sent.append(mail)
        return sent

    async def _draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        return _letter(action, await self.organizer.draft(desk, action, wish))

    async def _read_over(self, action: Action, draft: Draft) -> Draft | None:
        async def again(wish: str) -> Draft | None:
            asked = self._draft(self.office.desk(), action, wish)
            made: Draft | None = await self.slips.ask("organizer", "draft", asked)
            return made

        if not (self.post.exact or self._stops(action.kind, action.person)):
            return draft
        left = await self._checked(records.MAIL, draft, action.person, again)
        try:
            return left and _letter(action, left)
        except InvalidInput as error:
            self.slips.note("reviewer", records.MAIL, str(error))
            return None

    # ---- checkpoints ----

    def _stops(self, kind: str, about: str = "") -> bool:
        """Whether something of that kind, about somebody ("" for a plan), is shown to the person at the desk today."""
        level, flagged = self.delegation[kind], self.office.flagged
        return level == ALWAYS or (
            level == WHEN_FLAGGED and (about in flagged if about else bool(flagged))
        )

    async def _checked(
        self,
        what: str,
        item: T,
        about: str,
        again: Callable[[str], Awaitable[T | None]],
    ) -> T | None:
        """What is left of an item (None: removed); a change or a removal is remembered.

        `again` makes another one by a wish, at most `AGAINS` times; who still wants another then has removed it.
        """
        desk, shown, wishes = self.office.desk(), item, 0
        made: T | None
        while True:
            review: Review | None = await self.slips.ask(
                "reviewer", what, self._reviewed(desk, what, shown, about)
            )
            if review is None:
                return None
            edited: Any = review.edited
            if review.decision == APPROVE or (
                review.decision == EDIT and edited == shown
            ):
                return shown
            if review.decision in (EDIT, REMOVE) or wishes == AGAINS:
                edit = Edit(
                    what, about, in_text(shown), in_text(edited) if edited else ""
                )
                summary = await self.slips.ask(
                    "organizer", "describe", self.organizer.describe(desk, edit), ""
                )
                self.office.edits.append(
                    replace(edit, summary=" ".join(summary.split()))
                )
                return edited
            made, wishes = await again(review.wish), wishes + 1
            self._remade.append(
                Remade(
                    what,
                    about,
                    in_text(shown),
                    in_text(made) if made else "",
                    review.wish,
                )
            )
            if made is None:
                return None
            shown = made

    async def _reviewed(self, desk: Desk, what: str, item: T, about: str) -> Review:
        return checked_review(
            desk, what, item, await self.reviewer.review(desk, what, item, about)
        )


def _letter(action: Action, draft: Draft) -> Draft:
    """A mail of ours as it would leave; without a subject none does."""
    what = f"{action.kind} to {action.person}"
    checked = checked_letter(what, draft.subject, draft.body)
    if not checked.subject:
        raise InvalidInput(f"{what}: an empty subject given; expected some text")
    return checked
