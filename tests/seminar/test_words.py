"""What an organiser without a model writes: mails by templates, what edits teach, reports."""

import asyncio
from dataclasses import replace

import pytest
from small_seminar import (
    ANA,
    BO,
    CY,
    DI,
    OCT,
    SEP,
    TUE,
    desk,
    give,
    programme,
)

from support.errors import InvalidInput
from support.seminar import words
from support.seminar.data import in_words
from support.seminar.desk import Template
from support.seminar.organizer import RuleBasedOrganizer
from support.seminar.policies import Policy
from support.seminar.records import (
    ANSWER,
    ASKS,
    MORE,
    SENT,
    Action,
    Draft,
    Edit,
    Flag,
)


def written(action, **more):
    return words.letter(desk(today=TUE, **more), action)


@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("kind", SENT)
def test_every_kind_of_mail_has_a_template_and_an_answer_alone_leaves_a_gap(kind, asks):
    draft = written(Action(kind, ANA, slots=(SEP,), asks=asks))
    left = words.gap_in(draft.subject + draft.body)
    assert left == ("{answer}" if (kind, asks) == ("clarification", ANSWER) else "")
    assert draft.body.startswith("Dear Professor Ana Ray,")  # two are called Ray
    assert draft.body.endswith("Noor Halvard")


def test_a_mail_names_its_dates_or_all_that_are_free():
    free = written(Action("invitation", BO), given={SEP: [CY]}).body
    assert in_words(OCT) in free and in_words(SEP) not in free
    asked = written(Action("clarification", BO, slots=(SEP,), asks=MORE)).body
    assert in_words(SEP) in asked and in_words(OCT) not in asked
    assert in_words(SEP) in written(give(BO)).subject


def test_the_persons_own_words_stand_in_the_answer_and_an_instruction_does_not():
    told = "Tell her we prefer a talk of an hour."
    flag = Flag(1, ANA, "May she?", told, day=2)
    action = Action("clarification", ANA, flag.answer, asks=ANSWER)
    assert "{answer}" in written(action, hooks=[flag]).body
    worded = replace(flag, words="A talk of an hour would be best.")
    body = written(action, hooks=[flag, worded, replace(worded, person=BO)]).body
    assert body.count("A talk of an hour would be best.") == 1
    assert "Tell her" not in body and "{answer}" in body, "one of two is unsaid"


def test_own_templates_come_before_the_projects_and_braces_that_are_no_gap_stay():
    own = Template(
        "thanks", "Thank you", "Dear {speaker},\n{dates} {mood}\n{organiser}"
    )
    draft = written(Action("thanks", BO, slots=(SEP,)), templates=(own,))
    assert draft.body == f"Dear Bo Lund,\n{in_words(SEP)} {{mood}}\nNoor Halvard"
    assert words.gap_in(draft.body) == "{mood}"
    assert written(give(BO), templates=(own,)) == written(give(BO))


def test_a_question_that_does_not_say_what_it_asks_has_no_template():
    action = Action("clarification", BO)
    with pytest.raises(InvalidInput, match="no template for clarification"):
        written(action)


def edit(about, before, after, role="phd student"):
    text = "Subject\n\n{}\n\nA word.\n\n{}\nNoor Halvard"
    return Edit("mail", about, text.format(*before), text.format(*after), role=role)


OLD = "Dear Bo Lund,", "With best wishes,"


def test_a_new_greeting_is_used_for_the_role_and_the_latest_closing_for_everybody():
    edits = [edit(BO, OLD, ("Hi Bo!", "Yours,")), edit(BO, OLD, (OLD[0], "Warmly,"))]
    edits += [
        replace(edits[0], after=""),
        edit("Ed", ("Dear Ed,", "x"), ("Ed,", "x"), "dean"),
    ]
    ana, di = (
        written(Action("thanks", n), edits=edits).body.split("\n") for n in (ANA, DI)
    )
    assert di[0] == "Hi Di!" and ana[0] == "Dear Professor Ana Ray,"
    assert di[-2:] == ana[-2:] == ["Warmly,", "Noor Halvard"]


def test_an_edit_is_summed_up_by_what_it_changed():
    made = desk()

    def summed(edit):
        return asyncio.run(RuleBasedOrganizer().describe(made, edit))

    style = summed(edit(BO, OLD, ("Hi Bo!", "Yours,")))
    assert "“Dear {name},” became “Hi {first}!”" in style and "“Yours,”" in style
    assert "removed" in summed(Edit("action", BO, "thanks", ""))
    assert summed(edit(BO, OLD, OLD)) == "", "what a mail is about is nobody else's"


@pytest.mark.parametrize(
    ("greeting", "other"),
    [
        ("Dear Professor Ana Ray,", ""),
        ("Dear Ana,", ""),
        ("Dear Bo,", BO),
        ("Dear Professor Lund,", BO),
        ("Dear colleague,", ""),
        ("Bonn is lovely,", ""),  # Bo is not in it
    ],
)
def test_whom_the_first_line_of_a_mail_greets(greeting, other):
    draft = Draft(ANA, "s", f"{greeting}\n\nBo Lund will be there.")
    assert words.greets_another(draft, programme()) == other


def test_a_report_tells_which_policies_nobody_follows():
    made = desk("begin")
    made.policies = made.policies.add(Policy("kind", "Be kind."))
    assert "Be kind." in words.report(made)
    assert "ask every speaker" not in words.report(made)
