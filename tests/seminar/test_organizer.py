"""The rule-based organiser: what it does on a day under each policy, reads, reports, plans, writes and learns."""

import asyncio
from dataclasses import replace
from datetime import date
from itertools import permutations
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.seminar.audit import violations
from support.seminar.data import in_words
from support.seminar.ledger import Contact, evening
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.organizer_steps import match, todo, yielding
from support.seminar.records import Action, Edit, Hook, Mail
from support.seminar.views import DayPlan

SEP, OCT, NOV, DEC = (
    date(2027, 9, 15),
    date(2027, 10, 13),
    date(2027, 11, 10),
    date(2027, 12, 8),
)
MON, TUE, WED, THU, FRI = (date(2027, 8, day) for day in range(16, 21))
SAT, NEAR, LATE, LAST = (
    date(2027, 8, 21),
    date(2027, 9, 9),
    date(2027, 9, 10),
    date(2027, 9, 13),
)
PEOPLE = ANA, BO, CY, DI = "Ana Ray", "Bo Lund", "Cy Moor", "Di Ray"
SEED = "begin follow_up give_up ask_more vague faculty_first"
ASKED = MappingProxyType({"mails": (MON,)})
FRESH = MappingProxyType({"mails": (date(2027, 9, 8),)})


def said(*available, vague=(), mails=(MON,), answered=(MON,), **more):
    return {
        "mails": mails,
        "answered": answered,
        "available": available,
        "vague": tuple(vague),
        **more,
    }


ANY, NO = said(SEP, OCT, NOV), said(declined=True)
TWICE = {"mails": (MON, TUE), "answered": (MON, TUE)}


def mail(number, to, kind, body="", day=1, slots=(), sender="organiser"):
    return Mail(number, day, kind, sender, to, "", body, tuple(slots))


def reply(name, body, day=2):
    return mail(5, "organiser", "reply", body, day, sender=name)


def known(rest=NO, **first):
    """What is known of people, by their first names; `rest` of the others."""
    return {name: first.get(name.split()[0], rest) for name in PEOPLE}


def give(slot, policy=""):
    return "confirmation", slot.isoformat(), policy


ASK, AGAIN = ("clarification", None), ("follow_up", None, "follow_up")
CERTAIN = "clarification", "2027-09-15", "vague"
INVITED = "invitation", None, "begin"
UNTIL = {"mails": (MON,), "answered": (MON,), "wait_until": FRI}
TOGETHER = known(Ana=said(SEP, mails=(MON, MON)), Bo=said(SEP))
UNSURE = known(Ana=said(vague=[SEP], mails=(MON, TUE, WED), answered=(MON, TUE, WED)))
QUESTION = mail(1, ANA, "clarification", f"Is {in_words(SEP)} certain?", 3)
EITHER = mail(
    1, ANA, "clarification", f"Can you confirm {in_words(SEP)} or {in_words(OCT)}?", 2
)
TOLD = known(Ana=said(SEP))
HELD = MappingProxyType({SEP: (ANA,)})


