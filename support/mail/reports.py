"""Mails that no person wrote: a program's answer, a list's post, and a report that a mail of ours did not arrive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from support.mail.headers import Headers, message_ids
from support.mail.letters import IDS, MESSAGE_ID

if TYPE_CHECKING:
    from email.message import Message

DAEMONS = ("mailer-daemon", "postmaster", "mail-daemon", "maildaemon")
BULK = ("bulk", "auto_reply", "auto-reply", "list", "junk")
MARKS = ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-Auto-Reply", "List-Id", "List-Post", "Feedback-ID")


def is_automatic(headers: Headers, content_type: str) -> bool:
    """Whether a mail says that a program or a list sent it (RFC 3834, RFC 2919, and what older programs write).

    >>> is_automatic(Headers([("Auto-Submitted", "auto-replied")]), "text/plain")
    True
    >>> is_automatic(Headers([("Auto-Submitted", "no")]), "text/plain")
    False
    """
    submitted = re.split(r"[\s;(]", headers.first("Auto-Submitted").strip().lower())[0]
    return (
        submitted not in ("", "no")
        or any(headers.all(name) for name in MARKS)
        or headers.first("Precedence").strip().lower() in BULK
        or headers.first("Return-Path").strip() == "<>"
        or content_type == "multipart/report"
    )


def bounced(message: Message, headers: Headers, sender: str, parts: Iterable[Message]) -> tuple[str, ...]:
    """The Message-IDs that a report of a failed delivery (RFC 3464) is about; ("",) if it names none; () if it is none.

    A report of a delay, of a delivery or of a mail that was read is no failure.
    """
    kind = _report_type(message)
    reported = message.get_content_type() == "multipart/report" and kind in ("", "delivery-status")
    if not reported and sender.partition("@")[0].casefold() not in DAEMONS:
        return ()
    parts = list(parts)
    actions = {str(part.get("Action", "")).strip().lower() for part in parts} - {""}
    if actions and "failed" not in actions:
        return ()
    named = [each for part in parts[1:] for each in _named(part)]
    named += message_ids(headers, "In-Reply-To") + message_ids(headers, "References")
    return tuple(dict.fromkeys(named))[:IDS] or ("",)


def _report_type(message: Message) -> str:
    """What a report is about; Python's reader of parameters in pieces (RFC 2231) fails on odd ones."""
    try:
        return str(message.get_param("report-type", "") or "").lower()
    except (ValueError, TypeError, LookupError):
        return ""


def _named(part: Message) -> list[str]:
    """Message-IDs of a returned mail: its headers, or these in the text of a part."""
    headers = Headers([(str(name), str(value)) for name, value in part.items()])
    found = [
        each
        for name in ("Message-ID", "Original-Message-ID", "X-Original-Message-ID")
        for each in message_ids(headers, name)
    ]
    if part.get_content_maintype() == "text" and isinstance(text := part.get_payload(), str):
        found += re.findall(rf"(?im)^[> ]*Message-ID:\s*({MESSAGE_ID})", text)
    return found
