"""The day of an organiser: what happens in which order, who is asked about what, and what never gets through."""

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from support.errors import MalformedReply
from support.seminar.artefacts import Artefacts
from support.seminar.data import Persona, Scenario
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.organizing import carried, hooks, organize, record
from support.seminar.records import Action, Hook, Understood
from support.seminar.reviewing import in_text
from support.seminar.rules import load_policies
from support.seminar.views import (
    AGAIN,
    APPROVE,
    EDIT,
    DayPlan,
    Draft,
    Response,
    Review,
    Verdict,
)

SLOTS = (date(2027, 9, 15), date(2027, 10, 13))
ONE, TWO = (slot.isoformat() for slot in SLOTS)
PEOPLE = tuple(
    Persona(name.lower(), name, f"{name}@example.org", role)
    for name, role in (("Ana", "professor"), ("Bo", "postdoc"))
)
PLACE = "here", "16:00"
SCENARIO = Scenario(
    "t",
    "T",
    "fill it",
    "Noor",
    *PLACE,
    date(2027, 8, 19),
    date(2027, 8, 30),
    SLOTS,
    PEOPLE,
)
BEGUN = Artefacts(load_policies("all"), hooks=(Hook("old", "Old?", "Yes."),))


def following(made, instead):
    """The next of what is to be made, raised where it is an error; when there is no more, what is made instead."""
    found = made.pop(0) if made else instead
    if isinstance(found, Exception):
        raise found
    return found


class Guest:
    """Gives the responses that it is given, in order, then stays silent; keeps the letters."""

    kind = "fake"

    def __init__(self, *responses):
        self.responses, self.letters = list(responses), []

    async def answer(self, letter):
        self.letters.append(letter)
        return following(self.responses, Response("wait"))


def yes(*slots, until=None):
    """A reply that the fake organiser can read: the dates, and nothing else."""
    body = " ".join(slots) or "none"
    return Response(
        "reply",
        "Re: s",
        body,
        until,
        tuple(date.fromisoformat(s) for s in slots if s in (ONE, TWO)),
    )


def todo(desk):
    """Whoever was not written to is invited; then everybody gets the first free date that they named."""
    left = list(desk.state.open)
    for contact in desk.state.contacts.values():
        if not contact.mails:
            yield Action("invitation", contact.name, "ask")
        elif not desk.state.dates_of(contact.name) and (
            mine := [s for s in left if s in contact.named]
        ):
            left.remove(mine[0])
            yield Action("confirmation", contact.name, "settle", mine[0].isoformat())


def free(desk):
    return ", ".join(slot.isoformat() for slot in desk.state.open)


STEPS = {
    "read": lambda desk, mail: Understood(
        0, "nobody", available=tuple(mail.body.split())
    ),
    "progress": lambda desk: f"day {desk.day}",
    "select": lambda desk, progress: ("begin", "begin", "unheard-of"),
    "plan": lambda desk, progress, selected, wish: DayPlan(
        f"plan {wish}".strip(), "why"
    ),
    "act": lambda desk, plan, selected, wish: tuple(todo(desk)),
    "draft": lambda desk, action, wish: Draft(
        f"{action.kind} {wish}".strip(), f"{action.person}, {free(desk)}"
    ),
    "describe": lambda desk, edit: f"they changed a {edit.what}\n",
    "close": lambda desk: "done",
}


class Host:
    """An organiser by `STEPS`, or by what is given for one: a value, a function, or an error to raise."""

    kind = "host"

    def __init__(self, **own):
        self.own, self.desks, self.wishes, self.replies, self.tokens = own, [], [], 0, 0

    def __getattr__(self, step):
        async def made(desk, *given):
            self.desks.append((step, desk, *given))
            if step == "plan":
                self.replies, self.tokens = self.replies + 1, self.tokens + 10
            if step in ("plan", "act", "draft") and given[-1]:
                self.wishes.append((step, given[-1]))
            answer = following([], self.own.get(step, STEPS[step]))
            return answer(desk, *given) if callable(answer) else answer

        return made

    def seen(self, step):
        return [rest for name, *rest in self.desks if name == step]


