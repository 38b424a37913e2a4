"""What a seminar begins with: a table of people, texts, kinds; and what is refused."""

import pytest

from support.desk.setup import SetupPage, read_people, write_people
from support.errors import ConveneError
from support.mail.credentials import MailServers
from support.seminar.data import scenario
from support.seminars.journal import names


@pytest.fixture
def page(path):
    """The page Setup, and the names of seminars that were begun on it."""
    begun = []
    page = SetupPage(path, None, begun.append)
    page.begun_on_it = begun
    return page


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
def test_a_table_is_read_as_spreadsheets_copy_it(mark):
    rows = [
        ["Name", " Address ", "role", "notes", "May be written to", "played by"],
        ["Ana Ray", "ana@x.example", "professor", '"two, or; three"', "Yes", ""],
        ["Ben", "ben@x.example", "any role", "", "", "human"],
    ]
    found = read_people("\n".join(mark.join(row) for row in rows))
    ana, ben = found.people
    assert (ana.name, ana.email, ana.notes) == (
        "Ana Ray",
        "ana@x.example",
        "two, or; three",
    )
    assert ben.role == "any role"
    assert found.allowed == ("ana@x.example",) and found.played == {"Ben": "human"}


@pytest.mark.parametrize("name", ["four", "series", "panel"])
def test_the_projects_people_pass_through_the_table_as_they_are(name):
    people = scenario(name).people
    assert read_people(write_people(people), people).people == people


BAD = [
    ("people", "name,email,role\nAna,ana,professor", "people, line 2: email"),
    ("people", "name,email,role,size\nAna,a@x.example,p,1", "size given"),
    (
        "people",
        "name,email,role\nAna,a@x.example,p\nAna,b@x.example,p",
        "the name 'ana'",
    ),
    ("programme", "title: [", "programme"),
    ("programme", "title: Talks\nnonsense: 1", "nonsense"),
    ("policies", "- id: a\n  text: b\n  rule: c", "rule 'c' given"),
    ("templates", "- kind: song\n  subject: a\n  body: b", "kind 'song' given"),
    ("detector", "nobody", "'nobody' given"),
    ("people", "name,email,role\nAna,a@x.example,p,too,many", "line 2: more cells"),
]


@pytest.mark.parametrize(("where", "text", "told"), BAD)
def test_what_does_not_fit_is_refused_by_line_column_or_file(
    page, path, where, text, told
):
    if where in page.texts:
        page.texts[where].value = text
    else:
        page.seats[where].value = text
    with pytest.raises((ConveneError, ValueError), match=told):
        page.start()
    assert names(path) == [] and page.begun_on_it == []


def test_a_kind_for_each_step_and_whoever_is_played_here_are_in_the_setup(page):
    page.seats["mails"].value = "model:chat"
    text = page.texts["people"].value
    page.texts["people"].value = text.replace(
        "Norrhaven\t\t\t", "Norrhaven\t\thuman\t", 1
    )
    setup = page.read()
    expected = {"plan": "rule-based", "mails": "model:chat", "summaries": "rule-based"}
    assert setup.organizer == expected
    assert sorted(setup.people.values()) == ["human", *["rule-based"] * 3]
    page.start()
    assert page.begun_on_it == ["seminar 1"]


def test_real_mail_begins_only_with_all_that_keeps_it_from_harm(page):
    page.mode.value = "live"
    text = page.texts["people"].value
    page.texts["people"].value = text.replace(
        "Norrhaven\t\t\t", "Norrhaven\t\t\tyes", 1
    )
    servers = "smtp_host: a.example\nimap_host: b.example\naddress: me@x.example\n"
    servers += "unchecked_senders: true\n"
    page.texts["servers"].value = servers
    with pytest.raises(ConveneError, match="daily_limit"):
        page.read()
    page.texts["servers"].value = servers + "daily_limit: 5"
    setup = page.read()
    assert setup.servers == MailServers("a.example", "b.example", "me@x.example")
    assert len(setup.allowed) == 1 and "password" not in setup.to_json()
