"""Days of a run: what reaches the person at the desk, what is done, sent and remembered."""

import asyncio
from dataclasses import replace

import pytest
from small_seminar import ANA, BO, MON, OCT, SEP, give, persona, programme

from support.errors import InvalidInput
from support.seminar.acts import StatedDetector
from support.seminar.day import UNSAID, DirectPost, Run, organize
from support.seminar.desk import Artefacts, load_templates
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.policies import policy_set
from support.seminar.records import (
    Action,
    DayPlan,
    Draft,
    Flag,
    Reading,
    Review,
    Says,
)
from support.seminar.review import ALWAYS, Automatic
from support.seminar.speakers import Response

BOTH = {ANA: "professor", BO: "phd student"}
YES = Says(can=(SEP, OCT))


class Guest:
    """Says one thing after the other, on the evening of every mail."""

    kind = "scripted"

    def __init__(self, *says):
        self.says = list(says)

    async def answer(self, letter):
        says = self.says.pop(0) if self.says else None
        return Response("Re:", "words", says=says) if says else Response()


class Desk(Automatic):
    """Reviews by `reviews`, functions of what is shown by kind; keeps what was shown."""

    kind = "scripted"

    def __init__(self, answer="", read=None, **reviews):
        self.answer, self.says, self.reviews, self.shown = answer, read, reviews, []

    async def review(self, desk, what, items):
        self.shown.append((desk.day, what, [item.person for item in items]))
        made = self.reviews.get(what, lambda items: items)(items)
        return made if isinstance(made, Review) else Review(tuple(made))

    async def decide(self, desk, flag):
        self.shown.append((desk.day, "flag", [flag.person]))
        given = flag.question, self.answer, self.answer
        return Flag(flag.mail, flag.person, *given)

    async def read(self, desk, mail):
        return self.says


def run(ana=(YES,), bo=(YES,), policies="begin", desk=None, delegation=None, **roles):
    """A run with two people and two dates."""
    scenario = programme(people=BOTH, slots=(SEP, OCT))
    post = DirectPost(scenario, {ANA: Guest(*ana), BO: Guest(*bo)})
    seats = {"organizer": RuleBasedOrganizer(), "detector": StatedDetector()}
    seats |= {"reviewer": desk or Desk(), **roles}
    begun = Artefacts(policy_set("none"), load_templates())
    for policy in policy_set("all"):
        if policy.id in policies.split():
            begun = Artefacts(begun.policies.add(policy), begun.templates)
    delegated = {"delegation": delegation} if delegation else {}
    return Run(scenario, post, seats, begun, **delegated)


def played(made, until=None):
    async def days():
        return [day async for day in organize(made, until)]

    return asyncio.run(days())


def sent(day):
    return [(mail.kind, mail.to) for mail in day.sent]


def test_mails_are_answered_in_the_evening_and_read_the_next_morning_until_all_is_told():
    days = played(run())
    assert [sent(day) for day in days] == [
        [("invitation", ANA), ("invitation", BO)],
        [("confirmation", ANA), ("confirmation", BO)],
    ]
    assert [mail.answers for mail in days[1].received] == [1, 2]
    assert dict(days[1].assignment) == {SEP: (ANA,), OCT: (BO,)}
    assert days[0].date == MON and not days[1].violations and not days[1].format_errors


ISSUE = Says(can=(SEP,), asks="May I speak by video?")


def test_nothing_on_the_desk_tells_how_people_behave():
    shy = persona(ANA, "professor", vague=0.9, notes="Met in Oslo.", issue="a ramp")
    made = Run(replace(programme(), people=(shy,)), None, {}, Artefacts())
    known = made.desk.scenario.by_name[ANA]
    assert (known.notes, known.vague, known.issue) == ("Met in Oslo.", 0.0, "")
    assert (shy.simulated.notes, shy.simulated.issue) == ("", "a ramp")


