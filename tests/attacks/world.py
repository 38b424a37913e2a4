"""What hostile mails are made of: people, our mails to them, headers, parts, and the case with its outcome."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

AUTHSERV = "mx.host.example"
"""Under which "our" server signs its Authentication-Results in these mails."""

EVIL = "eve@evil.example"
"""Whom nobody invited; a mail of ours that reaches this domain is the end of the test."""

REPLY, HELD, PROGRAM, BOUNCE = "reply", "quarantine", "automatic", "bounce"
"""The kind of `Match` that a case has to be."""

KINDS: dict[str, Callable[[World], list[Case]]] = {}
"""Every kind of hostile mail by its name, in their order: a function to its cases."""

FAMILY: dict[str, str] = {}
"""Of each kind its family."""


@dataclass(frozen=True)
class Case:
    """One hostile mail."""

    name: str  # its kind, such as "script in the subject"
    raw: bytes  # the whole of it, as it would arrive; a mailbox cuts it
    kind: str = REPLY  # the kind of `Match` that it has to be
    sender_is: str = (
        "known"  # known, removed, unknown, own, none: whose address its From header has
    )
    person: str = (
        ""  # whom it has to be matched with; "" for nobody, or where it does not matter
    )
    words: str = ""  # what has to stand in its text; "" if nothing has to
    flagged: bool = (
        False  # whether an instruction to the system in it has to be noticed
    )
    problem: str = ""  # a piece of a problem that has to be noted; "" if none has to
    story: int = (
        0  # cases with the same number belong together; 0 for one that stands alone
    )


class World:
    """The people and our mails to them, and a generator of what does not matter."""

    def __init__(
        self,
        rng: random.Random,
        ours: Mapping[str, tuple[str, str]],
        removed: str,
        own: str,
    ) -> None:
        self.rng = rng
        self.own = own
        self.addresses = {name: address for name, (address, _) in ours.items()}
        self.ids = {name: message_id for name, (_, message_id) in ours.items()}
        still = [name for name in ours if name != removed]
        self.speaker, self.another, self.removed = still[0], still[1], removed

    def of(self, *choices: str) -> str:
        """One of these."""
        return self.rng.choice(choices)

    def head(
        self,
        who: str = "",
        sender: str = "",
        name: str | None = None,
        thread: str | None = None,
        **more: str,
    ) -> str:
        """Headers of a reply by `who` in the thread of `thread` (their own; "" for none)."""
        who = who or self.speaker
        thread = who if thread is None else thread
        name = who if name is None else name
        lines = {
            "From": f"{name} <{sender or self.addresses[who]}>".strip(),
            "To": self.own,
            "Subject": self.of(
                "Re: An invitation to speak",
                "Re: Invitation",
                "AW: Einladung",
                "Re: dates",
            ),
            "Date": f"{self.rng.randint(1, 28)} Sep 2026 10:0{self.rng.randint(0, 9)}:00 +0200",
            "Message-ID": f"<{self.rng.getrandbits(64):x}@mail.example>",
        }
        if thread:
            lines[self.of("In-Reply-To", "References")] = self.ids[thread]
        lines |= {key.replace("_", "-"): value for key, value in more.items()}
        return "".join(f"{key}: {value}\r\n" for key, value in lines.items())

    def yes(self) -> str:
        """Words of somebody who accepts a date."""
        day = self.rng.randint(1, 28)
        return self.of(
            f"Yes, {day} September works for me.",
            f"The {day}th is fine, see you then.",
            f"Gladly, on {day} October.",
        )


def mail_of(
    head: str, body: str | bytes = "", kind: str = "text/plain; charset=utf-8"
) -> bytes:
    """The bytes of a mail: headers, then a body of that type."""
    typed = f"MIME-Version: 1.0\r\nContent-Type: {kind}\r\n" if kind else ""
    return (head + typed + "\r\n").encode("utf-8", "surrogateescape") + (
        body.encode() if isinstance(body, str) else body
    )


def parts_of(
    head: str, *parts: tuple[str, str | bytes], kind: str = "mixed", end: bool = True
) -> bytes:
    """The bytes of a mail of several parts."""
    inside = [
        f"--=b\r\n{top}\r\n\r\n".encode()
        + (b.encode() if isinstance(b, str) else b)
        + b"\r\n"
        for top, b in parts
    ]
    return mail_of(
        head,
        b"".join(inside) + (b"--=b--\r\n" if end else b""),
        f'multipart/{kind}; boundary="=b"',
    )


def encoded_word(text: str) -> str:
    """A text as an encoded word (RFC 2047)."""
    return f"=?utf-8?b?{base64.b64encode(text.encode()).decode()}?="


def kind(
    family: str, match: str = REPLY, **fields: object
) -> Callable[[Callable], Callable]:
    """Make a kind of a function from a world to a mail's bytes, or to these and more fields of its case, or several."""

    def of(make: Callable) -> Callable:
        name = make.__name__.replace("_", " ")

        def cases(w: World) -> list[Case]:
            made = make(w)
            pairs = [
                one if isinstance(one, tuple) else (one, {})
                for one in (made if isinstance(made, list) else [made])
            ]
            found = [
                Case(name, raw, **{"kind": match} | fields | more)
                for raw, more in pairs
            ]
            return [replace(case, person=_person(w, case)) for case in found]

        KINDS[name], FAMILY[name] = cases, family
        return make

    return of


def _person(w: World, case: Case) -> str:
    if case.kind == HELD:
        return ""
    return w.removed if case.sender_is == "removed" else w.speaker
