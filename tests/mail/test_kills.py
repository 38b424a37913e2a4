"""SIGKILL at each point of sending: no mail is sent twice, and every one whose fate is unknown is listed.

60 kills at random moments: python tests/mail/deaths.py 60
"""

import deaths
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH", "ignore:Session.login_data")


@pytest.fixture
def account(smtp):
    return deaths.Account(smtp.port, str(smtp.certificate))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "study.sqlite"
    deaths.approve(path, "run")
    return path


def resumed(path, account, people=("ana",)):
    return dict(deaths.Senders(1, path, "run", account, people=people).join())


@pytest.mark.parametrize(
    ("point", "copies", "afterwards"),
    [
        ("prepared", 0, "sent"),
        ("claimed", 0, "FateUnknown"),
        ("half the message", 0, "FateUnknown"),
        ("answered", 1, "FateUnknown"),
        ("kept", 1, "sent"),
    ],
)
def test_a_process_that_ends_itself_there_sends_nothing_twice(path, account, office, point, copies, afterwards):
    assert deaths.Senders(1, path, "run", account, point).join() == []
    assert len(office.messages("ana")) == copies
    assert resumed(path, account) == {"ana": afterwards}
    uncertain, statuses = deaths.left(path, "run")
    assert uncertain == ({"ana"} if afterwards == "FateUnknown" else set())
    assert office.ids("ana") == [statuses["ana"][0]] * (1 if afterwards == "sent" else copies)


@pytest.mark.parametrize(("stall", "copies"), [(at, int(at == "after delivery")) for at in deaths.STALLS])
def test_a_process_that_is_killed_in_the_dialogue_leaves_an_uncertain_mail(path, account, smtp, office, stall, copies):
    smtp.handler.stall = stall
    senders = deaths.Senders(1, path, "run", account)
    assert smtp.handler.reached.wait(60)
    senders.kill()
    senders.join()
    smtp.handler.stall = ""
    assert resumed(path, account, ("ana", "ben")) == {"ana": "FateUnknown", "ben": "sent"}
    uncertain, statuses = deaths.left(path, "run")
    assert uncertain == {"ana"}
    assert office.ids("ana") == [statuses["ana"][0]] * copies
    assert len(office.messages("ben")) == 1


def test_two_processes_that_send_the_same_mail_at_once_send_one(path, account, office):
    told = deaths.Senders(2, path, "run", account, people=deaths.PEOPLE).join()
    for name in deaths.PEOPLE:
        assert len(office.messages(name)) == 1
        assert sorted(status for who, status in told if who == name) in (["FateUnknown", "sent"], ["sent", "sent"])
    uncertain, statuses = deaths.left(path, "run")
    assert not uncertain
    assert {status for _, status in statuses.values()} == {"sent"}


def test_a_living_process_that_is_sending_is_not_taken_for_a_dead_one(path, account, smtp, office):
    smtp.handler.stall = "after delivery"
    slow = deaths.Senders(1, path, "run", account)
    assert smtp.handler.reached.wait(60)
    assert resumed(path, account) == {"ana": "FateUnknown"}
    assert deaths.left(path, "run")[0] == set()
    smtp.handler.released.set()
    assert slow.join() == [("ana", "sent")]
    assert len(office.messages("ana")) == 1


def test_mails_are_sent_once_whenever_a_process_is_killed():
    seen = deaths.random_kills(3, seed=8)
    assert seen["kills"] == 3
    none = ("sent twice", "under another Message-ID", "lost without a word", "told wrongly")
    assert {name: seen[name] for name in none} == dict.fromkeys(none, 0), seen
