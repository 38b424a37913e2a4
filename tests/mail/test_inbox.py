"""What arrived, each message once, and the same again on every day that is looked at twice."""

import pytest

from support.errors import InvalidInput
from support.mail.journal import Inbox
from support.mail.letters import Fetched
from support.mail.matching import Match


@pytest.fixture
def inbox(tmp_path):
    made = Inbox(tmp_path / "study.sqlite", "run")
    yield made
    made.close()


def fetched(number, raw=b"Yes", validity=1):
    return Fetched(f"{validity}.{number}", raw + b" %d" % number, len(raw) + 2)


REPLY = Match("reply", "ana", 3, "in-reply-to")
QUARANTINE = Match("quarantine", reason="nobody knows the sender")


def keep(inbox, message, found=None, day=2, **more):
    return inbox.keep(message, found or REPLY, message_id=f"<{message.key}@x>", day=day, **more)


def test_a_day_s_messages_come_in_the_order_in_which_they_arrived(inbox, tmp_path):
    for number, day in ((2, 5), (1, 5), (3, 6)):
        assert keep(inbox, fetched(number), day=day)
    first = inbox.of_day(5)
    assert [one.key for one in first] == ["1.2", "1.1"]
    assert (first[0].raw, first[0].kind, first[0].person, first[0].mail) == (b"Yes 2", "reply", "ana", 3)
    assert first[0].fetched == fetched(2)
    inbox.close()
    again = Inbox(tmp_path / "study.sqlite", "run")
    assert again.of_day(5) == first and [one.key for one in again.of_day(6)] == ["1.3"]
    again.close()


def test_a_message_is_kept_once(inbox):
    assert keep(inbox, fetched(1))
    assert not keep(inbox, fetched(1), day=3)
    assert not keep(inbox, Fetched("1.1", b"the server words it otherwise now", 3), day=3)
    assert [one.day for one in inbox.all()] == [2] and inbox.of_day(3) == []


def test_a_folder_that_is_numbered_anew_brings_nothing_twice(inbox):
    inbox.keep(fetched(1), REPLY, message_id="<a@x>", day=2)
    assert not inbox.keep(fetched(1, validity=2), REPLY, message_id="<a@x>", day=3)
    assert inbox.keep(fetched(1, b"No", validity=2), REPLY, message_id="<a@x>", day=3)  # it only names itself so


def test_quarantine_is_held_and_not_collected(inbox):
    keep(inbox, fetched(1), QUARANTINE)
    assert inbox.of_day(2) == []
    (held,) = inbox.held()
    assert (held.status, held.reason) == ("held", "nobody knows the sender")


def test_a_reply_may_be_held_all_the_same(inbox):
    keep(inbox, fetched(1), hold="it asks for a mail to somebody else")
    assert [one.reason for one in inbox.held()] == ["it asks for a mail to somebody else"]
    assert inbox.of_day(2) == []


def test_what_a_person_releases_is_collected_on_that_day_as_theirs(inbox):
    keep(inbox, fetched(1), QUARANTINE)
    released = inbox.release("1.1", "ben", 4, mail=7)
    assert (released.kind, released.person, released.mail, released.status) == ("reply", "ben", 7, "released")
    assert inbox.of_day(4) == [released] and inbox.held() == [] and inbox.of_day(2) == []


def test_what_a_person_drops_is_kept_and_never_collected(inbox):
    keep(inbox, fetched(1), QUARANTINE)
    assert inbox.drop("1.1").status == "dropped"
    assert inbox.held() == [] and inbox.of_day(2) == []
    assert [one.raw for one in inbox.all()] == [b"Yes 1"]


@pytest.mark.parametrize("settle", ["release", "drop"])
def test_only_what_is_held_can_be_settled(inbox, settle):
    def settled(key):
        return inbox.release(key, "ben", 3) if settle == "release" else inbox.drop(key)

    keep(inbox, fetched(1))
    keep(inbox, fetched(2), QUARANTINE)
    settled("1.2")
    for key in ("1.1", "1.2", "1.9"):
        with pytest.raises(InvalidInput, match="held"):
            settled(key)