class Watch:
    kind = "watch"

    def __init__(self, *flags):
        self.flags, self.seen = flags, []

    async def check(self, reply, policies, context=""):
        self.seen.append((reply, policies, context))
        return (
            Verdict(True, f"What of {reply}? Decide.")
            if reply in self.flags
            else Verdict(False)
        )


class Desk:
    """Makes the reviews that it is given, then approves."""

    kind = "desk"

    def __init__(self, *reviews, answer=""):
        self.reviews, self.answer, self.seen, self.desks = list(reviews), answer, [], []

    async def review(self, desk, what, item, about=""):
        self.seen.append((desk.day, what, about, item))
        self.desks.append(desk)
        return following(self.reviews, Review(APPROVE))

    async def decide(self, desk, flag):
        self.seen.append((desk.day, "flag", flag.person, flag.question))
        return self.answer


def play(
    ana=None, bo=None, host=None, watch=None, desk=None, scenario=SCENARIO, **settings
):
    async def run():
        people = {"Ana": ana or Guest(yes(ONE)), "Bo": bo or Guest(yes(ONE, TWO))}
        made = organize(
            scenario,
            people,
            host or Host(),
            watch or Watch(),
            desk or Desk(),
            **{"artefacts": BEGUN, **settings},
        )
        return [day async for day in made]

    return asyncio.run(run())


def test_mails_are_answered_in_the_evening_and_read_the_next_morning_until_all_is_settled():
    ana, bo = Guest(yes(ONE)), Guest(yes(ONE, TWO))
    first, second = play(ana, bo)
    assert [(m.id, m.day, m.kind, m.sender, m.to) for m in first.sent] == [
        (1, 1, "invitation", "organiser", "Ana"),
        (2, 1, "invitation", "organiser", "Bo"),
    ]
    assert first.received == () and first.sent[0].slots == (ONE, TWO)
    assert [(m.id, m.day, m.sender, m.answers, m.slots) for m in second.received] == [
        (3, 2, "Ana", 1, (ONE,)),
        (4, 2, "Bo", 2, (ONE, TWO)),
    ]
    assert [(a.kind, a.person, a.slot) for a in second.actions] == [
        ("confirmation", "Ana", ONE),
        ("confirmation", "Bo", TWO),
    ]
    assert second.assignment == ((ONE, ("Ana",)), (TWO, ("Bo",))) and [
        m.slots for m in second.sent
    ] == [(ONE,), (TWO,)]
    assert (second.progress, second.plan, second.reason, second.summary) == (
        "day 2",
        "plan",
        "why",
        "done",
    )
    assert (first.replies, first.tokens, second.date) == (1, 10, "2027-08-20")
    letter = bo.letters[0]
    assert (letter.day, letter.today, letter.offered, letter.given) == (
        1,
        SCENARIO.start,
        SLOTS,
        (),
    )
    assert [m.id for m in letter.thread] == [2] and bo.letters[1].given == (SLOTS[1],)


def test_nothing_on_the_desk_tells_which_dates_were_meant_nor_how_people_behave():
    secret = Persona(
        "ana",
        "Ana",
        "Ana@example.org",
        "professor",
        "birds",
        days=4,
        share=0.3,
        issue="No camera.",
    )
    host, desk, people = Host(), Desk(), (secret, PEOPLE[1])
    _, second = play(
        host=host,
        desk=desk,
        delegation="always ask",
        scenario=replace(SCENARIO, people=people),
    )
    shown = [one for _, one, *_ in host.desks] + desk.desks
    assert len(shown) > 8 and {one.scenario.by_name["Ana"] for one in shown} == {
        secret.introduced
    }
    assert {
        mail.slots for one in shown for mail in one.mails if mail.kind == "reply"
    } == {()}
    assert [mail.slots for _, mail in host.seen("read")] == [(), ()]
    assert [(u.mail, u.person) for u in second.understood] == [(3, "Ana"), (4, "Bo")]


def test_days_run_to_the_deadline_over_the_weekend_or_to_the_last_that_was_asked_for():
    days = play(Guest(), Guest())
    assert [d.number for d in days] == list(range(1, 13)) and days[
        -1
    ].date == SCENARIO.deadline.isoformat()
    assert (
        days[2].date == "2027-08-21"
        and days[2].pending == (("Ana", 1), ("Bo", 1)) == days[3].pending
    )
    assert len(play(Guest(), Guest(), until=3)) == 3