@pytest.mark.parametrize(
    ("ids", "today", "setting", "expected"),
    [
        # whom to write to, and when
        ("begin", MON, {}, dict.fromkeys(PEOPLE, INVITED)),
        ("begin weekend", SAT, {}, {}),
        ("begin follow_up", TUE, {"known": known(ASKED)}, {}),
        ("begin follow_up", WED, {"known": known(ASKED)}, dict.fromkeys(PEOPLE, AGAIN)),
        ("follow_up give_up", FRI, {"known": known(Ana={"mails": (MON, WED)})}, {ANA: AGAIN}),
        ("follow_up give_up", FRI, {"known": known(Ana={"mails": (MON, TUE, WED)})}, {}),
        ("declined", TUE, {"known": known(Bo=said(declined=True, thanked=True))},
         dict.fromkeys((ANA, CY, DI), ("thanks", None, "declined"))),
        ("begin", THU, {"known": known(UNTIL)}, {}),
        ("begin", FRI, {"known": known(UNTIL)}, dict.fromkeys(PEOPLE, ("follow_up", None, ""))),
        ("begin", WED, {"known": known(Ana=said()), "mails": (reply(ANA, "None of the dates is possible."),)}, {}),
        ("begin", WED, {"known": known(Ana=said()), "mails": (reply(ANA, "I'll look."),)},
         {ANA: ("follow_up", None, "")}),
        # further dates, and vague ones
        ("begin ask_more", TUE, {"known": known(ASKED, Ana=said(SEP), Bo=ANY)}, {ANA: (*ASK, "ask_more")}),
        ("begin ask_more", TUE, {"known": known(ASKED, Ana=said(SEP, mails=(MON, TUE)), Bo=ANY)}, {}),
        ("begin vague", TUE, {"known": known(Ana=said(vague=[SEP]))}, {ANA: (*ASK, "vague")}),
        ("begin vague", WED, {"known": known(Ana=said(vague=[SEP], **TWICE))}, {ANA: CERTAIN}),
        ("begin vague", LATE, {"known": known(Ana=said(vague=[SEP], mails=(MON, NEAR)))}, {}),  # that mail is fresh
        ("begin vague", LAST, {"known": UNSURE, "mails": (QUESTION, reply(ANA, "I think so.", 3))}, {ANA: give(SEP)}),
        ("begin vague", LAST, {"known": UNSURE, "mails": (QUESTION,)}, {}),
        ("begin vague", THU, {"known": UNSURE, "mails": (QUESTION, reply(ANA, "I think so.", 3))}, {}),
        ("begin vague", WED, {"known": known(Ana=said(vague=[SEP], **TWICE)), "mails": (EITHER,)}, {ANA: CERTAIN}),
        # dates are given when it is time
        ("begin", TUE, {"known": known(ASKED, Ana=ANY)}, {}),
        ("begin", LATE, {"known": known({"mails": (NEAR,)}, Ana=ANY)}, {ANA: give(SEP)}),
        ("begin", SEP, {"known": known(said(SEP)), "slots": (SEP,), "deadline": date(2027, 10, 1)}, {}),
        ("begin faculty_first", TUE, {"known": TOGETHER},
         {ANA: give(SEP, "faculty_first"), BO: (*ASK, "faculty_first")}),
        ("begin follow_up give_up vague faculty_first", WED,
         {"known": known(Ana=said(vague=[SEP], **TWICE), Bo=said(SEP))}, {ANA: CERTAIN}),
        ("begin confirm", TUE, {"known": TOLD, "given": HELD}, {ANA: give(SEP, "confirm")}),
        ("begin", TUE, {"known": TOLD, "given": HELD}, {}),
        ("begin one_each", TUE, {"known": known(Ana=said(SEP, OCT)), "given": HELD}, {}),
        ("begin one_each", LATE, {"known": known(Ana=said(SEP, OCT)), "given": HELD}, {ANA: give(OCT, "one_each")}),
        ("begin", LATE, {"known": known(Ana=said(SEP, OCT)), "given": HELD}, {}),
        # dates that were given back, and near ones
        ("begin cancelled", TUE, {"known": known(ASKED, Ana=said(cancelled=(SEP,)), Bo=ANY)},
         {BO: give(SEP, "cancelled")}),
        ("begin", TUE, {"known": known(ASKED, Ana=said(cancelled=(SEP,)), Bo=ANY)}, {}),
        ("begin ask_more cancelled", TUE, {"known": known(ASKED, Ana=said(cancelled=(SEP,)), Bo=said(SEP))},
         {BO: (*ASK, "ask_more")}),
        ("begin faculty_first urgent", NEAR, {"known": known(FRESH, Bo=said(SEP)), "deadline": date(2027, 10, 1)},
         {BO: give(SEP, "urgent")}),
        ("begin faculty_first", NEAR, {"known": known(FRESH, Bo=said(SEP)), "deadline": date(2027, 10, 1)}, {}),
    ],
)  # fmt: skip
def test_a_policy_has_its_mails_written_on_its_day(
    make_desk, policies, done, ids, today, setting, expected
):
    assert done(make_desk(policies(*ids.split()), today, **setting)) == expected


def test_without_begin_as_many_are_invited_as_seats_are_free_and_the_next_when_somebody_declines(
    make_desk, done
):
    two = {"slots": (SEP, OCT)}
    assert list(done(make_desk(**two))) == [ANA, BO]
    later = {ANA: said(declined=True), BO: ASKED}
    assert list(done(make_desk(known=later, today=TUE, **two))) == [CY]


