"""Hostile mails: every kind in turn, each time varied."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from attacks import forms, senders, words
from attacks.world import Case, World

FAMILIES: dict[str, tuple[Callable[[World], list[Case]], ...]] = {**words.KINDS, **senders.KINDS, **forms.KINDS}
"""Functions that make the cases of each family of kinds."""

KINDS: dict[str, Callable[[World], list[Case]]] = {
    make.__name__.strip("_").replace("_", " "): make for kinds in FAMILIES.values() for make in kinds
}

FAMILY: dict[str, str] = {
    make.__name__.strip("_").replace("_", " "): family for family, kinds in FAMILIES.items() for make in kinds
}
"""Of each kind its family."""


def hostile(seed: int, ours: Mapping[str, tuple[str, str]], *, removed: str, own: str, count: int = 200) -> list[Case]:
    """`count` cases, every kind in turn, each time varied; the same ones for the same arguments.

    `ours`: to whom a mail of ours went, and which; the first who is not `removed` is the one who writes most of these.
    `removed`: who was taken off the list. `own`: our address.
    """
    world = World(random.Random(seed), ours, removed, own)
    cases: list[Case] = []
    while len(cases) < count:
        for name, make in KINDS.items():
            cases += [replace(case, name=name, story=case.story and len(cases) + 1) for case in make(world)]
    return cases[:count]


def kept(case: Case, limit: int) -> tuple[bytes, int]:
    """What a mailbox hands on of a case: its first bytes, and how many it has."""
    return case.raw[:limit], len(case.raw)
