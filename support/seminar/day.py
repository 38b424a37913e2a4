"""A day of organising: replies are read, a day is planned, mails are written and sent.

The loop of "DoubleAgents" (Long et al., 002), section 3. On each day

1. replies are entered, and checked for what no policy covers; the person at the desk is
   asked about that, and about what nobody could read,
2. the organiser sums up, selects policies, plans the day, turns the plan into actions,
3. mails are written and sent, dates are given away,
4. whoever got mail reads it in the evening and answers at once, later, or never.

Plans, actions and mails pass the person at the desk, as far as they are not delegated.
What a policy forbids is not prevented: it is done, and recorded as a violation.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace
from datetime import date
from typing import Any

from support.errors import NotSent
from support.play import AMISS as UNFIT
from support.play import FormatError, counted, together
from support.seminar import words
from support.seminar.books import Books
from support.seminar.data import ORGANISER, Scenario, in_words
from support.seminar.desk import Artefacts, Desk, Template
from support.seminar.policies import Judged, violations
from support.seminar.records import (
    ACTION,
    CONFIRMATION,
    FOLLOW_UP,
    INVITATION,
    MAIL,
    PLAN,
    SENT,
    STATED,
    Action,
    Day,
    DayPlan,
    Draft,
    Edit,
    Flag,
    Mail,
    Reading,
    Review,
    Says,
)
from support.seminar.review import (
    AGAINS,
    ALWAYS,
    AUTOMATIC,
    checked_draft,
    checked_review,
    in_text,
    levels,
    texts,
)
from support.seminar.speakers import Letter, Response

AMISS = (*UNFIT, NotSent)
UNSAID = "No policy covers this reply. What is to be done about it?"
CROWDED = "{names} each have {slot}, as a reply was read otherwise later. What shall I tell {who}?"


class DirectPost:
    """Hands mails to simulated people, and their replies back the next morning.

    Another post has the same methods (`seminars.post.MailPost`); where it is `exact`, a
    person approves every mail as it goes out. `send` raises NotSent where a mail
    certainly did not go, FateUnknown, which stops the day, where nobody knows.
    """

    exact = False

    def __init__(self, scenario: Scenario, seats: Mapping[str, Any]) -> None:
        self.scenario = scenario
        self.seats = dict(seats)
        self.looks = dict[str, int | None]()
        self.box = list[Mail]()

    async def collect(self, day: int) -> list[Mail]:
        """Empty the box; its mails have no number and no day yet."""
        found = self.box
        self.box = []
        return found

    async def send(self, mail: Mail) -> None:
        """Nothing is in the way."""

    def awaited(self, last: int) -> bool:
        """Whether a reply lies in the box, or somebody looks again before that day."""
        looks = [day for day in self.looks.values() if day is not None]
        return bool(self.box) or any(day < last for day in looks)

    def letter(
        self,
        desk: Desk,
        name: str,
        day: int,
        given: Iterable[date],
    ) -> Letter:
        """What somebody is shown on a day, or was, who had these dates then."""
        thread = tuple(mail for mail in desk.thread(name) if mail.day <= day)
        offered = sorted({slot for mail in thread for slot in mail.slots})
        head = name, desk.scenario.organiser, day, self.scenario.on(day), thread
        return Letter(*head, tuple(offered), tuple(given))

    async def evening(self, desk: Desk, slips: Slips) -> None:
        """Whoever got mail today, or said that they would look, reads and may write."""
        got = {mail.to for mail in desk.mails if mail.day == desk.day}
        got |= {name for name, day in self.looks.items() if day == desk.day}
        letters = {}
        calls = {}
        for name in filter(got.__contains__, self.seats):
            held = desk.books.held(name)
            letters[name] = self.letter(desk, name, desk.day, held)
            answer = self.seats[name].answer(letters[name])
            calls[name] = slips.ask(name, "answer", answer, Response())
        for name, response in (await together(calls)).items():
            self.keep(letters[name], response)

    def keep(self, letter: Letter, response: Response) -> None:
        """A response, and the day on which they look again."""
        self.looks[letter.person] = response.until
        if response.body or response.says is not None:
            self.box.append(response.mail(letter.person, letter.latest.id))


class Slips(list[FormatError]):
    """What went amiss on a day. Errors of programs are raised; those of replies kept."""

    def note(
        self,
        agent: str,
        phase: str,
        detail: str,
    ) -> None:
        """Keep one."""
        self.append(FormatError(agent, phase, detail))

    async def ask(
        self,
        agent: str,
        phase: str,
        made: Awaitable[Any],
        instead: Any = None,
    ) -> Any:
        """The result of a call, or what stands for it."""
        try:
            return await made
        except AMISS as error:
            self.note(agent, phase, str(error))
            return instead


class Run:
    """One run, played a day at a time.

    `roles` has "organizer", "detector", "reviewer" and perhaps "reader", whose readings
    count in the place of what a reply states.
    """

    def __init__(
        self,
        scenario: Scenario,
        post: Any,
        roles: Mapping[str, Any],
        artefacts: Artefacts,
        past: Sequence[Template] = (),
        delegation: Mapping[str, str] | str = AUTOMATIC,
    ) -> None:
        self.post = post
        self.roles = roles
        self.delegation = levels(delegation)
        self.slips = Slips()
        begun = artefacts.policies, artefacts.templates, tuple(past)
        learnt = [*artefacts.hooks], [*artefacts.learnt]
        self.desk = Desk(Books(scenario.introduced), *begun, *learnt)
        self._readings = list[Reading]()

    async def day(self, number: int) -> Day:
        """One day, from the morning's post to the evening's summary; days may be left
        out, none comes twice."""
        desk = self.desk
        edited = len(self.desk.edits)
        spent = self._spent()
        self._begin(number)
        received, flags = await self._morning(await self.post.collect(number))
        before = desk.books.copy()
        desk.progress = await self._ask("organizer", "progress", desk, instead="")
        chosen = await self._ask("organizer", "select", desk, instead=())
        desk.selected = tuple(name for name in desk.policies.ids if name in chosen)
        desk.plan = await self._plan()
        desk.actions = await self._act()
        sent = await self._send()
        assignment = desk.books.assignment
        await self.post.evening(desk, self.slips)
        summary = await self._ask("organizer", "close", desk, instead="")
        wrote = {mail.to for mail in sent}
        done = [action for action in desk.actions if action.person in wrote]
        replies, tokens = self._spent()
        day = Day(
            number=number,
            date=desk.today,
            received=received,
            readings=tuple(self._readings),
            flags=flags,
            progress=desk.progress,
            selected=desk.selected,
            plan=desk.plan,
            actions=desk.actions,
            sent=sent,
            edits=tuple(desk.edits[edited:]),
            assignment=assignment,
            violations=violations(
                Judged(before, desk.books, done, desk.mails, desk.policies)
            ),
            summary=summary,
            format_errors=tuple(self.slips),
            replies=replies - spent[0],
            tokens=tokens - spent[1],
        )
        self._readings = []
        desk.before.append(day)
        return day

    def restore(self, days: Sequence[Day], events: Iterable[tuple[Any, ...]]) -> None:
        """Be where these days left a run, whose books these events made."""
        desk = self.desk
        readings = dict[int, Says]()
        for day in days:
            readings |= {one.mail: one.says for one in day.readings}
        for what, *of in events:
            if what == "received":
                of[2] = readings.get(of[0])
            desk.books.enter(what, *of)
        for day in days:
            self._begin(day.number)
            desk.mails += [*day.received, *day.sent]
            desk.hooks += day.flags
            desk.edits += day.edits
            desk.before.append(day)
            desk.progress = day.progress
            desk.selected = day.selected
            desk.plan = day.plan
            desk.actions = day.actions

    def _begin(self, number: int) -> None:
        desk = self.desk
        self.slips = Slips()
        desk.progress = ""
        desk.selected = ()
        desk.plan = DayPlan("")
        desk.actions = ()
        desk.day = number
        desk.books.today = desk.scenario.on(number)

    def _spent(self) -> tuple[int, int]:
        """Replies and tokens of models so far; who has several roles counts once."""
        seats = (*self.post.seats.values(), *self.roles.values())
        each = {id(seat): seat for seat in seats}.values()
        return counted(each, "replies"), counted(each, "tokens")

    async def _ask(
        self,
        role: str,
        what: str,
        *about: Any,
        instead: Any = None,
    ) -> Any:
        made = getattr(self.roles[role], what)(*about)
        return await self.slips.ask(role, what, made, instead)

    # ---- the morning's replies ----

    async def _morning(
        self, written: Iterable[Mail]
    ) -> tuple[tuple[Mail, ...], tuple[Flag, ...]]:
        """What replies say is entered; what nobody could read, the person at the desk is
        asked to; then they are asked about what no policy covers, or leaves too many
        people on a date. What cannot be judged is flagged."""
        received = [self._arrive(one) for one in written]
        known = []
        flags = list[Flag]()
        read = await together({mail: self._read(mail, "reader") for mail in received})
        for mail, reading in read.items():
            reading = reading or await self._read(mail, "reviewer")
            if reading:
                self.enter(reading)
            known.append(replace(mail, says=reading.says if reading else None))
        asked = "detector", "check"
        checks = {m: self._ask(*asked, m, self.desk, instead="") for m in known}
        for mail, question in (await together(checks)).items():
            if question is not None:
                flags.append(Flag(mail.id, mail.sender, question.strip() or UNSAID))
        flags += self._crowded()
        return tuple(received), tuple([await self._decide(flag) for flag in flags])

    def _arrive(self, mail: Mail) -> Mail:
        """A mail is in the books from the evening before, though nobody read it yet."""
        desk = self.desk
        mail = replace(mail, id=len(desk.mails) + 1, day=desk.day)
        desk.mails.append(mail)
        on = desk.scenario.on(mail.day - 1)
        desk.books.enter("received", mail.id, mail.sender, None, on)
        return mail

    async def _read(self, mail: Mail, role: str) -> Reading | None:
        """What a reply says: as its writer states it, or as somebody takes its words."""
        says = mail.says
        by = STATED
        if role in self.roles:
            says = await self._ask(role, "read", self.desk, mail)
            by = self.roles[role].kind
        return Reading(mail.id, mail.sender, says, by) if says else None

    def enter(self, reading: Reading) -> None:
        """Enter what a reply says, in the place of what it was taken to say before; all
        readings stay on record."""
        self.desk.books = self.desk.books.corrected(reading.mail, reading.says)
        self._readings.append(reading)

    def _crowded(self) -> list[Flag]:
        """A question about each date with too many people, to who got it last, once."""
        asked = [flag.question for flag in self.desk.hooks]
        found = []
        for slot, names in self.desk.books.crowded:
            both = " and ".join(names)
            last = names[-1]
            question = CROWDED.format(
                names=both,
                slot=in_words(slot),
                who=last,
            )
            if question not in asked:
                found.append(Flag(0, last, question))
        return found

    async def _decide(self, flag: Flag) -> Flag:
        desk = self.desk
        asked = self._ask("reviewer", "decide", desk, flag, instead=flag)
        decided: Flag = replace(await asked, day=desk.day)
        desk.hooks.append(decided)
        return decided

    # ---- from the summary to the mails ----

    async def _plan(self) -> DayPlan:
        async def made() -> list[Any]:
            found = await self._ask("organizer", "plan", self.desk)
            return [found] if found else []

        found = await self._looked_at(PLAN, made)
        return found[0] if found else DayPlan("")

    async def _act(self) -> tuple[Action, ...]:
        """The actions of a plan that can be carried out together; a confirmation gives
        its date away."""
        desk = self.desk

        async def made() -> list[Any]:
            asked = self._ask("organizer", "act", desk, instead=())
            return self._possible(await asked)

        actions = []
        if desk.plan.text:
            actions = self._possible(await self._looked_at(ACTION, made))
        for action in actions:
            if action.kind == CONFIRMATION:
                desk.books.enter("given", action.person, action.slots[0])
        return tuple(actions)

    def _possible(self, actions: Iterable[Action]) -> list[Action]:
        """Those that can be carried out one after the other; why not is noted."""
        kept: list[Action] = []
        for action in actions:
            if why := self.desk.books.refusal(action, kept):
                self.slips.note("organizer", "act", why)
            else:
                kept.append(action)
        return kept

    async def _send(self) -> tuple[Mail, ...]:
        """Mails of the actions: all drafted, all looked at, then sent."""
        desk = self.desk
        sent = list[Mail]()
        writing = [action for action in desk.actions if action.kind in SENT]

        async def drafted(action: Action) -> Draft:
            return checked_draft(await self.roles["organizer"].draft(desk, action))

        async def made() -> list[Any]:
            asked = ("organizer", "draft")
            ask = self.slips.ask
            calls = {a: ask(*asked, drafted(a)) for a in writing}
            return [draft for draft in (await together(calls)).values() if draft]

        for draft in await self._looked_at(MAIL, made):
            if why := self.held(draft):
                self.slips.note("post", "send", why)
                continue
            mail = self._letter(draft)
            gone = self.slips.ask("post", "send", self.post.send(mail), NotSent)
            if await gone is not NotSent:
                desk.books.enter("sent", mail, desk.today)
                desk.mails.append(mail)
                sent.append(mail)
        return tuple(sent)

    def held(self, draft: Draft) -> str:
        """Why a mail does not go as it is; "" where it does."""
        if gap := words.gap_in(draft.subject + draft.body):
            return f"mail to {draft.person}: {gap} is not filled in"
        if other := words.greets_another(draft, self.desk.scenario):
            return f"mail to {draft.person}: its first line names {other}"
        return ""

    def _letter(self, draft: Draft) -> Mail:
        """A mail as it goes out: about all free dates to come, or those of its action."""
        desk = self.desk
        action = self._action(draft.person)
        offers = action.kind in (INVITATION, FOLLOW_UP)
        slots = desk.books.to_come if offers else action.slots
        grants = None
        for flag in desk.decided:
            if flag.person == action.person and flag.grants is not None:
                grants = flag.grants
        head = len(desk.mails) + 1, desk.day, action.kind, ORGANISER, action.person
        return Mail(*head, draft.subject, draft.body, slots, action.asks, grants)

    def _action(self, person: str) -> Action:
        """What is done today about somebody."""
        return next(one for one in self.desk.actions if one.person == person)

    # ---- the person at the desk ----

    async def _looked_at(
        self,
        what: str,
        made: Callable[[], Awaitable[list[Any]]],
    ) -> list[Any]:
        """What is left of a list after the person at the desk saw it, as far as it is
        not delegated; what they change and wish is remembered. `made` makes it again by a
        wish, at most `AGAINS` times; who still wants another has removed it."""
        desk = self.desk
        items = await made()
        for again in reversed(range(AGAINS + 1)):
            shown = [item for item in items if self._stops(what, item)]
            if not shown:
                return items
            passed = [item for item in items if item not in shown]
            call = self._reviewed(what, shown)
            review: Review | None = await self.slips.ask("reviewer", what, call)
            if review is None:
                return passed
            if not (review.wish and again):
                left = [] if review.wish else [*review.items]
                await self._remember(what, shown, left)
                return passed + left
            before = texts(items)
            desk.wish = review.wish
            items = await made()
            desk.wish = ""
            edit = Edit(what, "", before, texts(items), review.wish, wish=True)
            desk.edits.append(edit)
        return []

    def _stops(self, what: str, item: Any) -> bool:
        """Whether something is shown to the person at the desk today."""
        if what == MAIL and (self.post.exact or self.held(item)):
            return True
        action = self._action(item.person) if what == MAIL else item
        level = self.delegation[PLAN if what == PLAN else action.kind]
        return level == ALWAYS

    async def _reviewed(self, what: str, shown: Sequence[Any]) -> Review:
        review = await self.roles["reviewer"].review(self.desk, what, tuple(shown))
        return checked_review(self.desk, what, shown, review)

    async def _remember(
        self,
        what: str,
        shown: Sequence[Any],
        left: Sequence[Any],
    ) -> None:
        """What was changed, removed or added, by person, each with a sentence."""
        desk = self.desk
        before = {item.person: in_text(item) for item in shown}
        after = {item.person: in_text(item) for item in left}
        for person in dict.fromkeys([*before, *after]):
            old = before.get(person, "")
            new = after.get(person, "")
            if old == new:
                continue
            contact = desk.books.contacts.get(person)
            role = contact.role if contact else ""
            edit = Edit(what, person, old, new, role=role)
            said = await self._ask("organizer", "describe", desk, edit, instead="")
            desk.edits.append(replace(edit, summary=" ".join(said.split())))


async def organize(run: Run, until: int | None = None) -> AsyncIterator[Day]:
    """Yield each finished day, weekends too, to the deadline or a day, or until every
    seat is taken, whoever has one knows it, and no reply is under way."""
    scenario = run.desk.scenario
    last = scenario.last
    for number in range(1, min(last, until or last) + 1):
        yield await run.day(number)
        if run.desk.books.settled and not run.post.awaited(last):
            return
