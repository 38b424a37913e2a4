"""The setup page: what can be typed, what is said where it does not fit, that nothing typed is lost, what comes out."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser

import ipywidgets as w
import pytest

from support.desk.people import faults_of, persons_of, read_table
from support.desk.policies import LARGEST
from support.desk.setup import SetupPage, read_dates
from support.errors import InvalidInput
from support.labs import base
from support.mail.credentials import MailServers
from support.seminar.artefacts import (
    Artefacts,
    Template,
    export_artefacts,
    load_templates,
)
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import scenario
from support.seminar.records import Hook
from support.seminar.rules import PolicySet, load_policies
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL

EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x $$x$$ \u202egro.live'


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(base, "SETTLE", 0)
    for name in ("SMTP_HOST", "IMAP_HOST", "MAIL_ADDRESS", "MAIL_PASSWORD"):
        monkeypatch.delenv(f"CONVENE_{name}", raising=False)


@pytest.fixture
def begun():
    return []


@pytest.fixture
def page(begun):
    """The page as it is at first: one seminar is in the file, and no model is connected."""
    return SetupPage(lambda *given: begun.append(given), lambda: ["old"], lambda name: LEARNT[0], model=False,
                     today=lambda: date(2027, 8, 1))  # fmt: skip


LEARNT = []


def pressed(*buttons):
    """Press buttons one after the other, each until what it does is done."""

    async def press():
        for button in buttons:
            button.click() if isinstance(button, w.Button) else button()
            for _ in range(50):
                await asyncio.sleep(0)

    asyncio.run(press())


def typed(those, **values):
    for name, value in values.items():
        those[name].control.value = value


def stripped(templates):
    return {
        kind: replace(one, body=one.body.strip()) for kind, one in templates.items()
    }


@pytest.mark.parametrize("between", ["\t", ";", ","])
def test_a_table_is_read_as_spreadsheets_copy_it(between):
    rows = [["Name", "E-Mail", "Role", "Vague", "Days"], ["Zoë Ray", "zoe@example.org", "Prof.", "30 %", "4"],
            ["Zoe Ray", "two@example.org", "", "", ""]]  # fmt: skip
    zoe, other = read_table("\r\n".join(between.join(row) for row in rows))
    assert (zoe["name"], zoe["role"], zoe["vague"], zoe["days"]) == (
        "Zoë Ray",
        "professor",
        0.3,
        4,
    )
    assert [person.id for person in persons_of([zoe, other])] == [
        "zoe_ray",
        "zoe_ray_2",
    ]
    [quoted] = read_table(
        'name,email,description\n"Ray, Ana",ana@example.org,"two\nlines"'
    )
    assert quoted["name"] == "Ray, Ana" and quoted["description"] == "two\nlines"


BAD = {
    "": "nothing is pasted",
    "name\tmail\nAna\tana@": "row 2 (Ana), column email",
    "name\temail\trole\nAna\tana@example.org\tking": "row 2 (Ana), column role: 'king'",
    "name\temail\n\tana@example.org": "row 2, column name",
    "name\temail\tdays\nAna\tana@example.org\tsoon": "column days: 'soon'",
    "name\temail\tvague\nAna\tana@example.org\t7": "column vague: '7'",
    "Ana Ray\tana@example.org": "the first row is a person already",
    "name\tshoe\nAna\t42": "column 'shoe'",
    "name\trole\nAna\tprofessor": "no column email",
    "name\temail\nAna\tana@example.org\textra": "'extra' stands below no head",
    'name\temail\n"Ana\tana@example.org': "quotation mark",
    "name\temail": "only a row of heads",
    "name\tname\temail\na\tb\tc@example.org": "two columns for name",
}


def test_what_does_not_fit_is_refused_by_row_column_line_or_file(page):
    for table, said in BAD.items():
        page.people.pasted.value = table
        pressed(page.people.take_button)
        assert (
            said.replace("'", "&#39;") in page.people.error.value
            and page.people.pasted.value == table
        )
    assert len(page.people.people.entries) == 4
    found, problems = read_dates(
        "2027-12-08\n\n 2027-09-15 ,\n2027-13-01\n2027-12-08\nlater"
    )
    assert found == [date(2027, 12, 8), date(2027, 9, 15)]
    assert [problem.split(":")[0] for problem in problems] == [
        "line 4",
        "line 5",
        "line 6",
    ]
    same = read_table(
        "name\temail\nAna Ray\tana@example.org\nana ray\tANA@example.org\nOrganiser\to@example.org"
    )
    assert [sorted(faults) for faults in faults_of(same)] == [
        ["email", "name"],
        ["email", "name"],
        ["name"],
    ]
    before = page.setup().artefacts
    files = {b"\xff\xfe\x00": "expected a YAML file", b"- a list": "expected a mapping", b"version: 99": "up to 1",
             b"a: &x [1]\nb: *x\nversion: 1": "refers to its own parts", b" " * (LARGEST + 1): "at most"}  # fmt: skip
    for content, said in files.items():
        upload(page, content)
        assert said in page.bringing.error.value and page.setup().artefacts == before


def upload(page, content):
    async def run():
        told = {
            "name": f"{EVIL}.yaml",
            "type": "",
            "last_modified": datetime(2027, 8, 1, tzinfo=UTC),
        }
        page.bringing.file.value = (
            {**told, "size": len(content), "content": memoryview(content)},
        )
        await page.bringing.press.task

    asyncio.run(run())


def test_the_projects_scenarios_pass_through_the_form_as_they_are(page, begun):
    for name in ("panel", "series"):
        page.start.value, page.name.control.value = name, name
        pressed(page.again.first, page.again.yes, page.begin_button)
        named, setup = begun.pop()
        assert (
            named == name
            and setup.mode == REHEARSAL
            and setup.servers is None
            and setup.allowed == ()
        )
        assert setup.scenario == scenario(name) and setup.people == "rule-based"
        assert (
            setup.artefacts == Artefacts(load_policies(), stripped(load_templates()))
            and len(setup.past) == 5
        )


def test_a_programme_of_ones_own_is_typed_from_nothing_and_late_letters_go_to_whom_they_were_typed_for(
    page, begun
):
    page.start.value = "empty"
    pressed(page.again.first, page.again.yes)
    assert page.people.people.entries == []
    typed(page.programme.fields, title="Talks", organiser="Ida Moe", place="online", time="10:00", goal="Find two.",
          slots="2027-10-02\n5 Sept 2027", start=date(2027, 8, 2), deadline=date(2027, 8, 30), seats=2)  # fmt: skip
    people = page.people.people
    pressed(people.add_button, people.add_button)
    typed(
        people.fields,
        name="Bo Li",
        email="bo@example.org",
        role="postdoc",
        vague=0.5,
        constraints="a\n\n b",
    )

    async def leave():
        people.list.index = 0
        people.fields[
            "name"
        ].control.value = (
            "Bo Lin"  # the browser sends the last letters behind the press
        )
        await people.press.task

    asyncio.run(leave())
    typed(people.fields, name="Ana Ray", email="ana@example.org", played="human")
    page.roles.everything.value, page.roles.seed.value, page.sending.mode.value = (
        AUTOMATIC,
        7,
        DRY_RUN,
    )
    pressed(people.remove_button, people.back_button, page.begin_button)
    [(_, setup)] = begun
    assert (
        setup.scenario.slots == (date(2027, 9, 5), date(2027, 10, 2))
        and setup.scenario.seats == 2
    )
    assert [(p.name, p.role, p.vague, p.constraints) for p in setup.scenario.people] == [
        ("Ana Ray", "professor", 0.0, ()), ("Bo Lin", "postdoc", 0.5, ("a", "b")),
    ]  # fmt: skip
    assert (
        setup.mode == DRY_RUN
        and setup.seed == 7
        and set(setup.delegation.values()) == {AUTOMATIC}
    )
    assert (
        setup.people == {"Ana Ray": "human", "Bo Lin": "rule-based"}
        and setup.reviewer == "human"
    )


def test_what_is_missing_is_said_beside_the_field_and_in_the_summary_and_nothing_typed_is_lost(
    page, begun
):
    typed(
        page.programme.fields,
        title="",
        slots="2027-09-05\nsoon",
        start=date(2027, 8, 1),
    )
    typed(page.people.people.fields, email="not an address", name="Kept <b>name</b>")
    assert (
        page.summary.value == "" and page.programme.fields["title"].trouble.value == ""
    ), "not before one begins"
    pressed(page.begin_button)
    assert (
        not begun
        and 'role="alert"' in page.summary.value
        and "4 things to mend" in page.summary.value
    )
    beside = {
        name: field.trouble.value
        for name, field in page.programme.fields.items()
        if field.trouble.value
    }
    assert (
        set(beside) == {"title", "slots", "start"}
        and "line 2" in beside["slots"]
        and "Sunday" in beside["start"]
    )
    assert [title.split("▲")[1:] for title in page.tabs.titles] == [
        ["3"],
        ["1"],
        [],
        [],
        [],
        [],
    ]
    typed(
        page.programme.fields, title="Talks", slots="2027-09-15", start=date(2027, 8, 2)
    )
    typed(page.people.people.fields, email="kept@example.org")
    page.templates.mails.show(3)
    typed(page.templates.mails.fields, body="Dear {spaeker}")
    pressed(page.begin_button)
    assert not begun and "{spaeker}" in page.summary.value
    page.name.control.value = "old"
    pressed(page.templates.own_button, page.begin_button)
    assert not begun and "a seminar in the file has it" in page.summary.value
    page.name.control.value = "new"
    pressed(page.begin_button)
    assert begun[0][1].scenario.people[0].name == "Kept <b>name</b>"

    def refused(*given):
        raise InvalidInput("name: <b>taken</b>; choose another")

    page.begin = refused
    pressed(page.begin_button)
    assert (
        "&lt;b&gt;taken" in page.error.value
        and page.programme.fields["title"].control.value == "Talks"
    )


def test_what_another_seminar_left_is_brought_along_by_file_or_by_name(
    page, begun, tmp_path
):
    policies = PolicySet(tuple(load_policies())[:2]).add(
        "Nothing is sent on Saturdays and Sundays.", "rest"
    )
    hook = Hook("Ana", "May I bring a dog?", "Yes.", 2)
    made = Artefacts(
        policies, {"thanks": Template("thanks", "Thanks!", "Dear {speaker}")}, (hook,)
    )
    upload(page, export_artefacts(made, tmp_path / "left.yaml").read_bytes())
    pressed(page.begin_button)
    found = begun[0][1].artefacts
    assert [policy.id for policy in found.policies] == [
        *[p.id for p in load_policies()][:2],
        "rest",
    ]
    assert (
        found.templates["thanks"].subject == "Thanks!"
        and found.hooks[0].answer == "Yes."
    )
    LEARNT[:] = [
        replace(
            page.setup(),
            seed=9,
            people={p.name: "slow" for p in scenario("four").people},
        )
    ]
    page.start.value = "=old"
    pressed(
        page.bringing.forget_button, page.again.first, page.again.yes, page.begin_button
    )
    assert (
        begun[1][1].artefacts.hooks == found.hooks
        and begun[1][1].seed == 9
        and begun[1][1].people == "slow"
    )
    editor = page.bringing.policies
    editor.use(PolicySet((load_policies("all")["faculty_first"],)))
    editor.field.value = "Students come before professors."
    pressed(editor.add_button)
    assert (
        "contradicts" in editor.error.value
        and len(page.setup().artefacts.policies) == 1
    )


def live(page):
    page.sending.mode.value = LIVE
    servers = {
        "address": "me@example.org",
        "smtp_host": "smtp.example.org",
        "imap_host": "imap.example.org",
    }
    typed(
        page.sending.fields, **servers, imap_folder="INBOX", authserv="mx.example.org"
    )
    page.sending.limit.control.value = 5


def test_real_mail_begins_only_with_all_that_keeps_it_from_harm(page, begun):
    live(page)
    assert not any(tick.value for tick in page.sending.ticks.values())
    first, second = list(page.sending.ticks)[:2]
    for change, said in (
        (lambda: None, "nobody is ticked"),
        (lambda: setattr(page.sending.limit.control, "value", 0), "mails a day"),
        (lambda: typed(page.sending.fields, authserv=""), "a forger passes"),
        (lambda: typed(page.sending.fields, address="me"), "@"),
        (lambda: typed(page.sending.fields, smtp_host=""), "nothing is typed"),
        (lambda: typed(page.sending.fields, smtp_host="a\u0000b"), "line"),
        (lambda: typed(page.programme.fields, start=date(2027, 7, 30)), "calendar"),
    ):
        change()
        pressed(page.begin_button)
        assert not begun and said in page.summary.value, said
        live(page)
        typed(page.programme.fields, start=date(2027, 8, 16))
        page.sending.ticks[first].value = page.sending.ticks[second].value = True
    typed(page.people.people.fields, email="elsewhere@example.org")
    assert page.sending.allowed == (second,), (
        "the tick was for the address, not for the person"
    )
    pressed(page.begin_button)
    setup = begun[0][1]
    assert (
        setup.allowed == (second,)
        and setup.daily_limit == 5
        and setup.mode == LIVE
        and setup.reviewer == "human"
    )
    assert setup.servers == MailServers("smtp.example.org", "imap.example.org", "me@example.org", "Noor Halvard",
                                        authserv="mx.example.org")  # fmt: skip
    typed(page.sending.fields, authserv="")
    page.sending.unchecked.value, page.name.control.value = True, "in words"
    pressed(page.begin_button)
    assert begun[1][1].unchecked_senders
    pressed(page.sending.check_button)
    assert (
        "CONVENE_MAIL_PASSWORD" in page.sending.error.value
        and "keyring" in page.sending.error.value
    )
    # MathJax reads a control's label whatever the classes of the page, and drew a white box over the address
    typed(
        page.people.people.fields,
        name=r"Ana <ana@example.org>$\rlap{\rule{9em}{9em}}$ \(x\)",
        email="eve@evil.example",
    )
    [told] = [
        tick.description
        for tick in page.sending.ticks.values()
        if "eve@evil" in tick.description
    ]
    assert told.startswith("eve@evil.example, Ana") and not {"$", "\\"} & set(told), (
        "no name hides an address"
    )
    page.fill(page.setup())
    assert page.sending.allowed == () and page.sending.mode.value == REHEARSAL, (
        "shown again it is a rehearsal"
    )


def below(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from below(child)


def test_no_text_that_is_typed_becomes_markup_and_every_control_has_a_label(page):
    controls = [
        one
        for one in below(page.view)
        if hasattr(one, "value") and not isinstance(one, w.HTML)
    ]
    assert [
        type(one).__name__ for one in controls if not (one.description or one.tooltip)
    ] == []
    page.sending.mode.value = LIVE
    for part in (page.people.people, page.templates.mails, page.past.mails):
        for field in part.fields.values():
            if isinstance(field.control, w.Text | w.Textarea):
                field.control.value = EVIL
    for control in controls:
        if isinstance(control, w.Text | w.Textarea):
            control.value = EVIL
    pressed(page.begin_button, page.sending.check_button)
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append(
        (tag, {name for name, _ in attributes})
    )
    markup = [one.value for one in below(page.view) if isinstance(one, w.HTML)]
    for text in markup:
        parser.feed(text)
    known = {"role", "class", "tabindex", "aria-label", "aria-hidden", "scope", "dir"}
    assert any("&lt;script&gt;" in text for text in markup)
    assert [
        one for one in found if one[0] in ("script", "img") or not one[1] <= known
    ] == []