def test_questions_name_the_dates_that_they_are_about(make_desk, policies, work):
    (more,) = work(
        make_desk(policies("begin", "ask_more"), TUE, known=known(ASKED, Ana=said(SEP)))
    )[1]
    (sure,) = work(
        make_desk(
            policies("begin", "vague"), WED, known=known(Ana=said(vague=[SEP], **TWICE))
        )
    )[1]
    other = work(make_desk(policies("begin", "faculty_first"), TUE, known=TOGETHER))[1][
        1
    ]
    assert all(
        in_words(OCT) in action.goal and in_words(SEP) not in action.goal
        for action in (more, other)
    )
    assert in_words(SEP) in sure.goal and "certain" in sure.goal


def test_an_urgent_date_that_was_given_back_goes_to_one_person(
    make_desk, policies, done
):
    desk = make_desk(
        policies("begin", "faculty_first", "cancelled", "urgent"), NEAR,
        known=known(FRESH, Bo=said(SEP), Ana=said(SEP), Cy=said(cancelled=(SEP,))),
        people={BO: "phd student", ANA: "professor", CY: "postdoc", DI: "postdoc"}, deadline=date(2027, 10, 1),
    )  # fmt: skip
    assert [
        name for name, (kind, *_) in done(desk).items() if kind == "confirmation"
    ] == [BO]


def test_a_date_that_was_given_back_is_offered_to_those_whose_dates_are_taken(
    make_desk, policies, done
):
    invited = mail(1, BO, "invitation")
    held = {"given": {SEP: (CY,), NOV: ("x",), DEC: ("y",)}}
    held["known"] = {ANA: said(cancelled=(OCT,)), BO: said(SEP), CY: said(SEP), DI: NO}
    acted = done(
        make_desk(
            policies("begin"),
            TUE,
            mails=(invited, reply(ANA, "I have to cancel.")),
            **held,
        )
    )
    assert acted[BO] == (*ASK, "")
    assert BO not in done(make_desk(policies("begin"), TUE, mails=(invited,), **held))


def test_an_answer_is_told_to_whoever_had_asked_and_later_and_once_where_it_could_not_be_told_on_its_day(
    make_desk, policies, done
):
    hook = Hook(f"{ANA}: video", "Video?", "Yes,\nonce.", 2, ANA)
    sent, removed = (
        mail(7, ANA, "clarification", "Yes, once.", 2),
        Edit("action", ANA, f"to {ANA}: Yes, once.", ""),
    )
    for more, told in (
        ({}, True),
        ({"mails": (sent,)}, False),
        ({"edits": (removed,)}, False),
        ({"edits": (replace(removed, about=BO),)}, True),
        ({"known": {ANA: said(wait_until=FRI)}}, False),
        ({"hooks": (replace(hook, day=0),)}, False),
        ({"hooks": (replace(hook, answer=""),)}, False),
    ):
        given = {
            "hooks": (hook,),
            **more,
            "known": {**known(ASKED), **more.get("known", {})},
        }
        assert (
            done(make_desk(policies("begin"), WED, **given)).get(ANA) == (*ASK, "")
        ) == told


@pytest.mark.parametrize(
    ("question", "wrote", "told"),
    [
        (f"Shall {ANA} speak by video?", (), [ANA]),
        (f"May {ANA} bring {BO}?", (ANA,), [ANA]),
        (f"May {ANA} bring {BO}?", (CY,), []),
        ("Shall I allow video?", (ANA, BO), []),  # it may be another person's
    ],
)
def test_nobody_is_told_an_answer_that_may_be_another_persons(
    make_desk, policies, work, question, wrote, told
):
    mails = tuple(reply(name, "Hm.") for name in wrote)
    setting = {
        "known": known(ASKED),
        "answers": (Hook("", question, "It is fine", 2),),
        "mails": mails,
    }
    actions = work(make_desk(policies("begin"), TUE, **setting))[1]
    assert [(a.kind, a.person, a.goal) for a in actions] == [
        ("clarification", name, "It is fine.") for name in told
    ]


