"""Policies: when each applies, what of a day breaks it, and what a file may hold."""

import pytest
from small_seminar import (
    ANA,
    BO,
    CY,
    FRI,
    MON,
    OCT,
    SAT,
    SEP,
    THU,
    TUE,
    WED,
    books,
    evening,
    give,
    letter,
    policies,
    said,
)

from support.errors import DamagedFile, InvalidInput
from support.seminar.desk import Artefacts, Template, export_artefacts, import_artefacts
from support.seminar.policies import (
    Judged,
    Policy,
    applies,
    load_policies,
    policy_set,
    violations,
)
from support.seminar.records import ANSWER, Action, Edit, Flag

ALL = load_policies("all")
ASKED = {"mails": [MON]}
SILENT = {"mails": [MON, TUE, WED]}
FEW = said(SEP, answered=[TUE])
MORE = said(SEP, OCT, mails=[MON, WED], answered=[TUE, WED])
PERHAPS = said(perhaps=[SEP], mails=[MON, WED], answered=[TUE, WED])
GONE = said(answered=[TUE], declined=True)


def state(today=THU, given=None, seats=1, **known):
    """What is known of people, by first names, of two dates."""
    full = {"Ana": ANA, "Bo": BO, "Cy": CY}
    about = {full[first]: dict(found) for first, found in known.items()}
    return books(today, about, given, slots=(SEP, OCT), seats=seats)


@pytest.mark.parametrize(
    ("policy", "yes", "no"),
    [
        ("begin", state(), state(Ana=ASKED)),
        ("follow_up", state(Ana=ASKED), state(Ana=FEW)),
        ("give_up", state(Ana=SILENT), state(Ana=ASKED)),
        ("ask_more", state(Ana=FEW), state(Ana={**MORE, "can": {SEP}})),
        ("vague", state(Ana=PERHAPS), state(Ana=PERHAPS, given={SEP: [ANA]})),
        ("faculty_first", state(Ana=FEW, Bo=PERHAPS), state(Ana=FEW, Cy=FEW)),
        ("weekend", state(SAT), state()),
        ("declined", state(Ana=GONE), state(Ana={**GONE, "thanked": True})),
        (
            "confirm",
            state(given={SEP: [ANA]}),
            state(Ana={"confirmed": {SEP}}, given={SEP: [ANA]}),
        ),
        (
            "one_each",
            state(Ana=MORE, Bo=FEW, given={OCT: [ANA]}),
            state(Ana=FEW, Bo=MORE, given={SEP: [ANA]}),
        ),
    ],
)
def test_a_policy_applies_where_it_tells_something_and_not_elsewhere(policy, yes, no):
    assert policy in applies(ALL, yes) and policy not in applies(ALL, no)


def broken(names, before, *actions, mails=()):
    """Breaches of a day with these actions."""
    after = evening(before, actions)
    return violations(Judged(before, after, actions, mails, policies(names)))


def ask(what=ANA):
    """A mail of a kind to Ana, or a reminder of somebody."""
    kind, name = ("follow_up", what) if what in (ANA, BO) else (what, ANA)
    return Action(kind, name)


BOTH = state(Ana=MORE, Bo=MORE)
ANA_HAS = state(Ana=MORE, Bo=MORE, given={OCT: [ANA]})
SURE = {**PERHAPS, "asked": {SEP: WED}}
NONE_ELSE = {**FEW, "cannot": {OCT}}
ANSWERED = Action("clarification", ANA, asks=ANSWER)


