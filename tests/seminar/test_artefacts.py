"""What is taken along: written, read back as it was, and refused where it cannot be."""

from support.seminar.artefacts import (
    Artefacts,
    Template,
    export_artefacts,
    import_artefacts,
    load_templates,
)
from support.seminar.records import Edit, Hook
from support.seminar.rules import load_policies

HOOK = Hook("video", "May they speak by video?", "Yes, once.", 3)
EDIT = Edit("mail", "Ana", "Dear", "Hi", "Prefers »Hi«.")


def test_what_is_exported_is_imported_as_it_was(tmp_path):
    made = Artefacts(load_policies("all"), load_templates(), (HOOK,), (EDIT,))
    assert import_artefacts(export_artefacts(made, tmp_path / "new" / "mine.yaml")) == made
    assert import_artefacts(export_artefacts(Artefacts(), tmp_path / "empty.yaml")) == Artefacts()
    assert (tmp_path / "empty.yaml").stat().st_mode & 0o077 == 0, "mails that were changed at the desk are in it"


def test_an_empty_gap_leaves_neither_blanks_nor_paragraphs():
    template = Template("thanks", "Hi {speaker}", "Dear {speaker},\n\n{note}\n\nThank you. {note}")
    assert template.fill(speaker="Ana") == ("Hi Ana", "Dear Ana,\n\nThank you.")
    assert template.fill(speaker="Ana", note="So.")[1] == "Dear Ana,\n\nSo.\n\nThank you. So."


def test_what_is_filled_in_is_not_filled_again():
    assert Template("thanks", "s", "{note} {speaker}").fill(note="{speaker}", speaker="Ana")[1] == "{speaker} Ana"