def test_a_reply_under_way_keeps_the_run_open_and_who_waits_is_asked_again_on_their_day():
    ana = Guest(Response("wait", until=4), yes(ONE))
    days = play(ana)
    assert [letter.day for letter in ana.letters][:2] == [1, 4] and [
        m.sender for m in days[4].received
    ] == ["Ana"]
    late = Guest(yes(TWO), Response("wait", until=6), Response("reply", "s", TWO))
    days = play(bo=late)
    assert len(days) == 7 and [m.sender for m in days[-1].received] == ["Bo"]
    assert (
        len(play(bo=Guest(yes(TWO), Response("wait", until=12)))) == 2
    )  # nobody would read that any more


@pytest.mark.parametrize(
    ("mails", "responses", "asked"),
    [
        (2, (Response("wait", until=4), Response("wait")), [1, 2, 4]),
        (2, (Response("wait", until=4), yes(ONE)), [1, 2]),
        (1, (yes(ONE, until=5),), [1, 5]),
    ],
)
def test_silence_after_a_new_mail_keeps_an_earlier_day_and_a_reply_makes_it_void(
    mails, responses, asked
):
    host = Host(
        act=lambda desk, *_: (Action("follow_up", "Ana"),) if desk.day <= mails else ()
    )
    play(ana := Guest(*responses), Guest(), host, until=6)
    assert [letter.day for letter in ana.letters] == asked


def test_a_flag_goes_to_the_desk_and_its_answer_lies_there_that_day():
    host, desk, watch = Host(), Desk(answer=" Yes. "), Watch(ONE)
    _, second = play(host=host, desk=desk, watch=watch)
    (flag,) = second.flags
    assert (flag.mail, flag.person, flag.question, flag.answer) == (
        3,
        "Ana",
        f"What of {ONE}? Decide.",
        "Yes.",
    )
    assert desk.seen == [(2, "flag", "Ana", flag.question)]
    hook = Hook(f"Ana: What of {ONE}", flag.question, "Yes.", 2, "Ana")
    (at_work,) = [desk for desk, *_ in host.seen("act") if desk.day == 2]
    assert (
        at_work.answers == (hook,)
        and at_work.hooks == (*BEGUN.hooks, hook)
        and hooks([second]) == (hook,)
    )
    assert watch.seen[0][1] is BEGUN.policies
    assert watch.seen[0][2].splitlines() == [
        "Ana is a professor, was written 1 mails and has no date. The reply answers: invitation.",
        "Asked: Old? Decided: Yes.",
        f"Day 1, invitation, from organiser: invitation. Ana, {ONE}, {TWO}",
    ]


@pytest.mark.parametrize(
    ("answer", "noted", "left"),
    [("", (), 1), ("15 September", (ONE,), 0), ("None.", (), 0)],
)
def test_a_sentence_about_dates_that_is_not_understood_is_asked_about_and_the_answer_settles_it(
    answer, noted, left
):
    vague = Response(
        "reply", "Re: s", "15 September has my cat's blessing.", None, SLOTS[:1]
    )
    _, second, *_, last = play(
        Guest(vague), Guest(yes(TWO)), RuleBasedOrganizer(), desk=Desk(answer=answer)
    )
    (flag,) = [flag for flag in second.flags if flag.person == "Ana"]
    assert (
        flag.dates
        and flag.answer == answer
        and "“15 September has my cat's blessing.”" in flag.question
    )
    (read,) = [read for read in second.understood if read.person == "Ana"]
    assert (read.available, len(read.unclear)) == (noted, left) and not hooks([second])
    assert dict(last.assignment)[ONE] == (("Ana",) if noted else ())


@pytest.mark.parametrize(
    ("delegation", "seen"),
    [
        ("automatic", []),
        ("always ask", ["plan", "action Ana", "action Bo", "mail Ana", "mail Bo"] * 2),
        ({"plan": "always ask", "confirmation": "always ask"},
         ["plan", "plan", "action Ana", "action Bo", "mail Ana", "mail Bo"]),
        ({"plan": "ask when flagged"}, ["plan"]),
        ("ask when flagged", ["plan", "action Bo", "mail Bo"]),
    ],
)  # fmt: skip
def test_what_is_shown_follows_the_delegation(delegation, seen):
    desk = Desk()
    play(desk=desk, watch=Watch(f"{ONE} {TWO}"), delegation=delegation)
    shown = [
        f"{what} {about}".strip() for _, what, about, _ in desk.seen if what != "flag"
    ]
    assert shown == seen


