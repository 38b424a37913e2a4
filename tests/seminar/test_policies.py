"""Sets of policies: loaded, changed, refused."""

import pytest

from support.errors import DamagedFile, InvalidInput
from support.seminar.rules import LONGEST, VERSION, Policy, PolicySet, as_entries, load_policies, read_yaml

SEED = load_policies()


def test_six_seed_policies_and_six_further_ones():
    assert [len(load_policies(part)) for part in ("seed", "further", "all")] == [6, 6, 12]
    with pytest.raises(InvalidInput, match="part: 'half' given; expected one of seed, further, all"):
        load_policies("half")


def test_a_policy_is_added_edited_and_dropped_in_new_sets():
    more = SEED.add("Confirm every date.").add("Be kind.").add("Be kinder.")
    assert [p.id for p in more][-3:] == ["confirm", "policy", "policy_2"] and len(SEED) == 6
    assert more.unread == ("policy", "policy_2") and more.rules["confirm"].kind == "confirm"
    edited = SEED.edit("follow_up", "Follow up every four working days.")
    assert edited.rules["follow_up"].number == 4 and [p.id for p in edited] == [p.id for p in SEED]
    assert "give_up" not in edited.drop("give_up").rules


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s.add("Follow up every four working days."), "contradicts 'follow_up' .one waits 2 working days"),
        (lambda s: s.add("Students get priority over professors."), "one puts faculty first, the other students"),
        (lambda s: s.add("x", "begin"), "the id 'begin' is given twice"),
        (lambda s: s["nothing"], "policy: 'nothing' given; expected one of begin"),
        (lambda s: s.add(" "), "expected an id and a sentence"),
        (lambda s: s.add("x" * (LONGEST + 1)), f"{LONGEST + 1} characters given; expected at most {LONGEST}"),
    ],
)
def test_what_cannot_be_followed_or_shown_is_refused(change, said):
    with pytest.raises(InvalidInput, match=said):
        change(SEED)


def test_entries_are_what_a_file_holds():
    assert as_entries(PolicySet((Policy("a", "Be kind.", "manners"), Policy("b", "Be.")))) == [
        {"id": "a", "text": "Be kind.", "challenge": "manners"},
        {"id": "b", "text": "Be."},
    ]


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ("version: 2\n", InvalidInput, "version 2 given, and this Convene reads up to 1; a newer one wrote it"),
        ("seed: []\n", InvalidInput, "version None given; expected version: 1"),
        ("version: true\n", InvalidInput, "version True given"),
        ("- a\n- b\n", DamagedFile, "a list given; expected a mapping"),
        ("version: [1\n", DamagedFile, "expected a YAML file"),
        ("version: 1\nseed:\n  - id: a\n", DamagedFile, "'text'.*expected policies with id and text"),
        ("version: 1\nseed:\n  - word\n", DamagedFile, "expected policies with id and text"),
        ("version: !!python/object/apply:os.getcwd []\n", DamagedFile, "expected a YAML file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, content, error, said):
    file = tmp_path / "policies.yaml"
    file.write_text(content)
    with pytest.raises(error, match=said):
        load_policies("seed", file)
    assert file.read_text() == content and VERSION == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DamagedFile, match="nowhere"):
        read_yaml(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("content", ["version: 1\nseed:\n", "version: 1\nseed: 3\n"])
def test_a_part_that_is_no_list_is_a_damaged_file(tmp_path, content):
    file = tmp_path / "policies.yaml"
    file.write_text(content)
    with pytest.raises(DamagedFile):
        load_policies("seed", file)
