"""What is taken along: written, and read back as it was."""

from support.seminar.artefacts import (
    Artefacts,
    Template,
    export_artefacts,
    import_artefacts,
    load_templates,
)
from support.seminar.records import Edit, Hook
from support.seminar.rules import load_policies


def test_what_is_exported_is_imported_as_it_was(tmp_path):
    hook = Hook("video", "May they speak by video?", "Yes, once.", 3)
    edit = Edit("mail", "Ana", "Dear", "Hi", "Prefers »Hi«.")
    made = Artefacts(load_policies("all"), load_templates(), (hook,), (edit,))
    file = export_artefacts(made, tmp_path / "new" / "mine.yaml")
    assert import_artefacts(file) == made
    assert file.stat().st_mode & 0o077 == 0, (
        "mails that were changed at the desk are in it"
    )


def test_an_empty_gap_leaves_neither_blanks_nor_paragraphs_and_what_is_filled_in_is_not_filled_again():
    template = Template(
        "thanks", "Hi {speaker}", "Dear {speaker},\n\n{note}\n\nThank you. {note}"
    )
    assert template.fill(speaker="Ana") == ("Hi Ana", "Dear Ana,\n\nThank you.")
    assert (
        template.fill(speaker="Ana", note="{time}")[1]
        == "Dear Ana,\n\n{time}\n\nThank you. {time}"
    )