def test_an_instruction_is_shown_and_never_sent_but_the_persons_words_are():
    class Instructs(Desk):
        async def decide(self, desk, flag):
            return Flag(flag.mail, flag.person, flag.question, "Tell her it is fine.")

    desk = Instructs()
    made = run(ana=(ISSUE,), bo=(), desk=desk)
    day = played(made, 2)[1]
    assert (2, "mail", [ANA]) in desk.shown and ANA not in {m.to for m in day.sent}
    assert "{answer} is not filled in" in day.format_errors[0].detail
    (flag,) = day.flags
    assert "by video" in flag.question
    assert made.desk.hooks == [flag] and flag.day == 2
    (mail,) = played(run(ana=(ISSUE,), bo=(), desk=Desk("Yes, once.")), 2)[1].sent
    assert mail.asks == "an answer" and "Yes, once." in mail.body


def test_what_was_decided_at_a_weekend_is_passed_on_afterwards_and_after_a_restart():
    def begun():
        return run(bo=(), policies="begin weekend", desk=Desk("Yes, once."))

    made = begun()
    played(made, 1)
    made.post.box = [Response("Re:", "words", says=ISSUE).mail(ANA, 1)]
    saturday = asyncio.run(made.day(6))
    assert saturday.flags[0].answer and not saturday.sent
    again = begun()
    again.restore(made.desk.before, made.desk.books.events)
    for each in (made, again):
        (mail, *_), _ = [asyncio.run(each.day(number)).sent for number in (8, 9)]
        assert (mail.to, mail.asks) == (ANA, "an answer") and "Yes" in mail.body
        assert not each.desk.decided


def test_an_answer_whose_mail_was_left_out_is_tried_again():
    left = [[], [ANA]]
    desk = Desk("Yes.", mail=lambda items: [d for d in items if d.person in left[0]])
    made = run(ana=(ISSUE,), bo=(), desk=desk)
    made.delegation["clarification"] = ALWAYS
    days = played(made, 2)
    left.pop(0)
    told = {mail.to: mail.asks for mail in asyncio.run(made.day(3)).sent}
    assert not days[1].sent and told[ANA] == "an answer"


def test_a_date_that_two_people_have_after_a_correction_is_asked_about_once():
    back = Says(gives_back=(SEP,))
    made = run(ana=(Says(can=(SEP,)), back), bo=(None, Says(can=(SEP,))), policies="")
    days = played(made, 8)
    assert dict(days[-1].assignment)[SEP] == (BO,)
    mail = next(m for m in made.desk.mails if m.says == back)
    made.enter(Reading(mail.id, ANA, Says(can=(SEP,)), "human"))
    flags = [asyncio.run(made.day(number)).flags for number in (9, 10)]
    assert [flag.person for flag in flags[0]] == [BO] and flags[1] == ()
    assert f"{ANA} and {BO} each have" in flags[0][0].question


class Failing(StatedDetector):
    """Flags without a word, or fails."""

    def __init__(self, fault=None):
        self.fault = fault

    async def check(self, mail, desk):
        if self.fault:
            raise self.fault
        return " "


def test_what_a_detector_cannot_judge_is_flagged_and_a_fault_of_a_program_raised():
    for detector in (Failing(), Failing(InvalidInput("too long"))):
        day = played(run(detector=detector), 2)[1]
        assert [flag.question for flag in day.flags] == [UNSAID] * 2
    with pytest.raises(ZeroDivisionError):
        played(run(detector=Failing(ZeroDivisionError())), 2)


def test_a_reply_that_nobody_reads_is_asked_about_and_left_missing_without_an_answer():
    class Reader:
        kind = "reader"

        async def read(self, desk, mail):
            raise InvalidInput("not on the form")

    reads = run(reader=Reader(), desk=Desk(read=YES))
    day = played(reads, 2)[1]
    assert {one.by for one in day.readings} == {"scripted"} and len(day.sent) == 2
    silent = run(reader=Reader())
    day = played(silent, 2)[1]
    assert day.readings == () and not silent.desk.books.contacts[ANA].answered
    assert len(day.format_errors) == 2 and len(day.received) == 2


# ---- what is shown, and what becomes of it ----


