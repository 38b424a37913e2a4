"""A login is found, used, and seen nowhere."""

import base64
import dataclasses

import pytest
from keyring.errors import KeyringLocked

from support.errors import InvalidInput, MissingData
from support.mail.credentials import (
    TOLD,
    Login,
    MailServers,
    find_login,
    servers_from_environment,
    service,
)

SECRET = "".join(("ses", "ame"))
SERVERS = MailServers("smtp.example.org", "imap.example.org", "ana@example.org")
HOSTS = {
    "CONVENE_SMTP_HOST": "smtp.example.org",
    "CONVENE_IMAP_HOST": "imap.example.org",
    "CONVENE_MAIL_ADDRESS": "ana@example.org",
}


@pytest.fixture
def told(monkeypatch):
    """A function that sets the environment; nothing else of it is there."""
    for name in (*TOLD.values(), "CONVENE_MAIL_USER", "CONVENE_MAIL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def sets(**values):
        for name, value in (HOSTS | values).items():
            monkeypatch.setenv(name, value)

    return sets


@pytest.fixture
def keyring(monkeypatch):
    """A function that says what the keyring of these servers holds, or what it raises."""

    def holds(answer):
        def asked(entry, user):
            if isinstance(answer, Exception):
                raise answer
            return (
                answer if (entry, user) == (service(SERVERS), SERVERS.address) else None
            )

        monkeypatch.setattr("keyring.get_password", asked)

    return holds


def test_a_password_shows_nowhere():
    login = Login("ana", SECRET)
    assert SECRET not in f"{[login]!r} {login}" and login.password == SECRET


def test_the_environment_is_asked_first_and_then_the_keyring(told, keyring):
    keyring(KeyringLocked("shut"))
    with pytest.raises(MissingData, match=r"KeyringLocked: shut.*keyring set"):
        find_login(SERVERS)
    keyring("another")
    assert find_login(SERVERS).password == "another"
    told(CONVENE_MAIL_PASSWORD=SECRET, CONVENE_MAIL_USER="ana")
    assert (find_login(SERVERS).user, find_login(SERVERS).password) == ("ana", SECRET)


OTHERS = [
    {"smtp_host": "smtp.evil.example"},
    {"imap_host": "127.0.0.1"},
    {"smtp_port": 4650},
    {"imap_port": 9930},
    {"cafile": "/tmp/of-mine.pem"},
]


@pytest.mark.parametrize(
    "other", [*OTHERS, {"smtp_port": 587, "smtp_tls": "starttls"}, {}]
)
def test_a_password_is_given_to_the_servers_that_it_is_for_and_to_no_others(
    told, keyring, other
):
    keyring(SECRET if other in OTHERS else None)
    named = {} if other else {"CONVENE_SMTP_HOST": ""}  # or names no servers at all
    told(CONVENE_MAIL_PASSWORD=SECRET, **named)
    with pytest.raises(MissingData, match="not for these servers") as caught:
        find_login(dataclasses.replace(SERVERS, **other))
    assert SECRET not in str(caught.value)


def test_servers_come_from_the_environment(told):
    with pytest.raises(MissingData, match="CONVENE_SMTP_HOST"):
        servers_from_environment()
    told(CONVENE_SMTP_PORT="587", CONVENE_MAIL_CA="/c")
    changed = {"smtp_port": 587, "smtp_tls": "starttls", "cafile": "/c"}
    assert servers_from_environment() == dataclasses.replace(SERVERS, **changed)
    told(CONVENE_SMTP_PORT="many")
    with pytest.raises(InvalidInput, match="CONVENE_SMTP_PORT"):
        servers_from_environment()


@pytest.mark.parametrize("user", ["", "\0ana\0"], ids=["LOGIN", "PLAIN"])
def test_a_server_that_repeats_the_password_in_any_form_shows_it_to_nobody(user):
    password = 's3"cr\\et'
    encoded = base64.b64encode(f"{user}{password}".encode()).decode()
    said = Login("ana", password).without(f"500 what are {encoded} and {password}?")
    assert said == "500 what are (password) and (password)?"
