"""Mail servers of this machine: aiosmtpd writes Maildirs, Dovecot serves them over TLS, one follows a script."""

import asyncio
import logging
import mailbox
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from email.parser import BytesHeaderParser
from pathlib import Path

import pytest

USER, PASSWORD = "seminar", 'sesame, open \\ "please"'
NEEDS = "apt-get install dovecot-imapd (Debian), and root to start it"
GOOD = {
    "connect": "220 here", "EHLO": "250-here\r\n250 AUTH PLAIN", "HELO": "250 here", "AUTH": "235 in", "MAIL": "250 ok",
    "RCPT": "250 ok", "DATA": "354 go on", "message": "250 taken", "QUIT": "221 bye",
}  # fmt: skip
DOVECOT = """
base_dir = {base}/run
state_dir = {base}/state
instance_name = convene-test
log_path = {base}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{certificate}
ssl_key = <{certificate}
auth_mechanisms = plain
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:{base}/mail/%n
passdb {{
  driver = passwd-file
  args = scheme=plain username_format=%n {base}/users
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={base}/mail/%n
}}
service imap-login {{
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {port}
    ssl = yes
  }}
}}
"""


def certificate(folder, name="localhost"):
    """A self-signed certificate and its key in one file."""
    if shutil.which("openssl") is None:
        unable("no openssl on this machine, which makes the servers' certificate")
    key, made, both = folder / "key.pem", folder / "made.pem", folder / f"{name}.pem"
    names = f"subjectAltName=DNS:{name}"
    names += ",IP:127.0.0.1" if name == "localhost" else ""
    kind = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    about = f"-subj /CN={name} -addext {names} -keyout {key} -out {made}"
    command = f"openssl req -x509 {kind} {about}".split()
    subprocess.run(command, check=True, capture_output=True)
    both.write_bytes(made.read_bytes() + key.read_bytes())
    return both


def unable(why):
    """Skip a test; in CI, fail it."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(why)


def need_dovecot():
    """Skip where Dovecot cannot be started."""
    if shutil.which("dovecot") is None or os.geteuid() != 0:
        unable(f"Dovecot cannot be started here: {NEEDS}")


class Office:
    """A folder with a Maildir for each name before the @."""

    def __init__(self, base):
        self.base, self.lock = Path(base), threading.Lock()
        (self.base / "mail").mkdir()

    def deliver(self, name, message):
        """Put a message into a Maildir, as a server does; it is of the user as whom Dovecot reads it."""
        folder = self.base / "mail" / name
        with self.lock:
            mailbox.Maildir(folder).add(message)
            if os.geteuid() == 0 and shutil.which("dovecot"):
                for path in (folder, *folder.rglob("*")):
                    shutil.chown(path, "mail", "mail")

    def messages(self, name):
        """The bytes of all messages of somebody's."""
        folder = self.base / "mail" / name
        return [
            file.read_bytes()
            for part in ("new", "cur")
            for file in sorted(folder.glob(f"{part}/*"))
        ]

    def ids(self, name):
        """Their Message-IDs."""
        return [
            BytesHeaderParser().parsebytes(message)["Message-ID"]
            for message in self.messages(name)
        ]


@contextmanager
def office():
    """An office in a folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="convene-mail-") as folder:
        os.chmod(folder, 0o755)
        yield Office(folder)


class Handler:
    """The SMTP server takes every mail, and puts it into the Maildir of whom it is for."""

    def __init__(self, office):
        self.office, self.taken = office, []

    async def handle_DATA(self, server, session, envelope):
        self.taken.append(
            (envelope.mail_from, tuple(envelope.rcpt_tos), envelope.original_content)
        )
        for recipient in envelope.rcpt_tos:
            self.office.deliver(recipient.partition("@")[0], envelope.original_content)
        return "250 2.0.0 taken"


class SmtpServer:
    """aiosmtpd in a thread, with TLS and a login."""

    def __init__(self, office, certificate, tls="implicit"):
        from aiosmtpd.controller import Controller
        from aiosmtpd.smtp import AuthResult

        def check(server, session, envelope, mechanism, data):
            right = data.login == USER.encode() and data.password == PASSWORD.encode()
            return AuthResult(success=right, handled=False)

        logging.getLogger("mail.log").setLevel(
            logging.ERROR
        )  # with TLS from the first byte it warns of none
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        secured = (
            {"ssl_context": context}
            if tls == "implicit"
            else {"tls_context": context, "require_starttls": True}
        )
        self.handler, self.certificate = Handler(office), certificate
        self._controller = Controller(
            self.handler, hostname="127.0.0.1", port=free_port(), authenticator=check, auth_required=True,
            auth_require_tls=tls != "implicit", ready_timeout=30, **secured,
        )  # fmt: skip
        self.port = self._controller.port

    def __enter__(self):
        self._controller.start()
        return self

    def __exit__(self, *exception):
        self._controller.stop()


class Script:
    """An SMTP server over TLS that answers well until a stage, and there as it is told.

    Stages: connect, EHLO, AUTH, MAIL, RCPT, DATA, message. What it does there is a line to say, or "break", "wait".
    """

    def __init__(self, certificate, stage, does):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.stage, self.does, self.heard = stage, does, []

    async def __aenter__(self):
        self._server = await asyncio.start_server(
            self._talk, "127.0.0.1", 0, ssl=self.context
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exception):
        self._server.close()

    async def _talk(self, reader, writer):
        stage = "connect"
        while await self._answer(stage, writer):
            if stage == "DATA":
                stage, line = "message", await self._message(reader)
            else:
                line = await reader.readline()
                stage = line[:4].decode().strip()
            if not line:
                break
            self.heard.append((stage, line))
        writer.close()

    async def _message(self, reader):
        lines = []
        while lines[-1:] != [b".\r\n"] and (line := await reader.readline()):
            lines.append(line)
        return b"".join(lines)

    async def _answer(self, stage, writer):
        does = self.does if stage == self.stage else GOOD[stage]
        if does == "break":
            writer.transport.abort()
            return False
        if does != "wait":
            writer.write(does.encode() + b"\r\n")
        return stage != "QUIT"


@contextmanager
def dovecot(office, certificate, people=("ana", "ben", "eve")):
    """Dovecot over an office; the port of its IMAP over TLS. All have one password. Its process group ends with it."""
    port, base = free_port(), office.base
    (base / "dovecot.conf").write_text(
        DOVECOT.format(base=base, certificate=certificate, port=port)
    )
    (base / "users").write_text(
        "".join(f"{name}:{{PLAIN}}{PASSWORD}::::::\n" for name in (USER, *people))
    )
    for folder in ("run", "state"):
        (base / folder).mkdir()
    office.deliver(
        USER,
        b"Subject: welcome\r\nMessage-ID: <0@example.org>\r\n\r\nThis mailbox is yours.\r\n",
    )
    process = subprocess.Popen(
        ["dovecot", "-F", "-c", base / "dovecot.conf"], start_new_session=True
    )
    try:
        wait_for_port(port, process, base / "dovecot.log")
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # asked to end, it waits for seconds
        process.wait(30)


def wait_for_port(port, process, log):
    """Until somebody listens there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    pytest.fail(
        f"Dovecot did not start: {log.read_text() if log.exists() else 'it wrote no log'}"
    )


def free_port():
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