@pytest.mark.parametrize(
    ("policy", "before", "breaks", "keeps"),
    [
        ("weekend", state(SAT, Ana=FEW), [ask()], [ask("wait")]),
        ("follow_up", state(Ana={"mails": [WED]}), [ask()], [ask("wait")]),
        ("follow_up", state(SAT, Ana={"mails": [FRI]}, Bo=ASKED), [ask()], [ask(BO)]),
        ("give_up", state(Ana=SILENT, Bo=FEW), [ask()], [ask(BO)]),
        ("declined", state(Ana=GONE), [ask("clarification")], [ask("thanks")]),
        ("declined", state(Ana={**GONE, "thanked": True}), [ask("thanks")], []),
        ("faculty_first", BOTH, [give(BO)], [give(BO), give(ANA, OCT)]),
        ("one_each", ANA_HAS, [give(ANA)], [give(BO)]),
        ("ask_more", state(Ana=FEW, Bo=NONE_ELSE), [give(ANA)], [give(BO)]),
        ("vague", state(Ana=PERHAPS, Bo=SURE), [give(ANA)], [give(BO)]),
        ("confirm", state(given={SEP: [ANA]}), [], [give(ANA)]),
        # who has a date owes no answer, and where there is room nobody is put first
        ("follow_up", state(TUE, given={SEP: [ANA]}, Ana=ASKED), None, [ask()]),
        ("faculty_first", state(Ana=MORE, Bo=MORE, seats=2), None, [give(BO)]),
        ("declined", state(Ana=GONE), None, [ANSWERED]),
    ],
)
def test_a_days_actions_break_a_policy_or_not(policy, before, breaks, keeps):
    assert broken(policy, before, *keeps) == ()
    if breaks is not None:
        (line,) = broken(policy, before, *breaks)
        assert line.startswith(f"{policy}: ")


def test_at_the_beginning_everybody_is_asked_about_all_dates():
    everybody = [Action("invitation", name) for name in state().contacts]
    mails = [letter(1, a.person, "invitation", slots=[SEP, OCT]) for a in everybody]
    assert broken("begin", state(), *everybody, mails=mails) == ()
    assert broken("begin weekend", state(SAT)) == ()
    short = letter(9, ANA, "invitation", slots=[SEP])
    assert broken("begin", state(), *everybody[1:], mails=[short]) == (
        f"begin: {ANA} was not asked at the beginning",
        f"begin: {ANA} was not asked about Wednesday, 13 October 2027",
    )


# ---- files ----


def test_what_is_exported_is_imported_as_it_was(tmp_path):
    made = Artefacts(
        policy_set("seed").add(Policy("mine", "Be kind.")).edit("follow_up", days=4),
        (Template("thanks", "Thank you", "Dear {speaker},"),),
        (Flag(7, ANA, "May she speak by video?", "Yes.", "Yes!", True),),
        (Edit("mail", ANA, "Dear Ana,", "Hi Ana!", "a greeting", "professor"),),
    )
    file = export_artefacts(made, tmp_path / "kept" / "mine.yaml")
    assert import_artefacts(file) == made and file.stat().st_mode & 0o077 == 0


ONE = "id: a, text: b"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("version: 9\npolicies: []\n", "version 9 given.*left as it is"),
        ("policies: []\n", "version None given"),
        ("version: !!python/object/apply:os.getcwd []\n", "expected a YAML file"),
        ("version: 2\npolicies: [{id: a, text: ' '}]\n", "text"),
        (f"version: 2\npolicies: [{{{ONE}, rule: dance}}]\n", "'dance' given"),
        (
            f"version: 2\npolicies: [{{{ONE}, rule: follow_up}}]\n",
            "number under 'days'",
        ),
        (
            f"version: 2\npolicies: [{{{ONE}, rule: vague, days: 2}}]\n",
            "expected no number",
        ),
        (f"version: 2\npolicies: [{{{ONE}, rule: give_up, mails: 0}}]\n", "mails"),
        (f"version: 2\npolicies: [{{{ONE}}}, {{{ONE}}}]\n", "'a' is given twice"),
        (f"version: 2\npolicies: [{{{ONE}, colour: red}}]\n", "colour"),
        ("version: 2\ncolours: [red]\n", "colours"),
        ("version: 2\ntemplates: [{kind: shout, subject: x, body: y}]\n", "'shout' gi"),
    ],
)
def test_a_file_that_cannot_be_taken_along_says_why_and_is_left_as_it_is(
    tmp_path, content, why
):
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises((DamagedFile, InvalidInput), match=why):
        import_artefacts(file)
    assert file.read_text() == content
