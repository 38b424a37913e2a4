"""Instruments from their TOML files, checked strictly: answers are worth nothing when the questions are in doubt."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.data import inputs
from support.errors import InvalidInput
from support.instruments.checking import fields, names, one_of, toml, wrong
from support.instruments.records import GATES, KINDS, SECTIONS, SHOWS, Choice, Instrument, Item, Section
from support.instruments.scenario import load_scenario

INSTRUMENTS = ("meeting_survey", "administrator_interview")
TOP = {"name": str, "version": str, "title": str, "source": str, "groups": list, "scenario": str}
SECTION = {"id": str, "kind": str, "title": str, "text": str, "shows": list, "items": list}
ITEM = {"id": str, "kind": str, "text": str, "construct": str, "paper": str, "required": bool}
EXTRA: Mapping[str, Mapping[str, Any]] = {
    "likert5": {"scale": str},
    "choice": {"choices": list},
    "multiple": {"choices": list},
    "text": {},
    "number": {"low": (int, float), "high": (int, float), "unit": str},
}


def load(name: str) -> Instrument:
    """An instrument of `data/inputs/survey`: "meeting_survey" or "administrator_interview".

    Raises
    ------
    InvalidInput
        No such instrument; the message lists those that there are.
    DamagedFile
        The file does not follow `data/inputs/survey/README.md`: the message names file, field and value.

    Examples
    --------
    >>> survey = load("meeting_survey")
    >>> survey.items["confidence"].paper
    'D.4 (3)(c)'
    """
    if name not in INSTRUMENTS:
        raise InvalidInput(f"name: {name!r} given; there are the instruments {', '.join(INSTRUMENTS)}")
    return read(inputs("survey", f"{name}.toml"))


def read(path: str | Path) -> Instrument:
    """An instrument from any file; its scenario lies beside it. Errors as of `load`."""
    path = Path(path)
    raw, digest = toml(path)
    fields(raw, {**TOP, "scales": dict, "sections": list}, path, "the instrument")
    groups = names(raw["groups"], path, "groups")
    scenario, more = load_scenario(path.parent / raw["scenario"], groups) if raw["scenario"] else (None, b"")
    sections = tuple(_section(part, raw["scales"], path) for part in raw["sections"])
    made = Instrument(
        **{key: raw[key] for key in ("name", "version", "title", "source")},
        groups=groups,
        sections=sections,
        scenario=scenario,
        sum=hashlib.sha256(digest + more).hexdigest()[:12],
    )
    _check_whole(made, path)
    return made


def _section(raw: Any, scales: Mapping[str, Any], path: Path) -> Section:
    where = f"section {raw.get('id')!r}" if isinstance(raw, dict) else "a section"
    fields(raw, SECTION, path, where)
    one_of(raw["kind"], SECTIONS, path, f"{where}, kind")
    for shown in raw["shows"]:
        one_of(shown, SHOWS, path, f"{where}, shows")
    items = tuple(_item(item, raw["kind"], scales, path) for item in raw["items"])
    if not items:
        raise wrong(path, f"{where}, items", [], "one item or more")
    return Section(raw["id"], raw["kind"], raw["title"], raw["text"].strip(), tuple(raw["shows"]), items)


def _item(raw: Any, section: str, scales: Mapping[str, Any], path: Path) -> Item:
    where = f"item {raw.get('id')!r}" if isinstance(raw, dict) else "an item"
    kind = raw.get("kind") if isinstance(raw, dict) else None
    one_of(kind, KINDS, path, f"{where}, kind")
    gate = {"passes": int} if section in GATES else {}
    fields(raw, {**ITEM, **EXTRA[str(kind)], **gate}, path, where)
    if section in GATES and (kind != "choice" or not raw["required"]):
        raise wrong(path, f"{where}, kind", kind, f"a required 'choice': a section of {section} lets people through")
    known = {key: raw[key] for key in (*ITEM, "low", "high", "unit", "passes", "scale") if key in raw}
    made = Item(**known, choices=_choices(raw, scales, path, where))
    if not made.id.isidentifier():
        raise wrong(path, f"{where}, id", made.id, "letters, digits and underscores")
    if not made.text.strip():
        raise wrong(path, f"{where}, text", made.text, "a question")
    if made.passes is not None and made.passes not in {choice.value for choice in made.choices}:
        raise wrong(path, f"{where}, passes", made.passes, "the value of one of its choices")
    if not made.low < made.high:
        raise wrong(path, f"{where}, low", made.low, f"less than high ({made.high:g})")
    return made


def _choices(raw: Mapping[str, Any], scales: Mapping[str, Any], path: Path, where: str) -> tuple[Choice, ...]:
    if raw["kind"] == "likert5":
        one_of(raw["scale"], tuple(scales), path, f"{where}, scale")
        labels = names(scales[raw["scale"]], path, f"scales, {raw['scale']}")
        if len(labels) != 5:
            raise wrong(path, f"scales, {raw['scale']}", list(labels), "five labels, from the worst to the best")
        return tuple(Choice(value, label) for value, label in enumerate(labels, 1))
    made = []
    for choice in raw.get("choices", ()):
        fields(choice, {"value": int, "label": str}, path, f"{where}, choices")
        made.append(Choice(choice["value"], choice["label"]))
    if "choices" in raw and (len(made) < 2 or len({c.value for c in made}) < len(made)):
        raise wrong(path, f"{where}, choices", raw["choices"], "two or more, each with a value of its own")
    return tuple(made)


def _check_whole(made: Instrument, path: Path) -> None:
    """What only shows when the parts are together: ids that occur twice, a scenario that is shown and not there."""
    for what, ids in (
        ("section", [section.id for section in made.sections]),
        ("item", [item.id for section in made.sections for item in section.items]),
    ):
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice or not ids:
            raise wrong(path, f"{what}, id", ", ".join(twice), f"one {what} or more, each id once")
    if made.scenario is None:
        shown = sorted({what for section in made.sections for what in section.shows})
        texts = [text for s in made.sections for text in (s.text, *(item.text for item in s.items))]
        if shown or any("{member}" in text for text in texts):
            raise wrong(path, "scenario", "", f"a file, since sections show {', '.join(shown) or '{member}'}")
