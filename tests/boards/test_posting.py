"""The post: what became of each mail in words, and why others are held; bodies are text and nothing else."""

from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest

from support.boards.posting import STATUSES, held_to_html, outbox_to_html


def posted(**fields):
    given = {"recipient": "ana@x.org", "subject": "Hello", "body": "one\ntwo", "status": "sent", "said": "250 OK",
             "on": date(2027, 9, 6), "person": "Ana", "day": 2}  # fmt: skip
    return SimpleNamespace(**(given | fields))


def held(**fields):
    given = {"sender": "eve@x.org", "sender_name": "Eve", "subject": "Re: Hello", "text": "one\ntwo",
             "reason": "nobody has this address", "problems": ("a broken head",),
             "attachments": ("a.zip", "b.pdf")}  # fmt: skip
    return SimpleNamespace(**(given | fields))


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_is_told_in_words(status, read):
    words = " ".join(read(outbox_to_html([posted(status=status)])).said)
    assert f"{STATUSES[status][1]} {STATUSES[status][2]} day 2, 2027-09-06 Ana ana@x.org Hello one two" in words
    assert words.endswith("The server: 250 OK")


def test_a_status_that_nobody_knows_is_shown_as_it_is(read):
    assert "· lost at sea" in " ".join(read(outbox_to_html([posted(status="lost at sea")])).said)


@pytest.mark.parametrize(
    ("on", "told"),
    [
        (datetime(2027, 9, 6, 10, 5, 7, tzinfo=UTC), "2027-09-06 10:05"),
        ("2027-09-06T10:05:07+00:00", "2027-09-06 10:05"),
        ("2027-09-06", "2027-09-06"),
        ("some time or other", "some time or other"),
        ("", ""),
    ],
    ids=["moment", "text of a moment", "text of a date", "no date", "nothing"],
)
def test_when_is_told_to_the_minute(on, told, read):
    assert f"day 2, {told} Ana".replace("  ", " ") in " ".join(read(outbox_to_html([posted(on=on)])).said)


def test_mails_held_tell_from_whom_why_and_what_was_not_opened(read):
    words = " ".join(read(held_to_html([held(), held(sender="", sender_name="", subject="", text="")])).said)
    assert "From Eve < eve@x.org > Re: Hello Held: nobody has this address a broken head one two" in words
    assert "2 attachments, not opened: a.zip , b.pdf" in words
    assert "(no sender that can be read) (no subject) Held: nobody has this address a broken head (no text)" in words


def test_bodies_keep_their_lines_and_what_went_out_is_folded():
    page = outbox_to_html([posted()])
    assert ">one\ntwo</div></details>" in page and "<details open" not in page
    assert ">one\ntwo</div>" in held_to_html([held()])


def test_without_mails_it_says_so(read):
    assert (
        read(outbox_to_html([])).text == "No mail has gone out." and read(held_to_html([])).text == "No mail is held."
    )
