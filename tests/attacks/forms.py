"""Kinds of hostile mail that work by their form: size, encoding, headers, parts."""

from __future__ import annotations

import base64
from collections.abc import Callable

from attacks.world import EVIL, HELD, Case, World, cases_of, encoded_word, mail_of, parts_of

Make = Callable[[World], list[Case]]
FIVE = 5 * 2**20
"""Bytes."""


def _five_megabytes_attached(w: World) -> list[Case]:
    top = 'Content-Type: application/zip; name="a.zip"\r\nContent-Transfer-Encoding: base64'
    said = w.yes()
    return cases_of(
        w, parts_of(w.head(), ("Content-Type: text/plain", said), (top, b"QUJD\r\n" * (FIVE // 6))), words=said
    )


def _five_megabytes_of_words(w: World) -> list[Case]:
    said = w.yes()
    return cases_of(
        w,
        mail_of(w.head(), f"{said}\r\n".encode() + w.of("a ", "x\r\n", "> \r\n", "Am ", "<p>").encode() * (FIVE // 3)),
    )


def _five_megabytes_of_headers(w: World) -> list[Case]:
    more = w.of("X-A: b\r\n", "X: " + "y" * 900 + "\r\n", f"Cc: {EVIL}\r\n")
    return cases_of(w, mail_of(w.head() + more * (FIVE // len(more)), w.yes()), problem="bytes were read")


def _broken_base64(w: World) -> list[Case]:
    head = w.head(Content_Transfer_Encoding="base64")
    return cases_of(
        w, mail_of(head, w.of("WWVz=*LCB0aGUgNXRo", "W", "====", "WWVzLCB0aGUgNXRoXX")), problem="broken way"
    )


def _wrong_charset(w: World) -> list[Case]:
    raw = "Gerne am 5. März, Grüße".encode(w.of("latin-1", "cp1252"))
    return cases_of(
        w, mail_of(w.head(), raw, "text/plain; charset=utf-8"), words="Gerne am 5.", problem="cannot be decoded"
    )


def _invalid_utf8(w: World) -> list[Case]:
    return cases_of(
        w,
        mail_of(w.head(), b"Yes \xff\xfe\xc3( the 5th \xf0\x28\x8c", "text/plain"),
        words="the 5th",
        problem="decoded",
    )


def _unknown_charset(w: World) -> list[Case]:
    charset = w.of("klingon", "punycode", "zlib", "", "unicode_escape", "\x00")
    charset = charset or "x-none"
    return cases_of(
        w, mail_of(w.head(), "Yes, the 5th.", f"text/plain; charset={charset}"), words="the 5th", problem="unknown"
    )


def _nul_bytes(w: World) -> list[Case]:
    head = w.head(Subject="Re:\x00 dates\x1b[2J")
    return cases_of(w, mail_of(head, b"Yes,\x00 the\x00 5th\x07.\x1b]0;owned\x07"), words="Yes, the 5th")


def _truncated_parts(w: World) -> list[Case]:
    parts = (("Content-Type: text/plain", "Yes, the 5th."), ("Content-Type: text/html\r\nContent-Transfer-Enc", ""))
    return cases_of(w, parts_of(w.head(), *parts[: w.rng.randint(1, 2)], end=False), words="the 5th")


def _no_mail_at_all(w: World) -> list[Case]:
    junk = w.of("", "\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x00" * 100).encode() + w.rng.randbytes(50)
    return cases_of(w, b"\n" + junk, HELD, "none", problem="no sender")


def _raw_header_injection(w: World) -> list[Case]:
    injected = w.of("Subject: x\r\nBcc: ", "From-Name: x\r\nCc: ", "X: y\r\nTo: ")
    return cases_of(w, mail_of(w.head() + f"{injected}{EVIL}\r\n", w.yes()))


def _header_injection_in_the_name(w: World) -> list[Case]:
    name = w.of(
        f"=?utf-8?q?Ana=0D=0ABcc:_{EVIL.replace('@', '=40')}?=",
        encoded_word(f"Ana\r\nBcc: {EVIL}"),
        encoded_word("Ana\nX: y"),
    )
    return cases_of(w, mail_of(w.head(name=name), w.yes()), HELD, problem="line break")


def _header_injection_in_the_subject(w: World) -> list[Case]:
    subject = w.of(
        f"=?utf-8?q?Re=3A_x=0D=0ABcc=3A_{EVIL.replace('@', '=40')}?=", encoded_word(f"Re: x\r\n\r\nBody for {EVIL}")
    )
    return cases_of(w, mail_of(w.head(Subject=subject), w.yes()), HELD, problem="line break")


def _deep_nesting(w: World) -> list[Case]:
    levels = w.rng.randint(60, 3000)
    inside = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n" for n in range(levels))
    return cases_of(w, (w.head() + inside + "\r\nYes").encode(), problem="parts")


def _thousand_parts(w: World) -> list[Case]:
    parts = [("Content-Type: text/plain", "Yes, the 5th.")] + [("Content-Type: text/plain", "x")] * 1000
    return cases_of(w, parts_of(w.head(), *parts), words="the 5th", problem="parts")


def _zip_attached(w: World) -> list[Case]:
    bomb = base64.encodebytes(b"PK\x03\x04" + w.rng.randbytes(300)).decode()
    top = 'Content-Type: application/zip; name="slides.zip"\r\nContent-Transfer-Encoding: base64'
    return cases_of(
        w, parts_of(w.head(), ("Content-Type: text/plain", "Open the zip."), (top, bomb)), words="Open the zip."
    )


def _calendar_only(w: World) -> list[Case]:
    return cases_of(
        w, mail_of(w.head(), "BEGIN:VCALENDAR\r\nDTSTART:20260905\r\nEND:VCALENDAR", "text/calendar; method=REPLY")
    )


def _empty(w: World) -> list[Case]:
    return cases_of(
        w,
        mail_of(
            w.head(), w.of("", "\r\n", " \r\n\t", "<html><body></body></html>"), w.of("text/plain", "text/html", "")
        ),
    )


KINDS: dict[str, tuple[Make, ...]] = {
    "five megabytes": (_five_megabytes_attached, _five_megabytes_of_words, _five_megabytes_of_headers),
    "broken encoding": (
        _broken_base64,
        _wrong_charset,
        _invalid_utf8,
        _unknown_charset,
        _nul_bytes,
        _truncated_parts,
        _no_mail_at_all,
    ),
    "header injection": (_raw_header_injection, _header_injection_in_the_name, _header_injection_in_the_subject),
    "thousands of parts, attachments": (_deep_nesting, _thousand_parts, _zip_attached, _calendar_only),
    "empty": (_empty,),
}
"""Families of these kinds."""
