"""The people on the list: loaded, checked, told apart."""

from dataclasses import replace

import pytest

from support.errors import DamagedFile, InvalidInput
from support.seminar.data import Persona, check_people, load_personas, surname_twice

ANA = Persona("ana", "Ana Ray", "ana@example.org", "professor")


def test_the_projects_people_are_as_its_readme_says():
    people = load_personas()
    roles = [person.role for person in people.values()]
    assert len(people) == 24 and [roles.count(r) for r in ("professor", "postdoc", "phd student")] == [10, 5, 9]
    assert sum(bool(p.issue) for p in people.values()) == 12 and all(
        bool(p.issue) == bool(p.issue_kind) for p in people.values()
    )
    check_people(list(people.values()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": " "}, "no name given"),
        ({"email": "ana"}, "email 'ana' given; expected one such as"),
        ({"email": "a na@x.org"}, "email 'a na@x.org' given"),
        ({"role": "dean"}, "role 'dean' given; expected one of professor, postdoc, phd student"),
        ({"days": -1}, "days = -1 given; expected a whole number from 0"),
        ({"needs": 0}, "needs = 0 given; expected a whole number from 1"),
        ({"limit": True}, "limit = True given"),
        ({"days": 1.5}, "days = 1.5 given"),
        ({"share": 1.1}, "share = 1.1 given; expected a number from 0 to 1"),
        ({"vague": float("nan")}, "vague = nan given"),
        ({"forgets": "0.5"}, "forgets = '0.5' given"),
    ],
)
def test_a_persona_that_cannot_be_is_refused(change, said):
    with pytest.raises(InvalidInput, match=said):
        replace(ANA, **change)


def test_two_people_of_one_name_are_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"two have the name 'ana ray' \(ana and b\).*add a middle name"):
        check_people([ANA, replace(ANA, id="b", name="ana ray", email="b@example.org")])
    with pytest.raises(InvalidInput, match="two have the email"):
        check_people([ANA, replace(ANA, id="b", name="Bo Ray", email="ANA@example.org ".strip())])
    with pytest.raises(InvalidInput, match="nobody given"):
        check_people([])


@pytest.mark.parametrize("name", ["organiser", "Reviewer "])
def test_nobody_is_called_as_a_role_is_in_the_log(name):
    with pytest.raises(InvalidInput, match="which stands for a role in mails and records; give another one"):
        check_people([replace(ANA, name=name)])


def test_who_shares_a_last_name_is_told():
    people = load_personas()
    assert surname_twice(people.values()) == {"Vivian Truong", "Linh Truong"}


def test_a_file_with_a_field_of_another_name_or_an_id_twice_is_refused(tmp_path):
    one = '[[persona]]\nid = "a"\nname = "Ana"\nemail = "a@x.org"\nrole = "postdoc"\n'
    file = tmp_path / "people.toml"
    file.write_text(one + "speed = 3\n")
    with pytest.raises(InvalidInput, match="persona Ana: 'speed' given; expected fields of id, name"):
        load_personas(file)
    file.write_text(one + one)
    with pytest.raises(InvalidInput, match="the id 'a' is given twice"):
        load_personas(file)
    file.write_text(one.replace('role = "postdoc"\n', ""))
    with pytest.raises(InvalidInput, match="role '' given"):
        load_personas(file)
    file.write_text("persona = 3")
    with pytest.raises(DamagedFile, match=r"people\.toml"):
        load_personas(file)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("persona = [3]", r"people\.toml: persona = \[3\] given; expected \[\[persona\]\] tables"),
        ("persona = 'Ana'", "persona = 'Ana' given"),
        ("[[persona]]\nname = 'A'\nconstraints = 'None.'", "persona A: constraints = 'None.' given; expected a list"),
        ("[[persona]]\nid = 'a'\nname = 'A'\nemail='a@x.org'\nrole='postdoc'\nresponsiveness = 2",
         "persona A: responsiveness = 2 given; expected a table of days and needs"),
    ],
)  # fmt: skip
def test_an_entry_of_another_form_is_a_damaged_file(tmp_path, line, said):
    file = tmp_path / "people.toml"
    file.write_text(line)
    with pytest.raises(DamagedFile, match=said):
        load_personas(file)


def test_an_organiser_is_told_who_somebody_is_and_nothing_of_how_they_behave():
    for person in load_personas().values():
        known = person.introduced
        assert (known.id, known.name, known.email, known.role) == (person.id, person.name, person.email, person.role)
        assert (known.field, known.affiliation) == (person.field, person.affiliation)
        assert (
            replace(ANA, **{name: getattr(known, name) for name in ("days", "share", "limit", "issue", "style")}) == ANA
        )