def test_an_edit_is_done_remembered_with_a_summary_and_on_the_desk_afterwards():
    other = Draft("Dear Ana", "come, please")
    host, desk = Host(), Desk(Review(APPROVE), Review(APPROVE), Review(EDIT, other))
    first, second = play(host=host, desk=desk, delegation={"invitation": "always ask"})
    (edit,) = first.edits
    assert (edit.what, edit.about, edit.after, edit.summary) == (
        "mail",
        "Ana",
        in_text(other),
        "they changed a mail",
    )
    assert first.sent[0].body == "come, please" and second.edits == ()
    assert [desk.edits for (desk,) in host.seen("progress")] == [(), (edit,)]


def test_a_wish_makes_it_again_at_most_three_times():
    host = Host()
    desk = Desk(Review(AGAIN, wish="warmer"), Review(APPROVE))
    (first,) = play(host=host, desk=desk, delegation={"plan": "always ask"}, until=1)
    assert (
        first.plan == "plan warmer"
        and host.wishes == [("plan", "warmer")]
        and first.edits == ()
    )
    host, desk = Host(), Desk(*[Review(AGAIN, wish="no")] * 9)
    (first,) = play(host=host, desk=desk, delegation={"plan": "always ask"}, until=1)
    assert (
        host.wishes == [("plan", "no")] * 3 and first.plan == "" and len(desk.seen) == 4
    )
    host, desk = (
        Host(),
        Desk(Review(APPROVE), Review(APPROVE), Review(AGAIN, wish="short")),
    )
    (first,) = play(
        host=host, desk=desk, delegation={"invitation": "always ask"}, until=1
    )
    assert [m.subject for m in first.sent] == ["invitation short", "invitation"]
    host, desk = Host(), Desk(Review(AGAIN, wish="later"))
    (first,) = play(
        host=host, desk=desk, delegation={"invitation": "always ask"}, until=1
    )
    assert host.wishes == [("act", "later")] and len(first.sent) == 2


def test_an_action_that_cannot_be_is_refused_and_told_and_one_seat_goes_to_one_of_two():
    ask = Action("invitation", "Ana")
    begin = (
        Action("confirmation", "Ana", slot=ONE),
        Action("invitation", "Zoe"),
        ask,
        replace(ask, kind="thanks"),
    )
    both = tuple(Action("confirmation", name, slot=ONE) for name in ("Ana", "Bo"))
    host = Host(
        act=lambda desk, *_: (
            both if desk.day == 2 else (*begin, Action("invitation", "Bo"))
        ),
        select=(),
    )
    first, second = play(host=host, until=2)
    assert {(error.agent, error.phase) for error in first.format_errors} == {
        ("organizer", "act")
    }
    told = (
        "they never named Wednesday, 15 September 2027",
        "'Zoe', who is not on the list",
        "a second one for Ana",
    )
    assert all(
        said in error.detail
        for said, error in zip(told, first.format_errors, strict=True)
    )
    assert [mail.to for mail in first.sent] == ["Ana", "Bo"] and first.assignment == (
        (ONE, ()),
        (TWO, ()),
    )
    assert (
        second.assignment[0] == (ONE, ("Ana",))
        and "is full (Ana)" in second.format_errors[-1].detail
    )


BAD = MalformedReply("no JSON")


@pytest.mark.parametrize(
    ("host", "phase", "sent"),
    [
        (Host(select=BAD), "select", 2),
        (Host(plan=BAD), "plan", 0),
        (Host(act=BAD), "act", 0),
        (Host(draft=Draft("s", " ")), "draft", 0),
        (Host(close=BAD), "close", 2),
    ],
)
def test_an_organizer_who_goes_amiss_is_told_and_nothing_is_done_for_it(
    host, phase, sent
):
    (first,) = play(host=host, until=1)
    assert {e.phase for e in first.format_errors if e.phase != "select"} <= {
        phase
    } and len(first.sent) == sent
    assert any((e.agent, e.phase) == ("organizer", phase) for e in first.format_errors)