days = st.sets(st.sampled_from([MON, TUE, WED, THU]), max_size=3).map(
    lambda found: tuple(sorted(found))
)
dates = st.sets(st.sampled_from([SEP, OCT, NOV, DEC]), max_size=3).map(
    lambda found: tuple(sorted(found))
)


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
        vague = tuple(
            d for d in (data.draw(dates) if answered else ()) if d not in firm
        )
        declined = (
            bool(answered) and not firm and not vague and data.draw(st.booleans())
        )
        known[name] = said(
            *firm, vague=vague, mails=mails, answered=answered, declined=declined
        )
    desk = make_desk(
        policies(*SEED.split(), "weekend", "declined", "confirm"), FRI, known=known
    )
    actions = todo(desk)
    assert len({a.person for a in actions}) == len(actions)
    assert all(
        date.fromisoformat(a.slot) in desk.state.contacts[a.person].named
        for a in actions
        if a.slot
    )
    assert (
        violations(desk.state, actions, desk.policies, evening(desk.state, actions), ())
        == ()
    )


# -- who gets which date

DAYS = SEP, OCT, NOV
wishes = st.dictionaries(
    st.sampled_from("ABCDE"),
    st.lists(st.sampled_from(DAYS), unique=True, min_size=1),
    max_size=5,
)
seats = st.fixed_dictionaries({day: st.integers(1, 2) for day in DAYS})


def most(wished, free):
    """The size of a maximum matching, by trying all orders of the seats."""
    places, names = [day for day, n in free.items() for _ in range(n)], list(wished)
    padded = places + [None] * max(0, len(names) - len(places))
    return max(
        sum(slot in wished[name] for name, slot in zip(names, order, strict=False))
        for order in permutations(padded, len(names))
    )


@settings(max_examples=40, deadline=None)
@given(wishes, seats, st.sets(st.sampled_from("ABCDE")))
def test_as_many_as_possible_get_a_date_that_they_named_and_who_comes_first_loses_none_to_others(
    wished, free, first
):
    found = match(wished, free, lambda name: int(name in first))
    assert len(found) == most(wished, free)
    assert all(slot in wished[name] for name, slot in found.items())
    assert all(list(found.values()).count(slot) <= n for slot, n in free.items())
    lost = {slot for name in first & set(wished) - set(found) for slot in wished[name]}
    assert not {name for name, slot in found.items() if slot in lost} - first


def test_the_earlier_date_and_the_earlier_name_come_first():
    assert match({"A": DAYS[::-1]}, dict.fromkeys(DAYS, 1)) == {"A": SEP}
    assert match({"B": [SEP], "A": [SEP]}, {SEP: 1}) == {"B": SEP}
    assert match({}, {}) == match({"A": DAYS}, {}) == {}


def test_a_seat_is_kept_for_who_comes_first_and_is_vague():
    people = [
        Contact("Ana", "professor", vague=(SEP,)),
        Contact("Bo", "phd student"),
        Contact("Cy", "postdoc"),
    ]
    both = {"Bo": SEP, "Cy": SEP}

    def leaving(found, *roles, **seats):
        return yielding(
            found, dict(zip(DAYS, seats["free"], strict=False)), people, *roles
        )

    first = "professor", "phd student"
    assert leaving(both, *first, free=[2]) == {"Bo"}
    assert leaving(both, *first, free=[3]) == leaving(both, "", "", free=[2]) == set()
    assert leaving({**both, "Ana": OCT}, *first, free=[2, 1]) == set()


# -- what it reads, reports, plans, writes and learns

OFFER = Mail(
    1, 1, "invitation", "organiser", "Ana Ray", "", "", ("2027-09-15", "2027-10-13")
)


def asked(method, *given):
    return asyncio.run(getattr(RuleBasedOrganizer(), method)(*given))


def read(desk, body):
    return asked("read", desk, Mail(9, 2, "reply", "Ana Ray", "organiser", "Re:", body))


def test_only_dates_that_stood_in_a_mail_to_them_count_as_offered(make_desk):
    said = read(
        make_desk(today=TUE, mails=(OFFER,)), "15 September and 10 November are fine."
    )
    assert (said.available, said.never_offered) == (("2027-09-15",), ("2027-11-10",))
    assert (said.mail, said.person, said.note) == (
        9,
        "Ana Ray",
        "15 September and 10 November are fine.",
    )


@pytest.mark.parametrize(
    ("body", "available", "unavailable"),
    [
        ("Yes, that is certain.", ("2027-09-15",), ()),
        ("No, I am sorry.", (), ("2027-09-15",)),
        ("Perhaps, yes.", (), ()),
    ],
)
def test_yes_or_no_to_a_question_about_one_date_is_about_that_date(
    make_desk, body, available, unavailable
):
    asked = Mail(
        2,
        2,
        "clarification",
        "organiser",
        "Ana Ray",
        "",
        f"Is {in_words(SEP)} certain?",
    )
    said = read(make_desk(today=TUE, mails=(OFFER, asked)), body)
    assert (said.available, said.unavailable) == (available, unavailable)


