"""The setup page: what can be typed, what is said where it does not fit, that nothing typed is lost, what comes out."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser

import ipywidgets as w
import pytest

from support.errors import ConveneError, InvalidInput, NotSent
from support.labs import base as chat
from support.mail.credentials import MailServers
from support.seminar.artefacts import Artefacts, Template, export_artefacts, load_templates
from support.seminar.checkpoints import AUTOMATIC
from support.seminar.data import scenario
from support.seminar.records import Hook
from support.seminar.rules import PolicySet, load_policies
from support.seminars.setup import DRY_RUN, LIVE, REHEARSAL
from support.widgets.dashboard import sending
from support.widgets.dashboard.bringing import LARGEST, read_artefacts
from support.widgets.dashboard.drafts import faults_of, persons_of
from support.widgets.dashboard.pasting import read_table
from support.widgets.dashboard.programme import read_dates
from support.widgets.dashboard.setting_up import SetupPage

TODAY = date(2027, 8, 1)
EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="x $$x$$ \u202egro.live'


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(chat, "SETTLE", 0)
    for name in ("SMTP_HOST", "IMAP_HOST", "MAIL_ADDRESS"):
        monkeypatch.delenv(f"CONVENE_{name}", raising=False)


@pytest.fixture
def begun():
    return []


@pytest.fixture
def page(begun):
    """The page as it is at first: nobody is in the file, and no model is connected."""
    return SetupPage(
        lambda name, setup: begun.append((name, setup)), model=False, taken=lambda: [], today=lambda: TODAY
    )


def pressed(*buttons, then=lambda: None):
    """Press buttons one after the other, each until what it does is done."""

    async def press():
        for button in buttons:
            button.click() if isinstance(button, w.Button) else button()
            for _ in range(50):
                await asyncio.sleep(0)
            then()

    asyncio.run(press())


def typed(fields, **values):
    for name, value in values.items():
        fields[name].control.value = value


def all_html(widget):
    """Every piece of HTML below a widget."""
    if isinstance(widget, w.HTML):
        yield widget.value
    for child in getattr(widget, "children", ()):
        yield from all_html(child)


class Markup(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, {name for name, _ in attrs}))


def harmless(markup):
    parser = Markup()
    parser.feed(markup)
    known = {"role", "class", "style", "tabindex", "aria-label", "aria-hidden", "scope", "dir"}
    bad = [tag for tag, names in parser.found if tag in ("script", "img") or not names <= known]
    return not bad


# what is typed as text


def test_dates_are_read_line_by_line_and_problems_name_the_line():
    found, problems = read_dates("2027-12-08\n\n 2027-09-15 ,\n2027-13-01\n2027-12-08\nlater")
    assert found == [date(2027, 12, 8), date(2027, 9, 15)]
    assert [problem.split(":")[0] for problem in problems] == ["line 4", "line 5", "line 6"]


@pytest.mark.parametrize("between", ["\t", ";", ","])
def test_a_table_is_read_as_spreadsheets_copy_it(between):
    rows = [
        ["Name", "E-Mail", "Role", "Vague", "Days", "Constraints"],
        ["Ana Ray", "ana@example.org", "Prof.", "30 %", "4", "no Fridays"],
    ]
    [ana] = read_table("\r\n".join(between.join(row) for row in rows))
    assert (ana["name"], ana["role"], ana["vague"], ana["days"], ana["constraints"]) == (
        "Ana Ray", "professor", 0.3, 4, "no Fridays",
    )  # fmt: skip


def test_cells_in_quotation_marks_may_have_line_ends_and_commas():
    [ana] = read_table('name,email,description\n"Ray, Ana",ana@example.org,"two\nlines"')
    assert ana["name"] == "Ray, Ana" and ana["description"] == "two\nlines"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "nothing is pasted"),
        ("name\tmail\nAna\tana@", "row 2 (Ana), column email"),
        ("name\temail\trole\nAna\tana@example.org\tking", "row 2 (Ana), column role: 'king'"),
        ("name\temail\n\tana@example.org", "row 2, column name"),
        ("name\temail\tdays\nAna\tana@example.org\tsoon", "column days: 'soon'"),
        ("name\temail\tvague\nAna\tana@example.org\t7", "column vague: '7'"),
        ("Ana Ray\tana@example.org", "the first row is a person already"),
        ("name\tshoe\nAna\t42", "column 'shoe'"),
        ("name\trole\nAna\tprofessor", "no column email"),
        ("name\temail\nAna\tana@example.org\textra", "'extra' stands below no head"),
        ('name\temail\n"Ana\tana@example.org', "quotation mark"),
        ("name\temail", "only a row of heads"),
        ("name\tname\temail\na\tb\tc@example.org", "two columns for name"),
    ],
    ids=lambda text: text[:12] if "\t" not in text else "table",
)
def test_a_table_that_does_not_fit_is_refused_by_row_and_column(table, said):
    with pytest.raises(InvalidInput) as refused:
        read_table(table)
    assert said in str(refused.value)


def test_people_get_ids_of_their_own_and_twins_are_told_apart():
    two = read_table("name\temail\nZoë Ray\tzoe@example.org\nZoe Ray\tzoe2@example.org")
    assert [person.id for person in persons_of(two)] == ["zoe_ray", "zoe_ray_2"]
    same = read_table("name\temail\nAna Ray\tana@example.org\nana ray\tANA@example.org")
    assert [sorted(faults) for faults in faults_of(same)] == [["email", "name"]] * 2
    assert "stands for a role" in faults_of(read_table("name\temail\nOrganiser\to@example.org"))[0]["name"]


# what comes out


def test_as_it_is_at_first_a_rehearsal_of_the_four_can_begin(page, begun):
    pressed(page.begin_button)
    [(name, setup)] = begun
    assert name == "Seminar 1" and setup.mode == REHEARSAL and setup.servers is None and setup.allowed == ()
    assert replace(setup.scenario, id="four") == scenario("four"), "a programme passes through the form as it is"
    assert setup.artefacts == Artefacts(load_policies(), {k: _stripped(t) for k, t in load_templates().items()})
    assert len(setup.past) == 5 and setup.people == "rule-based"


def _stripped(template):
    return replace(template, body=template.body.strip())


@pytest.mark.parametrize("name", ["panel", "series"])
def test_the_other_scenarios_pass_through_the_form_as_they_are(page, begun, name):
    page.start.value = name
    pressed(page.start_twice.first, page.start_twice.yes, page.begin_button)
    assert replace(begun[0][1].scenario, id=name) == scenario(name)


def test_a_programme_of_ones_own_can_be_typed_from_nothing(page, begun):
    page.start.value = "empty"
    pressed(page.start_twice.first, page.start_twice.yes)
    assert page.people.people.entries == [] and page.programme.fields["title"].control.value == ""
    typed(page.programme.fields, title="Talks", organiser="Ida Moe", place="online", time="10:00", goal="Find two.",
          slots="2027-10-02\n2027-09-05", start=date(2027, 8, 2), deadline=date(2027, 8, 30), seats=2)  # fmt: skip
    people = page.people.people
    pressed(people.add_button, people.add_button)
    typed(people.fields, name="Bo Li", email="bo@example.org", role="postdoc", vague=0.5, constraints="a\n\n b")
    pressed(lambda: setattr(people.list, "index", 0))
    typed(people.fields, name="Ana Ray", email="ana@example.org", played="slow")
    page.roles.delegation.everything.value, page.roles.seed.value = AUTOMATIC, 7
    page.sending.mode.value = DRY_RUN
    pressed(page.begin_button)
    [(_, setup)] = begun
    made = setup.scenario
    assert made.slots == (date(2027, 9, 5), date(2027, 10, 2)) and made.seats == 2 and made.organiser == "Ida Moe"
    assert [(p.name, p.role, p.vague, p.constraints) for p in made.people] == [
        ("Ana Ray", "professor", 0.0, ()), ("Bo Li", "postdoc", 0.5, ("a", "b")),
    ]  # fmt: skip
    assert setup.mode == DRY_RUN and setup.seed == 7 and set(setup.delegation.values()) == {AUTOMATIC}
    assert setup.people == {"Ana Ray": "slow", "Bo Li": "rule-based"}


def test_what_is_missing_is_said_beside_the_field_and_in_the_summary_and_nothing_typed_is_lost(page, begun):
    typed(page.programme.fields, title="", slots="2027-09-05\nsoon", start=date(2027, 8, 1))
    typed(page.people.people.fields, email="not an address")
    page.people.people.fields["name"].control.value = "Kept <b>name</b>"
    assert page.summary.value == "" and page.programme.fields["title"].trouble.value == "", "not before one begins"
    pressed(page.begin_button)
    assert not begun
    assert 'role="alert"' in page.summary.value and "4 things to mend" in page.summary.value
    beside = {name: field.trouble.value for name, field in page.programme.fields.items() if field.trouble.value}
    assert set(beside) == {"title", "slots", "start"} and "line 2" in beside["slots"] and "Sunday" in beside["start"]
    assert page.people.people.fields["email"].trouble.value and "▲" in page.people.people.list.options[0][0]
    assert [title.split("▲")[1:] for title in page.tabs.titles] == [["3"], ["1"], [], [], [], []]
    assert page.people.people.fields["name"].control.value == "Kept <b>name</b>"
    assert page.programme.fields["slots"].control.value == "2027-09-05\nsoon"
    typed(page.programme.fields, title="Talks", slots="2027-09-15", start=date(2027, 8, 2))
    typed(page.people.people.fields, email="kept@example.org")
    assert page.summary.value == "" and "▲" not in "".join(page.tabs.titles), "it goes as soon as it is mended"
    pressed(page.begin_button)
    assert begun[0][1].scenario.people[0].name == "Kept <b>name</b>"


def test_a_refusal_of_what_begins_it_is_shown_and_keeps_everything(page):
    def refused(name, setup):
        raise InvalidInput("name: <b>taken</b>; choose another")

    page.begin = refused
    typed(page.programme.fields, title="Talks of mine")
    pressed(page.begin_button)
    assert "&lt;b&gt;taken" in page.error.value and 'role="alert"' in page.error.value
    assert page.programme.fields["title"].control.value == "Talks of mine"


def test_a_name_that_is_taken_or_none_is_refused_and_a_free_one_is_proposed(begun):
    page = SetupPage(lambda *given: begun.append(given), model=False, taken=lambda: ["Seminar 1"], today=lambda: TODAY)
    assert page.name.control.value == "Seminar 2"
    for name in ("Seminar 1", "  ", "x" * 81):
        page.name.control.value = name
        pressed(page.begin_button)
        assert not begun and page.name.trouble.value
    page.name.control.value = " Autumn "
    pressed(page.begin_button)
    assert begun[0][0] == "Autumn"


def test_filling_in_asks_first_and_no_leaves_everything(page):
    typed(page.programme.fields, title="Mine")
    page.start.value = "series"
    pressed(page.start_twice.first)
    assert page.start_twice.yes.layout.display == "" and page.programme.fields["title"].control.value == "Mine"
    pressed(page.start_twice.no)
    assert page.start_twice.yes.layout.display == "none" and page.programme.fields["title"].control.value == "Mine"
    pressed(page.start_twice.first, page.start_twice.yes)
    assert len(page.people.people.entries) == 23 and len(page.people.people.list.options) == 23


# people


def test_letters_that_arrive_late_go_to_whom_they_were_typed_for(page, monkeypatch):
    """The browser sends the last letters of a field behind the press that leaves it."""
    monkeypatch.setattr(chat, "SETTLE", 0.02)
    people = page.people.people
    names = [entry["name"] for entry in people.entries]

    async def leave():
        people.fields["name"].control.value = "Aurelio B"
        people.list.index = 2
        people.fields["name"].control.value = "Aurelio Bran"
        await people.press.task

    asyncio.run(leave())
    assert [entry["name"] for entry in people.entries] == ["Aurelio Bran", *names[1:]]
    assert people.at == 2 and people.fields["name"].control.value == names[2]


def test_somebody_removed_can_be_put_back_with_all_that_was_typed(page):
    people = page.people.people
    people.show(1)
    before = [dict(entry) for entry in people.entries]
    pressed(people.remove_button)
    assert len(people.entries) == 3 and people.back_button.description == f"Put back {before[1]['name']}"
    pressed(people.back_button)
    assert people.entries == before and people.at == 1 and people.list.index == 1
    for _ in range(4):
        people.remove()
    assert people.entries == [] and all(field.control.disabled for field in people.fields.values())
    pressed(page.begin_button)
    assert "nobody is on the list" in page.summary.value


def test_a_pasted_table_is_added_or_replaces_and_a_refusal_keeps_the_text(page):
    bad = f"name\temail\n{EVIL}\tana@"
    page.people.pasted.value = bad
    pressed(page.people.take_button)
    assert "row 2" in page.people.paste_error.value and page.people.pasted.value == bad
    assert harmless(page.people.paste_error.value) and len(page.people.people.entries) == 4
    page.people.pasted.value = "name\temail\nAna Ray\tana@example.org"
    pressed(page.people.take_button)
    assert len(page.people.people.entries) == 5 and page.people.people.at == 4 and page.people.pasted.value == ""
    page.people.pasted.value = "name\temail\nAna Ray\tana@example.org"
    pressed(page.people.instead_button)
    assert [entry["name"] for entry in page.people.people.entries] == ["Ana Ray"]


# mails


def test_a_template_with_a_gap_that_nothing_fills_is_named_and_kept(page, begun):
    mails = page.templates.mails
    mails.show(3)
    typed(mails.fields, body="Dear {spaeker}")
    pressed(page.begin_button)
    assert "{spaeker}" in mails.fields["body"].trouble.value and not begun
    mails.show(0)
    assert mails.fields["body"].trouble.value == "" and "▲" in mails.list.options[3][0]
    mails.show(3)
    assert mails.fields["body"].control.value == "Dear {spaeker}"
    pressed(page.templates.own_button, page.begin_button)
    assert begun[0][1].artefacts.templates["confirmation"] == _stripped(load_templates()["confirmation"])


def test_past_mails_are_at_most_ten_and_may_be_none(page, begun):
    past = page.past.mails
    pressed(*[past.add_button] * 6)
    assert len(past.entries) == 10 and "at most" in past.error.value
    for _ in range(10):
        past.remove()
    pressed(page.begin_button)
    assert begun[0][1].past == ()
    pressed(page.past.five_button)
    assert len(past.entries) == 5


# what is brought along


def left(tmp_path):
    """A file that another seminar left: one policy dropped, one of its own, a template, a question with its answer."""
    policies = PolicySet(tuple(load_policies())[:2]).add("Nothing is sent on Saturdays and Sundays.", "rest")
    made = Artefacts(policies, {"thanks": Template("thanks", "Thanks!", "Dear {speaker}")}, (
        Hook("Ana", "May I bring a dog?", "Yes.", 2),
    ))  # fmt: skip
    return export_artefacts(made, tmp_path / "left.yaml").read_bytes()


def upload(page, content, name="left.yaml"):
    async def run():
        page.bringing.file.value = ({"name": name, "type": "", "size": len(content), "content": memoryview(content),
                                     "last_modified": datetime(2027, 8, 1, tzinfo=UTC)},)  # fmt: skip
        await page.bringing.press.task

    asyncio.run(run())


def test_a_file_of_artefacts_brings_policies_templates_and_answers(page, begun, tmp_path):
    upload(page, left(tmp_path))
    assert "1 answered question and 0 changes" in page.bringing.said.value
    pressed(page.begin_button)
    made = begun[0][1].artefacts
    assert [policy.id for policy in made.policies] == [*[p.id for p in load_policies()][:2], "rest"]
    assert made.templates["thanks"].subject == "Thanks!" and made.hooks[0].answer == "Yes."
    assert made.templates["invitation"] == _stripped(load_templates()["invitation"])
    pressed(page.bringing.forget_button)
    page.name.control.value = "another"
    pressed(page.begin_button)
    assert begun[1][1].artefacts.hooks == () and len(begun[1][1].artefacts.policies) == 3


REFUSED = {
    b"\xff\xfe\x00": "expected a YAML file",
    b"- a list": "expected a mapping",
    b"version: 99": "up to 1",
    b"a: &x [1]\nb: *x\nversion: 1": "refers to its own parts",
    b" " * (LARGEST + 1): "expected 1048576 at most",
}


def test_another_file_is_refused_by_its_name_and_changes_nothing(page):
    before = page.setup().artefacts
    for content, said in REFUSED.items():
        upload(page, content, f"{EVIL}.yaml")
        assert said in page.bringing.error.value and harmless(page.bringing.error.value)
        assert page.setup().artefacts == before
        with pytest.raises(ConveneError, match="mine"):
            read_artefacts(content, "mine")


def test_policies_that_contradict_each_other_are_refused_in_words(page, begun):
    page.bringing.bring(Artefacts(PolicySet()), "")
    page.bringing.policies.ticks["faculty_first"].value = True
    page.bringing.policies.own.append(PolicySet().add("Students come before professors.", "own").policies[0])
    pressed(page.begin_button)
    assert not begun and "contradicts" in page.summary.value


def test_a_seminar_in_the_file_can_be_copied_with_what_it_learnt(page, begun):
    first = replace(page.setup(), seed=9, people={p.name: "slow" for p in scenario("four").people})
    learnt = replace(first, artefacts=replace(first.artefacts, hooks=(Hook("Ana", "A dog?", "Yes.", 1),)))
    other = SetupPage(
        lambda *given: begun.append(given), model=False, taken=lambda: ["old"], copied=lambda name: learnt
    )
    assert ("as “old”", "=old") in other.start.options
    other.start.value = "=old"
    pressed(other.start_twice.first, other.start_twice.yes, other.begin_button)
    setup = begun[0][1]
    assert setup.artefacts.hooks == learnt.artefacts.hooks and setup.seed == 9 and setup.people == "slow"
    assert replace(setup.scenario, id="") == replace(first.scenario, id="")


# how mail travels


def live(page):
    page.sending.mode.value = LIVE
    servers = {"address": "me@example.org", "smtp_host": "smtp.example.org", "imap_host": "imap.example.org"}
    typed(page.sending.fields, **servers)
    page.sending.limit.control.value, page.sending.unchecked.value = 5, True


def test_without_a_server_that_checks_senders_it_does_not_begin_but_for_a_yes_in_words(page, begun):
    live(page)
    next(iter(page.sending.ticks.values())).value = True
    page.sending.unchecked.value = False
    pressed(page.begin_button)
    assert not begun and "a forger passes" in page.sending.unchecked_fault.value
    typed(page.sending.fields, authserv="mx.example.org")
    assert page.sending.unchecked.layout.display == "none"
    pressed(page.begin_button)
    assert begun[0][1].servers.authserv == "mx.example.org" and not begun[0][1].unchecked_senders


def test_nobody_may_be_written_to_until_ticked_and_a_changed_address_is_not(page, begun):
    live(page)
    assert not any(tick.value for tick in page.sending.ticks.values())
    pressed(page.begin_button)
    assert not begun and "nobody is ticked" in page.summary.value
    first, second = list(page.sending.ticks)[:2]
    page.sending.ticks[first].value = page.sending.ticks[second].value = True
    typed(page.people.people.fields, email="elsewhere@example.org")
    assert page.sending.allowed == (second,), "the tick was for the address, not for the person"
    pressed(page.begin_button)
    setup = begun[0][1]
    assert setup.allowed == (second,) and setup.daily_limit == 5 and setup.mode == LIVE
    assert setup.servers == MailServers("smtp.example.org", "imap.example.org", "me@example.org", "Noor Halvard")


def test_a_setup_that_is_shown_again_is_a_rehearsal_with_nobody_ticked(page):
    live(page)
    for tick in page.sending.ticks.values():
        tick.value = True
    page.fill(page.setup(), "again")
    assert page.sending.allowed == () and page.sending.mode.value == REHEARSAL
    assert page.sending.fields["smtp_host"].control.value == "smtp.example.org"


def test_addresses_stand_whole_beside_their_names(page):
    assert [tick.description for tick in page.sending.ticks.values()] == [
        f"{person.name} <{person.email}>" for person in scenario("four").people
    ]


def test_a_server_that_does_not_fit_is_said_beside_its_field(page, begun):
    for field, value, beside in (("address", "me", "@"), ("smtp_host", "", "nothing"), ("imap_folder", " ", "nothing"),
                                 ("smtp_host", "a\u0000b", "line")):  # fmt: skip
        live(page)
        typed(page.sending.fields, imap_folder="INBOX")
        typed(page.sending.fields, **{field: value})
        pressed(page.begin_button)
        assert not begun and beside in page.sending.fields[field].trouble.value


def test_without_a_daily_limit_no_live_seminar_begins(page, begun):
    live(page)
    next(iter(page.sending.ticks.values())).value = True
    page.sending.limit.control.value = 0
    pressed(page.begin_button)
    assert not begun and "mails a day" in page.summary.value
    page.sending.mode.value = REHEARSAL
    pressed(page.begin_button)
    assert begun, "a rehearsal needs none"


def test_with_real_mail_the_first_day_may_not_be_over(begun):
    page = SetupPage(lambda *given: begun.append(given), model=False, taken=lambda: [], today=lambda: date(2027, 8, 17))
    live(page)
    pressed(page.begin_button)
    assert "calendar" in page.programme.fields["start"].trouble.value and not begun


def test_the_servers_are_asked_on_demand_and_what_they_say_is_shown_as_text(page, monkeypatch):
    async def good(servers, allowed):
        return f"Logged in at {servers.smtp_host} <b>"

    async def bad(servers, allowed):
        raise NotSent("smtp.example.org refused the login <b>")

    live(page)
    monkeypatch.setattr(sending, "checked", good)
    pressed(page.sending.check_button)
    assert "✓ Logged in at smtp.example.org &lt;b&gt;" in page.sending.found.value
    monkeypatch.setattr(sending, "checked", bad)
    pressed(page.sending.check_button)
    assert page.sending.found.value == "" and "refused the login &lt;b&gt;" in page.sending.error.value
    assert not page.sending.check_button.disabled


def test_without_a_password_it_is_said_where_to_put_one(page, monkeypatch):
    monkeypatch.delenv("CONVENE_MAIL_PASSWORD", raising=False)
    live(page)
    asyncio.run(page.sending.press.do(page.sending.try_servers))
    assert "CONVENE_MAIL_PASSWORD" in page.sending.error.value and "keyring" in page.sending.error.value


def test_the_environment_names_the_servers(monkeypatch):
    for name, value in (("SMTP_HOST", "s.example.org"), ("IMAP_HOST", "i.example.org"), ("MAIL_ADDRESS", "me@x.org"),
                        ("SMTP_PORT", "587"), ("MAIL_PASSWORD", "secret-word")):  # fmt: skip
        monkeypatch.setenv(f"CONVENE_{name}", value)
    page = SetupPage(lambda *given: None, model=False, taken=lambda: [])
    shown = {name: field.control.value for name, field in page.sending.fields.items()}
    assert shown["smtp_host"] == "s.example.org" and shown["smtp_port"] == 587 and shown["smtp_tls"] == "starttls"
    everything = [*all_html(page.view), *(str(value) for value in shown.values()), page.setup().to_json()]
    assert not any("secret-word" in text for text in everything)


def test_how_people_answer_is_asked_for_in_a_rehearsal_only(page):
    assert page.people.acted.layout.display == "" and page.roles.played.layout.display == ""
    page.sending.mode.value = DRY_RUN
    assert page.people.acted.layout.display == page.roles.played.layout.display == "none"


# outside texts


def test_no_text_that_is_typed_becomes_markup(page):
    text_fields = (w.Text, w.Textarea)
    for field in (*page.programme.fields.values(), page.name, *page.sending.fields.values()):
        if isinstance(field.control, text_fields):
            field.control.value = EVIL
    for part in (page.people.people, page.templates.mails, page.past.mails):
        for field in part.fields.values():
            if isinstance(field.control, text_fields):
                field.control.value = EVIL
    page.bringing.policies.field.value = EVIL
    page.sending.mode.value = LIVE
    pressed(page.begin_button, page.sending.check_button)
    markup = list(all_html(page.view))
    assert any("&lt;script&gt;" in text for text in markup)
    assert all(harmless(text) for text in markup if "<style>" not in text)


def test_every_control_has_a_label(page):
    def controls(widget):
        if hasattr(widget, "value") and not isinstance(widget, w.HTML):
            yield widget
        for child in getattr(widget, "children", ()):
            yield from controls(child)

    assert [type(control).__name__ for control in controls(page.view) if not control.description] == []


def test_without_a_model_none_is_offered_and_with_one_it_is(begun):
    for model in (False, True):
        page = SetupPage(lambda *given: None, model=model, taken=lambda: [])
        controls = page.roles.organizer, page.roles.detector, page.roles.everybody
        assert [("model" in [value for _, value in control.options]) for control in controls] == [model] * 3