@pytest.mark.parametrize(
    ("delegation", "shown"),
    [
        (None, ["flag"]),
        (ALWAYS, ["plan", "action", "mail", "flag", "plan", "action", "mail"]),
        ({"clarification": ALWAYS}, ["flag", "action", "mail"]),
        ({"invitation": ALWAYS}, ["action", "mail", "flag"]),
    ],
)
def test_what_is_shown_follows_the_delegation(delegation, shown):
    desk = Desk("Yes.")
    made = run(ana=(ISSUE,), bo=(Says(),), desk=desk, delegation=delegation)
    days = played(made, 2)
    assert [what for _, what, _ in desk.shown] == shown
    assert sent(days[1]) == [("clarification", ANA)]


def test_what_is_changed_is_done_and_remembered_with_a_summary():
    def hello(items):
        return [Draft(d.person, "s", f"Hi Ana!\n\n{d.body}") for d in items]

    desk = Desk(plan=lambda items: [DayPlan(f"Invite {ANA}.")], mail=hello)
    (day,) = played(run(desk=desk, delegation=ALWAYS), 1)
    assert sent(day) == [("invitation", ANA)] and day.sent[0].body.startswith("Hi Ana!")
    plan, mail = day.edits
    assert (plan.what, mail.about, mail.role) == ("plan", ANA, "professor")
    assert "Hi {first}!" in mail.summary and "Ana" not in mail.summary
    old = Flag(1, ANA, "May she?")
    kept = Artefacts(hooks=(old,)).learning((day,))
    assert kept.learnt == day.edits and kept.hooks == (old,)


@pytest.mark.parametrize(("often", "left"), [(3, 2), (4, 0)])
def test_a_wish_makes_all_again_at_most_three_times(often, left):
    wishes = ["shorter"] * often
    desk = Desk(mail=lambda items: Review(wish=wishes.pop()) if wishes else items)
    (day,) = played(run(desk=desk, delegation={"invitation": ALWAYS}), 1)
    wished = [edit.summary for edit in day.edits if edit.wish]
    assert wished == ["shorter"] * 3 and len(day.sent) == left
    assert [edit.after for edit in day.edits[3:]] == [""] * (2 - left)


@pytest.mark.parametrize(
    ("what", "review", "why"),
    [
        ("mail", [Draft(ANA, "", "words")], "a subject of 0 characters"),
        ("mail", [Draft(ANA, "s", "x" * 5001)], "a body of 5001 characters"),
        ("mail", [Draft("Eve", "s", "b")], "'Eve' given, who was not shown"),
        ("mail", [Draft(ANA, "s", "b")] * 2, "two for 'Ana Ray' given"),
        ("action", [give(ANA)], "they never named"),
        ("action", [Action("thanks", ANA)] * 2, "a second action of one day"),
    ],
)
def test_a_review_that_does_not_fit_lets_nothing_pass_and_says_why(what, review, why):
    desk = Desk(**{what: lambda items: review})
    (day,) = played(run(desk=desk, delegation={"invitation": ALWAYS}), 1)
    assert day.sent == day.edits == () and why in day.format_errors[0].detail


class Host(RuleBasedOrganizer):
    """An organiser who goes amiss in one step, or gives what it says there."""

    def __init__(self, **steps):
        super().__init__()
        for step, given in steps.items():
            setattr(self, step, self.scripted(given))

    def scripted(self, given):
        async def step(*about):
            if isinstance(given, Exception):
                raise given
            return given

        return step


def test_an_organizer_who_goes_amiss_is_noted_and_the_day_goes_on():
    amiss = InvalidInput("off the form")
    for step in ("progress", "select", "plan", "act", "draft", "close"):
        (day,) = played(run(organizer=Host(**{step: amiss})), 1)
        assert {one.phase for one in day.format_errors} == {step}
        assert bool(day.sent) == (step not in ("plan", "act", "draft"))


def test_what_cannot_be_is_left_out_and_the_rest_is_done():
    acts = [give(ANA), Action("thanks", ANA), Action("invitation", "Eve"), give(BO)]
    host = Host(select=("begin", "dance"), act=(*acts, Action("invitation", ANA)))
    (day,) = played(run(organizer=host), 1)
    assert day.selected == ("begin",) and sent(day) == [("thanks", ANA)]
    phases = [one.phase for one in day.format_errors]
    assert phases == ["act"] * 4
