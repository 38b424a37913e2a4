"""What is taken along: written, read back as it was, and refused where it cannot be."""

import pytest

from support.errors import DamagedFile, InvalidInput
from support.seminar.artefacts import (
    Artefacts,
    Template,
    export_artefacts,
    import_artefacts,
    load_past,
    load_templates,
)
from support.seminar.records import SENT, Edit, Hook
from support.seminar.rules import load_policies

HOOK = Hook("video", "May they speak by video?", "Yes, once.", 3)
EDIT = Edit("mail", "Ana", "Dear", "Hi", "Prefers »Hi«.")


def test_what_is_exported_is_imported_as_it_was(tmp_path):
    made = Artefacts(load_policies("all"), load_templates(), (HOOK,), (EDIT,))
    assert import_artefacts(export_artefacts(made, tmp_path / "new" / "mine.yaml")) == made
    assert import_artefacts(export_artefacts(Artefacts(), tmp_path / "empty.yaml")) == Artefacts()
    assert (tmp_path / "empty.yaml").stat().st_mode & 0o077 == 0, "mails that were changed at the desk are in it"


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (
            "version: 9\npolicies: []\n",
            InvalidInput,
            "version 9 given, and this Convene reads up to 1.*was left as it is",
        ),
        ("policies: []\n", InvalidInput, "version None"),
        ("version: 1\npolicies: 3\n", DamagedFile, "policies is a int; expected a list"),
        ("version: 1\nhooks: [3]\n", DamagedFile, "hooks is a list; expected a list of mappings"),
        ("version: 1\nhooks: [{colour: red}]\n", DamagedFile, "expected the fields of a Hook"),
        ("version: 1\nlearnt: [{what: mail}]\n", DamagedFile, "expected the fields of a Edit"),
        ("version: 1\ntemplates: [{kind: thanks, subject: x}]\n", DamagedFile, "expected kind, subject and body"),
        (
            "version: 1\nhooks: [{topic: t, question: q, answer: no}]\n",
            DamagedFile,
            "hook: answer = False given; expected",
        ),
        (
            "version: 1\nhooks: [{topic: t, question: q, day: one}]\n",
            DamagedFile,
            "day = 'one' given; expected a whole",
        ),
        ("version: 1\nlearnt: [{what: mail, about: 3, before: a, after: b}]\n", DamagedFile, "edit: about = 3 given"),
        (
            "version: 1\ntemplates: [{kind: thanks, subject: 27, body: x}]\n",
            DamagedFile,
            "subject = 27 given; expected text",
        ),
        ("version: 1\ntemplates: [{kind: shout, subject: x, body: y}]\n", InvalidInput, "kind 'shout' given"),
        (
            "version: 1\ntemplates: [{kind: thanks, subject: x, body: '{age}'}]\n",
            InvalidInput,
            "{age} given; expected one of",
        ),
    ],
)
def test_a_file_that_cannot_be_taken_along_says_why(tmp_path, content, error, said):
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises(error, match=said):
        import_artefacts(file)


def test_there_is_a_template_for_every_kind_of_mail_and_five_past_mails():
    assert set(load_templates()) == set(SENT) and len(load_past()) == 5


def test_an_empty_gap_leaves_neither_blanks_nor_paragraphs():
    template = Template("thanks", "Hi {speaker}", "Dear {speaker},\n\n{note}\n\nThank you. {note}")
    assert template.fill(speaker="Ana") == ("Hi Ana", "Dear Ana,\n\nThank you.")
    assert template.fill(speaker="Ana", note="So.")[1] == "Dear Ana,\n\nSo.\n\nThank you. So."


def test_what_is_filled_in_is_not_filled_again():
    assert Template("thanks", "s", "{note} {speaker}").fill(note="{speaker}", speaker="Ana")[1] == "{speaker} Ana"


def test_a_template_may_name_the_seminar():
    assert Template("thanks", "{title}", "Thank you.").fill(title="Interfaces")[0] == "Interfaces"
