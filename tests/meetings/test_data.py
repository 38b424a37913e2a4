"""The authored company, and one of the user's own."""

import runpy
import shutil

import pytest

from support.data import inputs
from support.errors import DamagedFile, InvalidInput, MissingData
from support.meetings.data import load_company
from support.meetings.scenario import load_group

FOLDER = inputs("meetings")


def test_the_groups_that_are_shipped_are_those_that_are_drawn():
    draw = runpy.run_path(str(FOLDER / "draw_groups.py"))["drawn"]
    groups = load_company().groups
    assert len(groups) == 150
    assert tuple(draw(8)) == groups[:8]


def test_groups_of_three_and_four_are_parts_of_the_group_of_five():
    for number in range(0, 150, 10):
        five = load_group(number, 5)
        for n in (3, 4):
            part = load_group(number, n)
            assert part.members == five.members[:n]
            assert part.slots == five.slots
            for slot in part.slots:
                assert part.truth[slot].items() <= five.truth[slot].items()


def test_starts_drawn_at_random_please_few_and_the_best_most():
    """The single round of Table 1 ends at .36 to .58, which lies between."""
    shares = [load_group(number, 5).shares for number in range(0, 150, 5)]
    assert sum(s.mean() for s in shares) / len(shares) < 0.3
    assert min(s.max() for s in shares) >= 0.6
    venues = [load_group(number, 5, "venue").shares for number in range(0, 150, 5)]
    assert 0.3 < sum(s.mean() for s in venues) / len(venues) < 0.7


def test_relations_follow_from_managers_and_meetings():
    company = load_company()
    boss = company.by_name["Ngozi Adebanjo"]
    assert boss.manager == ""
    assert company.teammates(boss.name) == ()
    team = company.teammates("Rafael Monteverde")
    assert "Ingrid Solheim" in team
    assert {company.by_name[name].manager for name in team} == {boss.name}
    relations = company.relations(("Rafael Monteverde", boss.name))
    assert ("Rafael Monteverde", boss.name, "manager") in relations


@pytest.fixture
def copied(tmp_path):
    """A company of one's own: ours, copied."""
    return shutil.copytree(FOLDER, tmp_path / "company")


def test_a_folder_of_ones_own_is_played_and_read_again_when_it_changes(copied, play):
    assert play(company=str(copied)) == play()
    groups = copied / "groups.toml"
    groups.write_text(
        "[[group]]" + groups.read_text("utf-8").split("[[group]]")[9], "utf-8"
    )
    assert play(company=str(copied)).meeting["id"] == "g009"


BAD = [
    ("employees", 'zone = "America/New_York"', 'zone = "Mars"', "Mars"),
    ("groups", '"Mateo Quispe"', '"Nobody"', "'Nobody' is no"),
    ("groups", '"Mateo Quispe"', '"Gareth Pendry"', "once"),
    ("groups", '"2026-03-27"', '"2026-02-30"', r"group\.0\n.*out of range"),
    ("groups", '"2026-03-27"', '"next week"', '"next week"'),
    ("preferences", '"notice"', '"hope"', "private.0.preferences"),
    ("preferences", "[0]]", "[]]", "expected each"),
    ("preferences", '"Ngozi Adebanjo"', '"Ngozi"', "'Ngozi"),
]


@pytest.mark.parametrize(("file", "old", "new", "told"), BAD)
def test_a_bad_file_is_refused_with_its_place(copied, file, old, new, told):
    path = copied / f"{file}.toml"
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InvalidInput, match=told):
        load_company(copied)
    path.write_text(f"[{text}", "utf-8")
    with pytest.raises(DamagedFile, match="no TOML"):
        load_company(copied)
    path.unlink()
    with pytest.raises(MissingData, match=file):
        load_company(copied)
