"""What the rule-based organiser does on a day under each policy."""

from datetime import date
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.seminar.audit import violations
from support.seminar.data import in_words
from support.seminar.organizer_steps import todo
from support.seminar.records import Hook, Mail

SEP, OCT, NOV, DEC = (date(2027, 9, 15), date(2027, 10, 13), date(2027, 11, 10), date(2027, 12, 8))
MON, TUE, WED, THU, FRI = (date(2027, 8, day) for day in range(16, 21))
PEOPLE = ("Ana Ray", "Bo Lund", "Cy Moor", "Di Ray")
ASKED = MappingProxyType({"mails": (MON,)})
SEED = ("begin", "follow_up", "give_up", "ask_more", "vague", "faculty_first")


def said(*available, vague=(), mails=(MON,), answered=(MON,), **more):
    return {"mails": mails, "answered": answered, "available": available, "vague": tuple(vague), **more}


def mail(number, to, kind, body="", day=1, slots=(), sender="organiser"):
    return Mail(number, day, kind, sender, to, "", body, tuple(slots))


def test_begin_has_everybody_invited_at_once(make_desk, policies, done):
    assert done(make_desk(policies("begin"))) == dict.fromkeys(PEOPLE, ("invitation", None, "begin"))


def test_without_begin_as_many_are_invited_as_seats_are_free_and_the_next_when_somebody_declines(make_desk, done):
    two = {"slots": (SEP, OCT)}
    assert list(done(make_desk(**two))) == ["Ana Ray", "Bo Lund"]
    later = {"Ana Ray": said(declined=True), "Bo Lund": ASKED}
    assert list(done(make_desk(known=later, today=TUE, **two))) == ["Cy Moor"]


@pytest.mark.parametrize(("today", "writes"), [(TUE, False), (WED, True), (THU, True)])
def test_follow_up_leaves_a_mail_alone_for_two_working_days(make_desk, policies, done, today, writes):
    desk = make_desk(policies("begin", "follow_up"), today, known=dict.fromkeys(PEOPLE, ASKED))
    assert done(desk) == (dict.fromkeys(PEOPLE, ("follow_up", None, "follow_up")) if writes else {})


@pytest.mark.parametrize(("mails", "writes"), [((MON, WED), True), ((MON, TUE, WED), False)])
def test_give_up_ends_the_mails_to_somebody_who_never_answered(make_desk, policies, done, mails, writes):
    desk = make_desk(
        policies("follow_up", "give_up"), FRI, known={"Ana Ray": {"mails": mails}}, people={"Ana Ray": "postdoc"}
    )
    assert bool(done(desk)) == writes


def test_ask_more_asks_once_for_further_dates(make_desk, policies, work, done):
    few = {"Ana Ray": said(SEP), "Bo Lund": said(SEP, OCT, NOV), "Cy Moor": ASKED, "Di Ray": ASKED}
    desk = make_desk(policies("begin", "ask_more"), TUE, known=few)
    (action,) = work(desk)[1]
    assert (action.kind, action.person, action.policy) == ("clarification", "Ana Ray", "ask_more")
    assert in_words(OCT) in action.goal and in_words(SEP) not in action.goal
    again = few | {"Ana Ray": said(SEP, mails=(MON, TUE))}
    assert not done(make_desk(policies("begin", "ask_more"), TUE, known=again))


class TestVague:
    """A vague answer counts as possible: further dates first, then that one is to be confirmed."""

    others = MappingProxyType(dict.fromkeys(PEOPLE[1:], said(declined=True)))

    def test_further_dates_are_asked_for_first(self, make_desk, policies, done):
        desk = make_desk(policies("begin", "vague"), TUE, known=self.others | {"Ana Ray": said(vague=[SEP])})
        assert done(desk) == {"Ana Ray": ("clarification", None, "vague")}

    def test_then_the_vague_one_is_asked_about(self, make_desk, policies, work):
        asked = said(vague=[SEP], mails=(MON, TUE), answered=(MON, TUE))
        (action,) = work(make_desk(policies("begin", "vague"), WED, known=self.others | {"Ana Ray": asked}))[1]
        assert (action.kind, action.slot, action.policy) == ("clarification", "2027-09-15", "vague")
        assert in_words(SEP) in action.goal and "certain" in action.goal

    @pytest.mark.parametrize(("answered", "today", "given"), [
        (True, date(2027, 9, 13), True), (False, date(2027, 9, 13), False), (True, THU, False),
    ])  # fmt: skip
    def test_it_is_given_only_after_an_answer_and_near_the_deadline(
        self, make_desk, policies, done, answered, today, given
    ):
        known = said(vague=[SEP], mails=(MON, TUE, WED), answered=(MON, TUE, WED))
        sent = (mail(1, "Ana Ray", "clarification", f"Is {in_words(SEP)} certain?", 3),)
        back = (mail(2, "organiser", "reply", "I think so, perhaps.", 3, sender="Ana Ray"),) if answered else ()
        desk = make_desk(policies("begin", "vague"), today, known=self.others | {"Ana Ray": known}, mails=sent + back)
        assert done(desk) == ({"Ana Ray": ("confirmation", "2027-09-15", "")} if given else {})


