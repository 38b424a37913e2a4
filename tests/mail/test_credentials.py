"""A login is found, used, and seen nowhere."""

import base64
import copy
import dataclasses
import json
import pickle
import sys

import pytest

from support.errors import InvalidInput, MissingData
from support.mail.credentials import Login, MailServers, find_login, servers_from_environment, service

SECRET = "".join(("ses", "ame"))
SERVERS = MailServers("smtp.example.org", "imap.example.org", "ana@example.org")
VARIABLES = [
    "CONVENE_MAIL_USER", "CONVENE_MAIL_PASSWORD", "CONVENE_SMTP_HOST", "CONVENE_SMTP_PORT", "CONVENE_SMTP_TLS",
    "CONVENE_IMAP_HOST", "CONVENE_IMAP_PORT", "CONVENE_IMAP_FOLDER", "CONVENE_MAIL_ADDRESS", "CONVENE_MAIL_NAME",
    "CONVENE_MAIL_CA", "CONVENE_MAIL_AUTHSERV",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def keyring(monkeypatch):
    """A keyring for tests: a function that says what it does when it is asked."""

    def holds(answer):
        import keyring as real

        def asked(entry, user):
            if isinstance(answer, Exception):
                raise answer
            return answer.get(user) if entry == service(SERVERS) else None

        monkeypatch.setattr(real, "get_password", asked)

    return holds


def test_a_password_shows_nowhere():
    login = Login("ana", SECRET)
    shown = [repr(login), str(login), f"{login}", f"{[login]!r}", repr(vars(type(login)).get("__dict__"))]
    assert not any(SECRET in text for text in shown) and "ana" in repr(login)
    assert login.password == SECRET and not hasattr(login, "__dict__")
    for writes in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps, dataclasses.asdict):
        with pytest.raises(TypeError) as caught:
            writes(login)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("user", "password"), [("", SECRET), ("ana", ""), ("a\r\nb", SECRET), ("ana", SECRET + "\n")])
def test_a_login_that_could_end_a_line_is_refused_without_showing_it(user, password):
    with pytest.raises(InvalidInput) as caught:
        Login(user, password)
    assert SECRET not in str(caught.value)


def test_the_environment_is_asked_first(monkeypatch, keyring):
    keyring({"ana@example.org": "another"})
    named(monkeypatch, CONVENE_MAIL_PASSWORD=SECRET)
    found = find_login(SERVERS)
    assert (found.user, found.password) == ("ana@example.org", SECRET)
    monkeypatch.setenv("CONVENE_MAIL_USER", "ana")
    assert find_login(SERVERS).user == "ana"


@pytest.mark.parametrize(
    "other", [{"smtp_host": "smtp.evil.example"}, {"imap_host": "127.0.0.1"}, {"smtp_port": 4650}, {"imap_port": 9930},
              {"cafile": "/tmp/of-mine.pem"}, {"smtp_port": 587, "smtp_tls": "starttls"}],
)  # fmt: skip
def test_a_password_is_given_to_the_servers_that_it_is_for_and_to_no_others(monkeypatch, keyring, other):
    keyring({"ana@example.org": SECRET})
    named(monkeypatch, CONVENE_MAIL_PASSWORD=SECRET)
    if "smtp_tls" in other:  # of the environment's login; the keyring's is for hosts, ports and certificates
        keyring({})
    with pytest.raises(MissingData, match="is for the servers that the environment names, not for these") as caught:
        find_login(dataclasses.replace(SERVERS, **other))
    assert SECRET not in str(caught.value)


def test_then_the_keyring(monkeypatch, keyring):
    keyring({"ana@example.org": SECRET, "ana": "other"})
    assert find_login(SERVERS).password == SECRET
    monkeypatch.setenv("CONVENE_MAIL_USER", "ana")
    assert find_login(SERVERS).password == "other"


def test_a_keyring_that_is_not_there_or_stays_shut_is_told(keyring, monkeypatch):
    from keyring.errors import KeyringLocked, NoKeyringError

    for trouble, words in ((NoKeyringError("none"), "has no keyring"), (KeyringLocked("shut"), "KeyringLocked: shut")):
        keyring(trouble)
        with pytest.raises(MissingData, match=words):
            find_login(SERVERS)
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MissingData, match="not installed"):
        find_login(SERVERS)


def named(monkeypatch, **values):
    given = {"CONVENE_SMTP_HOST": "smtp.example.org", "CONVENE_IMAP_HOST": "imap.example.org"}
    for name, value in (given | {"CONVENE_MAIL_ADDRESS": "seminar@example.org"} | values).items():
        monkeypatch.setenv(name, value)


def test_servers_come_from_the_environment(monkeypatch):
    named(monkeypatch)
    assert servers_from_environment() == MailServers("smtp.example.org", "imap.example.org", "seminar@example.org")
    named(
        monkeypatch, CONVENE_SMTP_PORT="587", CONVENE_IMAP_PORT="1993", CONVENE_MAIL_NAME="Noor", CONVENE_MAIL_CA="/c"
    )
    found = servers_from_environment()
    assert (found.smtp_port, found.smtp_tls, found.imap_port) == (587, "starttls", 1993)
    assert (found.name, found.cafile) == ("Noor", "/c")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONVENE_SMTP_PORT", "many"),
        ("CONVENE_SMTP_PORT", "-1"),
        ("CONVENE_IMAP_PORT", "99999"),
        ("CONVENE_SMTP_TLS", "none"),
        ("CONVENE_MAIL_ADDRESS", "Noor <noor@example.org>"),
        ("CONVENE_MAIL_NAME", "Noor\nBcc: mal@evil.org"),
    ],
)
def test_what_does_not_fit_is_refused(monkeypatch, name, value):
    named(monkeypatch, **{name: value})
    with pytest.raises(InvalidInput):
        servers_from_environment()


@pytest.mark.parametrize("form", ["plain", "AUTH PLAIN", "AUTH LOGIN", "quoted"])
def test_a_server_that_repeats_the_password_in_the_form_it_was_told_in_shows_it_to_nobody(form):
    login = Login("ana", 's3"cr\\et')
    said = {
        "plain": login.password,
        "AUTH PLAIN": base64.b64encode(f"\0ana\0{login.password}".encode()).decode(),
        "AUTH LOGIN": base64.b64encode(login.password.encode()).decode(),
        "quoted": 's3\\"cr\\\\et',
    }[form]
    assert login.without(f"500 what is {said}?") == "500 what is (password)?"
