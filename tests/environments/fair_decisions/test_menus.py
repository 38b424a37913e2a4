"""The skins: enough names, no two alike, and what a user sees of a file that does not fit."""

import re
from itertools import permutations

import numpy as np
import pytest

from support.environments.fair_decisions import FairDecisions
from support.environments.fair_decisions.menus import load, named
from support.errors import DamagedFile, InvalidInput, MissingData

SKINS = ("meals", "offsite", "flat")
FORM = """
[picnic]
about = "Where to eat."
groups = ["first", "second"]
decision = "{group} {kind}"
again = "{name}, time {round}"
[[picnic.kinds]]
kind = "stop"
options = ["park", "pier", "hill"]
[[picnic.kinds]]
kind = "drink"
option = "{how} {what}"
what = ["tea", "cider"]
how = ["hot", "cold"]
"""


@pytest.fixture
def written(tmp_path):
    """A function that writes a file of skins, one of its lines changed."""

    def write(old="", new=""):
        assert old in FORM
        path = tmp_path / "menus.toml"
        path.write_text(FORM.replace(old, new, 1), encoding="utf-8")
        return path

    return write


def gains(n, m):
    return FairDecisions(np.arange(3 * n * m).reshape(3, n, m), ("Ana", "Ben", "Cleo"))


@pytest.mark.parametrize("skin", SKINS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 30), (35, 3), (100, 3), (3, 61)])
def test_every_problem_can_be_dressed_and_keeps_its_gains_and_people(skin, n, m):
    dressed = named(gains(n, m), skin)  # FairDecisions refuses names that are there twice
    assert np.array_equal(dressed.gains, gains(n, m).gains)
    assert dressed.participants == ("Ana", "Ben", "Cleo") and len(dressed.options[-1]) == m


@pytest.mark.parametrize("skin", SKINS)
def test_there_are_35_decisions_and_30_options_before_anything_is_numbered(skin):
    dressed = named(gains(35, 30), skin)
    assert not any("(" in option for options in dressed.options for option in options)
    assert len(load()[skin].names) == 35 and {len(options) for options in load()[skin].options} == {30}


@pytest.mark.parametrize("skin", SKINS)
def test_no_option_is_part_of_another_of_its_kind_and_none_looks_like_a_score(skin):
    for options in load()[skin].options:
        assert not [(a, b) for a, b in permutations(options, 2) if a.lower() in b.lower()]
        assert not [name for name in options if re.search(r"[,:;\d]", name)]
    assert not [name for name in load()[skin].names if re.search("[,:;]", name)]


@pytest.mark.parametrize("skin", SKINS)
def test_no_decision_is_part_of_another(skin):
    assert not [(a, b) for a, b in permutations(load()[skin].names, 2) if a in b]


def test_the_first_menu():
    dressed = named(gains(2, 2))
    assert dressed.words((0, 1)) == "Monday breakfast: porridge with plums, Monday mid-morning snack: salted almonds"


def test_the_next_decision_of_a_kind_goes_on_in_the_list():
    dressed = named(gains(6, 3))
    known = load()["meals"].options[0]
    assert dressed.options[0] + dressed.options[5] == known[:6]


def test_names_come_again_when_all_are_used_up(written):
    dressed = named(gains(5, 4), load(written())["picnic"])
    assert dressed.decisions == ("first stop", "first drink", "second stop", "second drink", "first stop, time 2")
    assert dressed.options[0] == ("park", "pier", "hill", "park (2)")
    assert dressed.options[2] == ("pier", "hill", "park", "pier (2)")
    assert dressed.options[4] == ("hill", "park", "pier", "hill (2)")
    assert dressed.options[1] == ("hot tea", "hot cider", "cold tea", "cold cider")


def test_a_skin_that_there_is_not_is_refused():
    with pytest.raises(InvalidInput, match="skin: 'hats' given; expected one of meals, offsite, flat"):
        named(gains(1, 1), "hats")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["first", "second"]', "[]", r"skin picnic: groups \[\] given; expected a list of texts"),
        ('["first", "second"]', '["first", "first"]', "skin picnic: decisions has 'first stop' more than once"),
        ("{group} {kind}", "{group}", "decision '{group}' given; expected a text with {group} and {kind}"),
        ("{name}, time {round}", "{name", "again '{name' given; expected a text with {name} and {round}"),
        ('"drink"', '"stop"', "skin picnic: kinds has 'stop' more than once"),
        ('kind = "stop"', "", r"expected \[\[kinds\]\] tables, each with a kind"),
        ('"pier"', '"park"', "skin picnic, stop: options has 'park' more than once"),
        ('"pier"', "3", "skin picnic, stop: options .* given; expected a list of texts"),
        ("{how} {what}", "{what}", "option '{what}' given; expected a text with {what} and {how}"),
        (FORM, "picnic = 3", "skin picnic: 3 given; expected a table"),
        (FORM, "", "no skin; expected at least one table"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(written, old, new, message):
    with pytest.raises(InvalidInput, match=message):
        load(written(old, new))


def test_a_file_that_is_no_toml_is_named_and_left(written):
    path = written(FORM, "[picnic")
    with pytest.raises(DamagedFile, match=r"menus\.toml: no TOML that can be read"):
        load(path)
    assert path.read_text() == "[picnic"


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingData, match=r"nowhere\.toml is not there"):
        load(tmp_path / "nowhere.toml")
