"""Who reports to whom, who works with whom, and what nobody may look up."""

from dataclasses import fields, is_dataclass

import pytest

from support.environments.meetings.company import COLLABORATOR, MANAGER, TEAMMATE, Private, profile
from support.environments.meetings.preferences import Flexible, Window
from support.errors import InvalidInput

SPEC = {
    "name": "Ann",
    "role": "Nurse",
    "level": 2,
    "responsibilities": ["Care"],
    "zone": "UTC",
    "hours": ["9:00", "17:00"],
}


def words_in(thing):
    """Every text in a record, however deep."""
    if isinstance(thing, str):
        yield thing
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from words_in(getattr(thing, field.name))
    elif isinstance(thing, (tuple, list, set, frozenset)):
        for item in thing:
            yield from words_in(item)
    elif isinstance(thing, dict):
        yield from words_in(list(thing.items()))
    else:
        assert thing is None or isinstance(thing, (int, float)), f"{type(thing)} is not searched"


def test_teammates_share_a_manager_and_are_each_others(authored):
    for name, p in authored.by_name.items():
        mates = authored.teammates(name)
        assert all(authored.by_name[m].manager == p.manager for m in mates)
        assert all(name in authored.teammates(m) for m in mates)
        assert len(mates) == max(0, sum(o.manager == p.manager for o in authored.profiles) - 1)


def test_who_reports_to_nobody_has_no_teammates(firm):
    company = firm({"Ann": None, "Bob": None, "Cai": "Ann"})
    assert company.teammates("Ann") == company.teammates("Cai") == ()


def test_collaborators_are_the_first_half_by_shared_meetings(authored):
    order = list(authored.by_name)
    for name in order:
        groups = [{m.organiser, *m.members} for m in authored.meetings]
        met = {o: sum({name, o} <= g for g in groups) for o in order if o != name}
        ranked = [o for o in sorted(order, key=lambda o: -met.get(o, 0)) if met.get(o)]
        assert authored.collaborators(name) == tuple(ranked[: -(-len(ranked) // 2)])


def test_who_meets_nobody_collaborates_with_nobody(firm, invite):
    company = firm(dict.fromkeys(("Ann", "Bob", "Cai", "Dov")), [invite()])
    assert company.collaborators("Dov") == ()
    assert company.collaborators("Bob") == ("Ann",)  # half of two; the company's order breaks the tie


def test_the_database_knows_relations_among_the_members_only(firm, invite):
    company = firm(
        {"Ann": None, "Bob": "Ann", "Cai": "Ann", "Dov": "Bob"}, [invite(), invite("Dov", ("Bob",), id="m2")]
    )
    found = company.database(("Ann", "Bob", "Cai"))
    assert [p.name for p in found.profiles] == ["Ann", "Bob", "Cai"]
    assert {n for r in found.relations for n in r[:2]} == {"Ann", "Bob", "Cai"}
    assert ("Bob", "Cai", TEAMMATE) in found.relations
    assert ("Bob", "Ann", MANAGER) in found.relations
    assert found.related("Ann", "Bob") == {MANAGER, COLLABORATOR}
    assert company.database(("Dov",)).relations == ()


def test_the_graph_has_a_node_for_each_and_the_databases_edges(authored):
    graph = authored.graph()
    assert list(graph) == list(authored.by_name)
    assert sorted(graph.edges(data="relation")) == sorted(authored.database(list(authored.by_name)).relations)
    assert graph.nodes["Ngozi Adebanjo"]["level"] == 5
    members = authored.meetings[0].members
    assert set(authored.graph(members)) == set(members)


def test_no_word_of_a_preference_reaches_the_database(authored, private):
    public = " ".join(words_in(authored.database(list(authored.by_name))))
    sentences = {s.strip() for p in private.values() for text in p.texts for s in text.split(". ") if len(s) > 9}
    assert len(sentences) > 300
    assert not [s for s in sentences if s in public]


def test_plain_data_with_private_fields_make_a_profile_without_them():
    made = profile(SPEC | {"preferences": "never before ten", "text": "never before ten"})
    assert not any("ten" in word for word in words_in(made))


def test_an_employee_who_manages_himself_is_told_so(person):
    with pytest.raises(InvalidInput) as caught:
        person("Ann", "Ann")
    assert "employee Ann: manager is Ann, the employee; expected another employee, or nobody" in str(caught.value)


def test_a_circle_of_managers_is_spelt_out(firm):
    with pytest.raises(InvalidInput) as caught:
        firm({"Ann": "Cai", "Bob": "Ann", "Cai": "Bob"})
    assert "employee Ann: managers in a circle, Ann to Cai to Bob to Ann" in str(caught.value)


def test_a_circle_that_one_only_reports_into_is_found_too(firm):
    with pytest.raises(InvalidInput, match="managers in a circle"):
        firm({"Dov": "Ann", "Ann": "Bob", "Bob": "Ann"})


def test_strangers_are_refused_as_managers_and_in_meetings(firm, invite):
    with pytest.raises(InvalidInput, match="employee Bob: manager 'Zoe' given; expected an employee, or nobody"):
        firm({"Ann": None, "Bob": "Zoe"})
    with pytest.raises(InvalidInput, match="meeting m1: 'Cai' is no employee; expected one of the company's"):
        firm({"Ann": None, "Bob": "Ann"}, [invite()])


def test_a_name_twice_is_refused(person):
    from support.environments.meetings.company import Company

    with pytest.raises(InvalidInput, match="employee Ann: there twice; expected each name once"):
        Company((person("Ann"), person("Ann")))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"level": 6}, "employee Ann: level 6 given; expected a whole number from 1 to 5"),
        ({"level": True}, "level True given"),
        ({"zone": "Mars/Base"}, "employee Ann: time zone 'Mars/Base' given"),
        ({"hours": ["17:00", "09:00"]}, "employee Ann: hours ('17:00', '09:00') given"),
    ],
)
def test_what_is_no_profile_is_refused_by_field_and_value(given, told):
    with pytest.raises(InvalidInput) as caught:
        profile(SPEC | given)
    assert told in str(caught.value)


def test_a_missing_field_of_an_employee_is_named():
    with pytest.raises(InvalidInput, match="employee Ann: zone is missing; expected name, role, level"):
        profile({k: v for k, v in SPEC.items() if k != "zone"})


def test_contradictory_or_missing_preferences_are_refused_with_the_pair():
    windows = (Window(start="09:00", end="11:00"), Window(start="13:00", end="15:00"))
    with pytest.raises(InvalidInput) as caught:
        Private(("Early and late.",), windows).check("Ann")
    assert "employee Ann: window 09:00 to 11:00 and window 13:00 to 15:00 exclude each other; drop one" in str(
        caught.value
    )
    for texts, wishes in (((), (Flexible(),)), ((" ",), (Flexible(),)), (("Whenever.",), ())):
        with pytest.raises(InvalidInput, match="employee Ann: no preference given"):
            Private(texts, wishes).check("Ann")