@pytest.mark.parametrize("read", [BAD, Understood(0, "", available=("the 15th",))])
def test_a_reply_that_cannot_be_read_counts_as_one_that_says_nothing(read):
    second = play(host=Host(read=read), until=2)[1]
    assert [(u.mail, u.available) for u in second.understood] == [(3, ()), (4, ())]
    assert [e.phase for e in second.format_errors].count("read") == 2 and dict(
        second.pending
    ) == {}


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (BAD, "no JSON"),
        (
            Response("shout", "s", "b"),
            "'shout' given; expected one of reply, ask, wait",
        ),
        (Response("reply", "s", ""), "an empty body given"),
        (Response("wait", until=1), "until = 1 given on day 1; expected a later day"),
    ],
)
def test_a_response_that_does_not_fit_is_silence(response, said):
    first, second = play(Guest(response), until=2)
    (error,) = [e for e in first.format_errors if e.agent == "Ana"]
    assert (
        error.phase == "answer"
        and said in error.detail
        and [m.sender for m in second.received] == ["Bo"]
    )


@pytest.mark.parametrize("review", [BAD, Review("perhaps")])
def test_what_could_not_be_looked_at_is_not_done_and_teaches_nothing(review):
    (first,) = play(desk=Desk(review), delegation={"plan": "always ask"}, until=1)
    assert first.plan == "" and first.sent == first.edits == ()
    assert [
        (e.agent, e.phase) for e in first.format_errors if e.agent != "organizer"
    ] == [("reviewer", "plan")]


@pytest.mark.parametrize(
    "who",
    [{"host": Host(draft=ZeroDivisionError())}, {"ana": Guest(ZeroDivisionError())}],
)
def test_a_fault_of_a_program_is_raised(who):
    with pytest.raises(ZeroDivisionError):
        play(**who)


def test_a_broken_policy_is_recorded_and_not_prevented():
    host = Host(
        act=lambda desk, *_: (
            (Action("invitation", "Ana"),) if desk.day in (1, 3) else ()
        )
    )
    days = play(Guest(), Guest(), host, until=3)
    assert days[0].violations == ("begin: Bo was not asked at the beginning",)
    assert days[1].violations == () and len(days[2].sent) == 1
    assert [line.split(":")[0] for line in days[2].violations] == [
        "follow_up",
        "weekend",
    ]


DRAFT = Draft("s", "15 September, 13 October")


@pytest.fixture
def decided():
    """The desk and the days of a run in which a mail was edited and a flag answered."""
    desk = Desk(Review(APPROVE), Review(APPROVE), Review(EDIT, DRAFT), answer="Yes.")
    return desk, play(
        desk=desk, watch=Watch(ONE), delegation={"invitation": "always ask"}
    )


def test_hooks_and_edits_are_carried_over_as_those_of_an_earlier_run(decided):
    kept = carried(BEGUN, decided[1])
    assert [(hook.topic, hook.day) for hook in kept.hooks] == [
        ("old", 0),
        (f"Ana: What of {ONE}", 0),
    ]
    assert [edit.summary for edit in kept.learnt] == [
        "they changed a mail"
    ] and kept.policies is BEGUN.policies
    play(host=(host := Host()), artefacts=kept)
    assert (
        host.desks[0][1].edits == kept.learnt and host.desks[0][1].hooks == kept.hooks
    )


def test_a_record_goes_to_the_store_and_comes_back_as_it_was_and_exports(
    store, decided
):
    desk, days = decided
    roles = {
        "Ana": Guest(),
        "Bo": Guest(),
        "organizer": Host(),
        "detector": Watch(),
        "reviewer": desk,
    }
    made = record(SCENARIO, roles, days, artefacts=BEGUN, noise=1)
    assert made.seats == {
        "Ana": "fake",
        "Bo": "fake",
        "organizer": "host",
        "detector": "watch",
        "reviewer": "desk",
    }
    assert made.assignment == {ONE: ("Ana",), TWO: ("Bo",)} and made.settings == {
        "noise": 1
    }
    assert [hook.day for hook in made.hooks] == [0, 2] and made.scenario["slots"] == [
        ONE,
        TWO,
    ]
    assert store.record(store.save("seminar", made, {})) == made
