"""The hostile mails of `support.mail.hostile` under one name, for tests."""

from support.mail.hostile.forms import FIVE
from support.mail.hostile.generating import KINDS, hostile, kept
from support.mail.hostile.words import SCRIPT
from support.mail.hostile.world import AUTHSERV, BOUNCE, EVIL, HELD, PROGRAM, REPLY, Case, World

__all__ = [
    "AUTHSERV",
    "BOUNCE",
    "EVIL",
    "FIVE",
    "HELD",
    "KINDS",
    "PROGRAM",
    "REPLY",
    "SCRIPT",
    "Case",
    "World",
    "hostile",
    "kept",
]
