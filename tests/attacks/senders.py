"""Kinds of hostile mail that work by who sends them: forged, unknown, taken off the list, or no person at all."""

from __future__ import annotations

from collections.abc import Callable

from attacks.world import AUTHSERV, BOUNCE, EVIL, HELD, PROGRAM, Case, World, cases_of, encoded_word, mail_of, parts_of

Make = Callable[[World], list[Case]]


def _forged_and_found_out(w: World) -> list[Case]:
    found = w.of(
        "dmarc=fail", "spf=fail smtp.mailfrom=evil.example; dkim=fail", "dkim=fail; spf=softfail; dmarc=fail (p=none)"
    )
    head = f"Authentication-Results: {AUTHSERV}; {found}\r\n" + w.head(thread=w.of(w.speaker, ""))
    return cases_of(w, mail_of(head, w.yes()), HELD)


def _forged_and_vouched_for_by_itself(w: World) -> list[Case]:
    below = f"Authentication-Results: {AUTHSERV}; dmarc=pass\r\n"
    head = f"Authentication-Results: {AUTHSERV}; dmarc=fail\r\n" + below + w.head()
    return cases_of(w, mail_of(head, w.yes()), HELD)


def _our_own_address(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(sender=w.of(w.own, w.own.upper())), "Cancel all talks."), HELD, "own")


def _known_name_at_another_address(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(sender=EVIL, thread=w.of("", w.speaker)), w.yes()), HELD, "unknown")


def _known_address_as_a_name(w: World) -> list[Case]:
    address = w.addresses[w.speaker]
    name = w.of(f'"{address}"', encoded_word(address), f'"{w.speaker} <{address}>"')
    return cases_of(
        w, mail_of(w.head(sender=EVIL, name=name), w.yes()), HELD, "unknown", problem="looks like an address"
    )


def _two_addresses_in_one(w: World) -> list[Case]:
    known = w.addresses[w.speaker]
    sender = w.of(
        f"{known} <{EVIL}>", f"{known}, {EVIL}", f"{EVIL})x({known}", f"group: {known}, {EVIL};", f"<{known}> <{EVIL}>"
    )
    return cases_of(
        w, mail_of(w.head().replace(f"{w.speaker} <{known}>", sender), w.yes()), HELD, "none", problem="not one address"
    )


def _two_from_headers(w: World) -> list[Case]:
    raw = mail_of(f"From: {EVIL}\r\n" + w.head(), w.yes())
    return cases_of(w, raw, HELD, "none", problem="more than one From")


def _an_address_that_looks_alike(w: World) -> list[Case]:
    known = w.addresses[w.speaker]
    sender = w.of(
        known.replace("a", "\u0430", 1), known.replace("@", "@x."), known + ".evil.example", known.replace("@", "%h@")
    )
    return cases_of(w, mail_of(w.head(sender=sender), w.yes()), HELD, "unknown")


def _known_sender_without_a_thread(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(thread=""), w.yes()))


def _answers_wanted_elsewhere(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(Reply_To=w.of(EVIL, f"Ana <{EVIL}>")), w.yes()), problem="another address")


def _removed_speaker(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(w.removed, thread=w.of(w.removed, "")), w.yes()), HELD, "removed")


def _unknown_sender(w: World) -> list[Case]:
    return cases_of(
        w, mail_of(w.head(sender=EVIL, name="Eve", thread=""), "I should like to speak on the 5th."), HELD, "unknown"
    )


def _unknown_sender_in_a_thread(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(sender=EVIL, name="Her office"), "She takes the 5th."), HELD, "unknown")


def _thread_of_somebody_else(w: World) -> list[Case]:
    return cases_of(w, mail_of(w.head(w.speaker, thread=w.another), w.yes()), HELD)


def _automatic_answer(w: World) -> list[Case]:
    key, value = w.rng.choice(
        [("Auto-Submitted", "auto-replied"), ("X-Autoreply", "yes"), ("Precedence", "auto_reply")]
    )
    head = w.head(Subject="Automatic reply: out of office") + f"{key}: {value}\r\n"
    return cases_of(w, mail_of(head, "I am away until 5 September. Ask my office."), PROGRAM)


def _mailing_list(w: World) -> list[Case]:
    mark = w.of("List-Id: <all.uni.example>", "Precedence: bulk", "Precedence: list")
    sender = w.of("", EVIL)
    head = w.head(sender=sender, thread="") + f"{mark}\r\n"
    return cases_of(w, mail_of(head, "[all] Free pizza"), HELD if sender else PROGRAM, "unknown" if sender else "known")


def _report(w: World, about: str, action: str) -> bytes:
    head = (
        w.head(sender="mailer-daemon@mx.example", name="Mail Delivery System", thread="")
        + "Auto-Submitted: auto-replied\r\n"
    )
    status = f"Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; x@y\r\nAction: {action}\r\nStatus: 5.1.1"
    returned = (
        w.of("Content-Type: message/rfc822", "Content-Type: text/rfc822-headers"),
        f"Message-ID: {about}\r\nSubject: x\r\n\r\n",
    )
    parts = (("Content-Type: text/plain", "It failed."), ("Content-Type: message/delivery-status", status), returned)
    return parts_of(head, *parts, kind="report; report-type=delivery-status")


def _undelivered(w: World) -> list[Case]:
    return cases_of(w, _report(w, w.ids[w.speaker], "failed"), BOUNCE, "unknown", person=w.speaker)


def _undelivered_but_not_ours(w: World) -> list[Case]:
    return cases_of(w, _report(w, f"<{w.rng.getrandbits(64):x}@host.example>", "failed"), HELD, "unknown")


def _merely_delayed(w: World) -> list[Case]:
    return cases_of(w, _report(w, w.ids[w.speaker], "delayed"), HELD, "unknown")


KINDS: dict[str, tuple[Make, ...]] = {
    "forged sender, known name": (
        _forged_and_found_out,
        _forged_and_vouched_for_by_itself,
        _our_own_address,
        _known_name_at_another_address,
        _known_address_as_a_name,
        _two_addresses_in_one,
        _two_from_headers,
        _an_address_that_looks_alike,
    ),
    "known sender, outside the thread": (_known_sender_without_a_thread,),
    "answers wanted elsewhere": (_answers_wanted_elsewhere,),
    "speaker who was taken off the list": (_removed_speaker,),
    "unknown sender, or another's thread": (_unknown_sender, _unknown_sender_in_a_thread, _thread_of_somebody_else),
    "programs and lists": (_automatic_answer, _mailing_list),
    "report of a failed delivery": (_undelivered, _undelivered_but_not_ours, _merely_delayed),
}
"""Families of these kinds."""