class TestConflict:
    """A professor and a student want the same date."""

    both = MappingProxyType({
        "Ana Ray": said(SEP, mails=(MON, MON)), "Bo Lund": said(SEP), "Cy Moor": said(declined=True),
        "Di Ray": said(declined=True),
    })  # fmt: skip

    def test_the_professor_gets_it_and_the_student_is_asked_for_another(self, make_desk, policies, work):
        actions = {a.person: a for a in work(make_desk(policies("begin", "faculty_first"), TUE, known=self.both))[1]}
        ana, bo = actions["Ana Ray"], actions["Bo Lund"]
        assert (ana.kind, ana.slot, ana.policy) == ("confirmation", "2027-09-15", "faculty_first")
        assert (bo.kind, bo.slot, bo.policy) == ("clarification", None, "faculty_first")
        assert in_words(OCT) in bo.goal and in_words(SEP) not in bo.goal

    def test_a_student_waits_for_a_professor_who_named_the_date_vaguely(self, make_desk, policies, done):
        known = self.both | {"Ana Ray": said(vague=[SEP], mails=(MON, TUE), answered=(MON, TUE))}
        acted = done(make_desk(policies(*SEED[:3], "vague", "faculty_first"), WED, known=known))
        assert acted["Ana Ray"] == ("clarification", "2027-09-15", "vague") and "Bo Lund" not in acted


class TestWaiting:
    """Dates are given away when it is time."""

    def test_nothing_is_given_while_an_answer_is_expected(self, make_desk, policies, done):
        known = {"Ana Ray": said(SEP, OCT, NOV), "Bo Lund": ASKED, "Cy Moor": ASKED, "Di Ray": ASKED}
        assert not done(make_desk(policies("begin"), TUE, known=known))

    def test_the_silent_are_not_waited_for_any_more_shortly_before_the_deadline(self, make_desk, policies, done):
        known = {"Ana Ray": said(SEP, OCT, NOV)} | {name: {"mails": (date(2027, 9, 9),)} for name in PEOPLE[1:]}
        assert done(make_desk(policies("begin"), date(2027, 9, 10), known=known)) == {
            "Ana Ray": ("confirmation", "2027-09-15", "")
        }

    def test_nobody_is_written_to_before_the_day_that_they_named(self, make_desk, policies, done):
        until = {"mails": (MON,), "answered": (MON,), "wait_until": FRI}
        later = dict.fromkeys(PEOPLE, until)
        assert not done(make_desk(policies("begin"), THU, known=later))
        assert {a[0] for a in done(make_desk(policies("begin"), FRI, known=later)).values()} == {"follow_up"}

    def test_a_date_that_is_over_is_given_to_nobody(self, make_desk, policies, done):
        known = {name: said(SEP) for name in PEOPLE}
        assert not done(make_desk(policies("begin"), SEP, known=known, slots=(SEP,), deadline=date(2027, 10, 1)))


