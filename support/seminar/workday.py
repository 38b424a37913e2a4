"""A day of organising: the desk and the books, the morning's replies, and from the progress to the mails of the day."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from support.errors import InvalidInput
from support.seminar.artefacts import Artefacts, Template, hook_of
from support.seminar.checkpoints import Checkpoint
from support.seminar.data import Scenario, in_words
from support.seminar.ledger import Ledger, State, evening, refusal
from support.seminar.organizer_log import offered
from support.seminar.post import Asked, Slips, Written, checked_letter
from support.seminar.reading import named, settled
from support.seminar.records import (
    ACTION,
    FOLLOW_UP,
    INVITATION,
    MAIL,
    ORGANISER,
    PLAN,
    REPLY,
    SENT,
    Action,
    Edit,
    Flag,
    Hook,
    Mail,
    Understood,
)
from support.seminar.views import DayPlan, Desk, Draft, Verdict


class Office:
    """The desk and everything on it; nothing tells which dates the writer of a reply meant."""

    def __init__(self, scenario: Scenario, artefacts: Artefacts, past: Sequence[Template], slips: Slips) -> None:
        self.scenario, self.artefacts, self.past, self.slips = scenario, artefacts, tuple(past), slips
        self._shown = replace(scenario, people=tuple(person.introduced for person in scenario.people))
        self.policies = artefacts.policies
        self.ledger = Ledger(scenario)
        self.number, self.mails = 0, list[Mail]()
        self.hooks, self.edits = list(artefacts.hooks), list(artefacts.learnt)  # those of earlier runs first
        self.answers, self.flagged = tuple[Hook, ...](), set[str]()  # of today: decisions, and whose replies asked

    def open(self, number: int) -> None:
        """Begin a day."""
        self.number, self.answers, self.flagged = number, (), set()

    @property
    def state(self) -> State:
        """The books as they stand."""
        return self.ledger.state(self.scenario.start + timedelta(days=self.number - 1))

    def desk(self) -> Desk:
        """What the organiser sees now; of how people behave nothing is on it."""
        kept = self.policies, self.artefacts.templates, self.past, tuple(self.hooks), tuple(self.edits), self.answers
        return Desk(self._shown, self.state, self.number, tuple(self.mails), *kept)

    def arrive(self, mail: Mail) -> Mail:
        """Put a reply on the desk, numbered, without the dates that its writer meant; return the whole of it."""
        mail = replace(mail, id=len(self.mails) + 1, day=self.number)
        self.mails.append(replace(mail, slots=()))
        return mail

    def letter(self, action: Action, draft: Draft) -> Mail:
        """A mail as it would go out next: about all open dates to come, or the one of its action."""
        state, offers = self.state, action.kind in (INVITATION, FOLLOW_UP)
        free = [slot.isoformat() for slot in state.open if slot > state.today]
        slots = free if offers else [action.slot] if action.slot else []
        head = len(self.mails) + 1, self.number, action.kind, ORGANISER, action.person
        return Mail(*head, draft.subject, draft.body, tuple(slots))

    def enter(self, mail: Mail, action: Action) -> Mail:
        """Enter a mail that went out; a confirmation gives its date away."""
        self.ledger.sent(mail, action)
        self.mails.append(mail)
        return mail

    def take_off(self, name: str) -> None:
        """Leave somebody alone from now on; dates that they had are free again."""
        self.ledger.withdraw(name)

    def put_back(self, name: str) -> None:
        """Have somebody on the list again."""
        self.ledger.put_back(name)

    def remember(self, edit: Edit | None) -> None:
        """Keep what the person at the desk changed."""
        self.edits += [edit] if edit else []


UNSAID = "This reply is not covered by any policy. What is to be done about it?"
"""The question of a flag that asks nothing."""

UNCLEAR = "I do not dare to read dates out of this: {} Which dates may I note? A date, “all”, or “none” is enough."
"""What is asked where a sentence about dates was not understood as a plain yes."""
SENTENCES, QUOTED = 3, 160  # of a reply that are quoted in that question, and characters of each

SEVERAL = "{name} wrote {count} mails since the last morning; the last one counts. What shall I answer, if anything?"
"""What is asked where somebody wrote more than once: of contradicting replies the newest would win unseen."""


class Morning:
    """Reads the post."""

    def __init__(self, office: Office, organizer: Any, detector: Any, reviewer: Any) -> None:
        self._office, self.organizer, self.detector, self.reviewer = office, organizer, detector, reviewer
        self._bounced: list[Flag] = []

    def collect(self, written: Sequence[Written]) -> tuple[list[Mail], dict[int, str]]:
        """The morning's post, numbered, and the warnings that came with it by the number of the mail.

        Of a mail that came back nothing is entered; `read` asks what is to be done.
        """
        self._bounced = list({one.answers: Flag(one.answers, one.person, one.warning)
                              for one in written if one.bounced}.values())  # fmt: skip
        written = [one for one in written if not one.bounced]
        received = [self._office.arrive(_mail(one)) for one in written]
        warned = {mail.id: one.warning for mail, one in zip(received, written, strict=True) if one.warning}
        return received, warned | _contradictory(received, warned)

    async def read(
        self, received: Sequence[Mail], warned: Mapping[int, str] | None = None
    ) -> tuple[list[Understood], list[Flag]]:
        """What replies say goes into the books; what no policy covers goes to the person at the desk.

        So does a reply with a warning, whatever a detector thinks of it.
        """
        office = self._office
        desk, shown = office.desk(), office.mails[len(office.mails) - len(received) :]
        reading = [Asked("organizer", "read", self.organizer.read(desk, m), Understood(m.id, m.sender)) for m in shown]
        verdicts = [self.detector.check(m.body, office.policies, self._known(desk, m)) for m in shown]
        checking = [Asked("detector", "check", verdict, Verdict(False)) for verdict in verdicts]
        found = await office.slips.together([*reading, *checking])
        understood = [self._enter(m, read) for m, read in zip(shown, found, strict=False)]
        judged = zip(shown, found[len(shown) :], strict=True)
        asked = [(m, _question(verdict, (warned or {}).get(m.id, ""))) for m, verdict in judged]
        flags = [*self._bounced, *(Flag(m.id, m.sender, question) for m, question in asked if question)]
        flagged = {flag.mail for flag in flags}
        doubts = {k: flag for k, m in enumerate(shown) if (flag := self._doubt(m, understood[k], m.id in flagged))}
        office.flagged = {flag.person for flag in (*flags, *doubts.values())}
        flags = [await self._ask(flag) for flag in flags]
        for k, flag in doubts.items():
            answer = await office.slips.ask("reviewer", "decide", self.reviewer.decide(office.desk(), flag), "")
            flags.append(replace(flag, answer=answer.strip()))
            understood[k] = self._settle(understood[k], answer)
        return understood, flags

    def _doubt(self, mail: Mail, read: Understood, flagged: bool) -> Flag | None:
        """What is asked about sentences that were not understood; of a flagged reply only about those with a date."""
        slots = self._office.scenario.slots
        asked = [sentence for sentence in read.unclear if not flagged or named(sentence, slots)]
        quoted = [f"“{textwrap.shorten(text, QUOTED, placeholder=' …')}”" for text in asked[:SENTENCES]]
        question = UNCLEAR.format(" ".join(quoted))
        return Flag(mail.id, mail.sender, question, dates=True) if asked else None

    def _settle(self, read: Understood, answer: str) -> Understood:
        """A reading with the dates that the person at the desk read out of it; without an answer it stays as it is."""
        office = self._office
        desk = office.desk()
        found = settled(answer, read.unclear, offered(desk, read.person), desk.today)
        if found is None:
            return read
        firm, vague, cannot = (
            {slot.isoformat() for slot in slots} for slots in (found.available, found.vague, found.unavailable)
        )
        read = replace(
            read,
            available=tuple(sorted({*read.available, *firm} - vague - cannot)),
            vague=tuple(sorted({*read.vague, *vague} - firm - cannot)),
            unavailable=tuple(sorted({*read.unavailable, *cannot} - firm - vague)),
            unclear=(),
        )
        office.ledger.received(read, desk.state.today - timedelta(days=1))
        return read

    def _enter(self, mail: Mail, read: Understood) -> Understood:
        """The reading of a mail is about that mail; one that cannot be is that of a reply which says nothing."""
        office, yesterday = self._office, self._office.state.today - timedelta(days=1)
        read = replace(read, mail=mail.id, person=mail.sender)
        try:
            office.ledger.received(read, yesterday)
        except InvalidInput as error:
            office.slips.note("organizer", "read", str(error))
            read = Understood(mail.id, mail.sender)
            office.ledger.received(read, yesterday)
        return read

    def _known(self, desk: Desk, mail: Mail) -> str:
        """What a detector is told: of the writer in one line, then what was decided before, and the mails so far."""
        contact, person = desk.state.contacts[mail.sender], self._office.scenario.person(mail.sender)
        has = ", ".join(in_words(slot) for slot in desk.state.dates_of(mail.sender)) or "no date"
        asked = next((m for m in self._office.mails if m.id == mail.answers), None)
        parts = [
            f"{person.name} is a {person.role}, was written {len(contact.mails)} mails and has {has}.",
            f"They said before: {contact.said}." if contact.said else "",
            f"The reply answers: {asked.subject}." if asked else "",
        ]
        decided = [f"Asked: {h.question} Decided: {h.answer}" for h in desk.hooks if h.answer.strip()]
        thread = [m for m in desk.thread(mail.sender) if m.id != mail.id]
        mails = [f"Day {m.day}, {m.kind}, from {m.sender}: {m.subject}. {m.body}" for m in reversed(thread)]
        return "\n".join([" ".join(part for part in parts if part), *(" ".join(t.split()) for t in (*decided, *mails))])

    async def _ask(self, flag: Flag) -> Flag:
        office = self._office
        answer = await office.slips.ask("reviewer", "decide", self.reviewer.decide(office.desk(), flag), "")
        flag = replace(flag, answer=answer.strip())
        hook = hook_of(flag, office.number)
        office.hooks.append(hook)
        office.answers += (hook,) if flag.answer else ()
        return flag


def _question(verdict: Verdict, warning: str) -> str:
    """What the person at the desk is asked about a reply; "" for nothing."""
    found = (verdict.question.strip() or UNSAID) if verdict.flag else ""
    return " ".join(part for part in (warning, found) if part)


def _contradictory(received: Sequence[Mail], warned: Mapping[int, str]) -> dict[int, str]:
    """A warning for the last of several mails that one person wrote until the same morning."""
    count, last = Counter(mail.sender for mail in received), {mail.sender: mail.id for mail in received}
    several = {last[name]: SEVERAL.format(name=name, count=n) for name, n in count.items() if n > 1}
    return {mail: " ".join(part for part in (warned.get(mail, ""), said) if part) for mail, said in several.items()}


def _mail(one: Written) -> Mail:
    """A reply as a mail, before it has a number."""
    said, meant = one.response, tuple(slot.isoformat() for slot in one.response.meant)
    return Mail(0, 0, REPLY, one.person, ORGANISER, said.subject, said.body, meant, one.answers or None)


class Workday:
    """Sums up, selects, plans, acts, writes."""

    def __init__(self, office: Office, organizer: Any, checkpoint: Checkpoint, post: Any) -> None:
        self._office, self.organizer, self.checkpoint, self.post = office, organizer, checkpoint, post

    async def look(self) -> tuple[str, tuple[str, ...]]:
        """The progress, and which policies apply."""
        desk, slips = self._office.desk(), self._office.slips
        progress = await slips.ask("organizer", "progress", self.organizer.progress(desk), "")
        selected = await slips.ask("organizer", "select", self.organizer.select(desk, progress), ())
        known = [policy.id for policy in self._office.policies]
        for stranger in (name for name in selected if name not in known):
            slips.note("organizer", "select", f"policy {stranger!r} given; expected some of {', '.join(known)}")
        return progress, tuple(dict.fromkeys(name for name in selected if name in known))

    async def decide(self, progress: str, selected: tuple[str, ...]) -> tuple[DayPlan | None, list[Action]]:
        """The plan, and its actions; without a plan there are none."""

        async def made(wish: str = "") -> DayPlan | None:
            """A plan, by a wish or without one."""
            asked = self.organizer.plan(self._office.desk(), progress, selected, wish)
            plan: DayPlan | None = await self._office.slips.ask("organizer", "plan", asked)
            return plan

        plan = await made()
        if plan and self.checkpoint.stops(PLAN, "", self._office.flagged):
            plan, edit = await self.checkpoint.look(self._office.desk(), PLAN, plan, "", made)
            self._office.remember(edit)
        return plan, await self._actions(plan, selected) if plan else []

    async def _actions(self, plan: DayPlan, selected: tuple[str, ...]) -> list[Action]:
        async def made(wish: str = "") -> tuple[Action, ...]:
            asked = self.organizer.act(self._office.desk(), plan, selected, wish)
            return tuple(await self._office.slips.ask("organizer", "act", asked, ()))

        kept: list[Action] = []
        for proposed in await made():
            if not self._possible(proposed, kept, "organizer"):
                continue
            action = await self._shown(proposed, made)
            if action and (action == proposed or self._possible(action, kept, "reviewer")):
                kept.append(action)
        return kept

    def _possible(self, action: Action, kept: Sequence[Action], agent: str) -> bool:
        """Whether an action can be carried out beside others of the day; why not is noted."""
        why = refusal(evening(self._office.state, kept), action)
        if not why and action.person in {other.person for other in kept}:
            why = f"action: a second one for {action.person} given; expected at most one a day"
        if why:
            self._office.slips.note(agent, "act", why)
        return not why

    async def _shown(self, action: Action, made: Any) -> Action | None:
        """An action after its checkpoint."""

        async def again(wish: str) -> Action | None:
            found = next((other for other in await made(wish) if other.person == action.person), None)
            if found is None:
                self._office.slips.note("organizer", "act", f"no action for {action.person} when it was asked again")
            return found

        if not self.checkpoint.stops(action.kind, action.person, self._office.flagged):
            return action
        left, edit = await self.checkpoint.look(self._office.desk(), ACTION, action, action.person, again)
        self._office.remember(edit)
        return left

    async def send(self, actions: Sequence[Action]) -> list[Mail]:
        """Mails of the actions that are not to wait: all drafted, each looked at, then sent."""
        writing = [action for action in actions if action.kind in SENT]
        desk = self._office.desk()
        asked = [Asked("organizer", "draft", self._draft(desk, action)) for action in writing]
        drafts = await self._office.slips.together(asked)
        sent = []
        for action, draft in zip(writing, drafts, strict=True):
            if left := draft and await self._read_over(action, draft):
                mail = self._office.letter(action, left)
                if await self._office.slips.ask("post", "send", self.post.send(mail), False) is None:
                    sent.append(self._office.enter(mail, action))
        return sent

    async def _draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        return _letter(action, await self.organizer.draft(desk, action, wish))

    async def _read_over(self, action: Action, draft: Draft) -> Draft | None:
        """A mail after its checkpoint."""

        async def again(wish: str) -> Draft | None:
            asked = self._draft(self._office.desk(), action, wish)
            made: Draft | None = await self._office.slips.ask("organizer", "draft", asked)
            return made

        if not (self.post.exact or self.checkpoint.stops(action.kind, action.person, self._office.flagged)):
            return draft
        left, edit = await self.checkpoint.look(self._office.desk(), MAIL, draft, action.person, again)
        self._office.remember(edit)
        try:
            return left and _letter(action, left)
        except InvalidInput as error:
            self._office.slips.note("reviewer", MAIL, str(error))
            return None


def _letter(action: Action, draft: Draft) -> Draft:
    """A mail of ours as it would leave; without a subject none does."""
    what = f"{action.kind} to {action.person}"
    checked = checked_letter(what, draft.subject, draft.body)
    if not checked.subject:
        raise InvalidInput(f"{what}: an empty subject given; expected some text")
    return checked