@pytest.mark.parametrize(
    ("body", "back"),
    [
        ("I have to cancel.", ("2027-09-15",)),
        ("I must cancel. 13 October would be fine instead.", ("2027-09-15",)),
        ("15 September is fine.", ()),
    ],
)
def test_a_cancellation_gives_back_the_date_that_they_have(make_desk, body, back):
    said = read(make_desk(today=TUE, given={SEP: ("Ana Ray",)}, mails=(OFFER,)), body)
    assert said.cancelled == back and not set(back) & {*said.available, *said.vague}
    assert read(make_desk(today=TUE, mails=(OFFER,)), body).cancelled == ()


def test_an_answer_that_reaches_nobody_is_reported(make_desk):
    assert "goes to nobody: Yes." in asked(
        "progress", make_desk(answers=(Hook("x", "May one?", "Yes."),))
    )


def test_the_plan_names_everybody_and_the_actions_follow_what_is_left_of_it(
    make_desk, policies, work
):
    people = {"Ana Ray": "postdoc", "Bo Lund": "postdoc", "Ana Ray Lee": "postdoc"}
    desk = make_desk(policies("begin"), people=people)
    plan, actions = work(desk)
    assert (
        plan.text == "Invite Ana Ray, Bo Lund, Ana Ray Lee."
        and "'begin' asks for 3 invitations" in plan.reason
    )
    assert len(actions) == 3 and len(plan.reason.split()) <= 40
    edited = DayPlan(
        "Invite Bo Lund and Ana Ray Lee only.", ""
    )  # a name inside another is not taken for it
    assert [a.person for a in asked("act", desk, edited, ())] == [
        "Bo Lund",
        "Ana Ray Lee",
    ]


def test_a_confirmation_names_its_date_and_passes_on_what_was_decided(make_desk):
    desk = make_desk(
        answers=(Hook("", "May Ana Ray speak by video?", "Video is fine."),)
    )
    draft = asked("draft", desk, Action("confirmation", "Ana Ray", slot="2027-09-15"))
    assert (
        in_words(SEP) in draft.subject
        and in_words(SEP) in draft.body
        and "Video is fine." in draft.body
    )


def edit(about, before, after):
    text = "Subject\n\n{}\n\nA word.\n\n{}\nNoor Halvard"
    return Edit("mail", about, text.format(*before), text.format(*after))


def test_a_replaced_greeting_is_used_for_people_of_the_same_role_and_the_latest_closing_for_everybody(
    make_desk,
):
    edits = (
        edit("Bo Lund", ("Dear Bo Lund,", "With best wishes,"), ("Hi Bo!", "Yours,")),
        edit(
            "Bo Lund",
            ("Dear Bo Lund,", "With best wishes,"),
            ("Dear Bo Lund,", "Warmly,"),
        ),
    )
    ana, di = (
        asked("draft", make_desk(edits=edits), Action("thanks", n)).body.split("\n")
        for n in ("Ana Ray", "Di Ray")
    )
    assert di[0] == "Hi Di!" and ana[0] == "Dear Professor Ana Ray,"
    assert di[-2:] == ana[-2:] == ["Warmly,", "Noor Halvard"]


def test_ties_are_broken_by_the_order_of_the_list_or_by_a_draw_that_its_seed_repeats(
    make_desk, work, policies
):
    firm = {"mails": (MON,), "answered": (MON,), "available": (SEP,)}
    desk = make_desk(
        policies("begin"),
        TUE,
        known=dict.fromkeys(("Bo Lund", "Di Ray", "Cy Moor", "Ana Ray"), firm),
        slots=(SEP,),
    )

    def winner(rng=None):
        return next(
            a.person
            for a in work(desk, RuleBasedOrganizer(rng))[1]
            if a.kind == "confirmation"
        )

    drawn = [winner(np.random.default_rng(seed)) for seed in range(20)]
    assert winner() == "Ana Ray" and len(set(drawn)) == 4
    assert drawn == [winner(np.random.default_rng(seed)) for seed in range(20)]