class TestFurther:
    """The six further policies."""

    @pytest.mark.parametrize(("ids", "writes"), [(("begin",), True), (("begin", "weekend"), False)])
    def test_weekend(self, make_desk, policies, done, ids, writes):
        assert bool(done(make_desk(policies(*ids), date(2027, 8, 21)))) == writes

    def test_declined_is_thanked_once(self, make_desk, policies, done):
        known = dict.fromkeys(PEOPLE, said(declined=True)) | {"Bo Lund": said(declined=True, thanked=True)}
        acted = done(make_desk(policies("declined"), TUE, known=known))
        assert set(acted) == set(PEOPLE) - {"Bo Lund"} and set(acted.values()) == {("thanks", None, "declined")}

    def test_confirm_tells_those_who_were_not_told(self, make_desk, policies, done):
        held = {
            "known": {n: said(declined=True) for n in PEOPLE[1:]} | {"Ana Ray": said(SEP)},
            "given": {SEP: ("Ana Ray",)},
        }
        assert done(make_desk(policies("begin", "confirm"), TUE, **held)) == {
            "Ana Ray": ("confirmation", "2027-09-15", "confirm")
        }
        assert not done(make_desk(policies("begin"), TUE, **held))

    @pytest.mark.parametrize("policy", [True, False])
    def test_cancelled_offers_the_date_at_once_to_whoever_named_it(self, make_desk, policies, done, policy):
        known = {"Ana Ray": said(cancelled=(SEP,)), "Bo Lund": said(SEP, OCT, NOV), "Cy Moor": ASKED, "Di Ray": ASKED}
        acted = done(make_desk(policies("begin", *(["cancelled"] if policy else [])), TUE, known=known))
        assert acted.get("Bo Lund") == (("confirmation", "2027-09-15", "cancelled") if policy else None)

    @pytest.mark.parametrize("policy", [True, False])
    def test_a_second_date_is_given_late_only_and_where_a_policy_speaks_of_it(self, make_desk, policies, done, policy):
        held = {
            "known": {n: said(declined=True) for n in PEOPLE[1:]} | {"Ana Ray": said(SEP, OCT)},
            "given": {SEP: ("Ana Ray",)},
        }
        rules = policies("begin", *(["one_each"] if policy else []))
        assert not done(make_desk(rules, TUE, **held))
        late = done(make_desk(rules, date(2027, 9, 10), **held))
        assert late == ({"Ana Ray": ("confirmation", "2027-10-13", "one_each")} if policy else {})

    def test_urgent_gives_a_near_date_to_a_student_while_a_professor_is_expected(self, make_desk, policies, done):
        near, asked = {"today": date(2027, 9, 9), "deadline": date(2027, 10, 1)}, {"mails": (date(2027, 9, 8),)}
        known = {"Bo Lund": said(SEP), "Ana Ray": asked, "Cy Moor": asked, "Di Ray": asked}
        ids = ("begin", "faculty_first", "urgent")
        assert done(make_desk(policies(*ids), known=known, **near)) == {
            "Bo Lund": ("confirmation", "2027-09-15", "urgent")
        }
        assert not done(make_desk(policies(*ids[:2]), known=known, **near))


class TestAnswers:
    """What the person at the desk decided is told to whoever had asked."""

    video = Hook("A talk by video", "Shall Ana Ray speak by video?", "Video is fine", 2)

    def test_the_answer_goes_to_the_person_named_in_the_question(self, make_desk, policies, work):
        known = {"Ana Ray": said(SEP)} | dict.fromkeys(PEOPLE[1:], ASKED)
        (action,) = work(make_desk(policies("begin"), TUE, known=known, answers=(self.video,)))[1]
        assert (action.kind, action.person, action.goal) == ("clarification", "Ana Ray", "Video is fine.")

    def test_nobody_is_told_an_answer_that_may_be_another_persons(self, make_desk, policies, work):
        hook = Hook("video", "Shall I allow video?", "Yes.", 2)
        known = dict.fromkeys(PEOPLE, ASKED)
        wrote = tuple(mail(k, "organiser", "reply", day=2, sender=n) for k, n in enumerate(PEOPLE[:2]))
        assert not work(make_desk(policies("begin"), TUE, known=known, answers=(hook,), mails=wrote))[1]


days = st.sets(st.sampled_from([MON, TUE, WED, THU]), max_size=3).map(lambda found: tuple(sorted(found)))
dates = st.sets(st.sampled_from([SEP, OCT, NOV, DEC]), max_size=3).map(lambda found: tuple(sorted(found)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_known_no_policy_but_those_on_near_dates_is_broken_and_nobody_gets_two_mails(
    make_desk, policies, data
):
    known = {}
    for name in PEOPLE:
        mails = data.draw(days)
        answered = tuple(day for day in data.draw(days) if mails and day >= min(mails))
        firm = data.draw(dates) if answered else ()
        vague = tuple(d for d in (data.draw(dates) if answered else ()) if d not in firm)
        declined = bool(answered) and not firm and not vague and data.draw(st.booleans())
        known[name] = said(*firm, vague=vague, mails=mails, answered=answered, declined=declined)
    desk = make_desk(policies(*SEED, "weekend", "declined", "confirm"), FRI, known=known)
    actions = todo(desk)
    assert len({a.person for a in actions}) == len(actions)
    assert all(date.fromisoformat(a.slot) in desk.state.contacts[a.person].named for a in actions if a.slot)
    assert violations(desk.state, actions, desk.policies) == ()
