"""What one takes from a rehearsal into the next one, and into deployment: policies, templates, stop hooks, preferences.

They are one YAML file that people can read and edit. Nothing in it is executed, and no credentials are in it. A stop
hook is what a question to the person at the desk leaves behind; it can become a policy.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from support.errors import DamagedFile, InvalidInput
from support.seminar.data import read_toml
from support.seminar.records import SENT, Edit, Flag, Hook
from support.seminar.rules import (
    LONGEST,
    OCCASION,
    VERSION,
    PolicySet,
    as_entries,
    policies_of,
    read_yaml,
)

PLACEHOLDERS = (
    "speaker",
    "dates",
    "date",
    "place",
    "time",
    "organiser",
    "question",
    "note",
    "title",
)
_FIELD = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Template:
    """A mail with gaps such as {speaker} and {dates}; of past mails, without gaps."""

    kind: str
    subject: str
    body: str
    to_role: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SENT:
            raise InvalidInput(
                f"template: kind {self.kind!r} given; expected one of {', '.join(SENT)}"
            )
        for name in _FIELD.findall(self.subject + self.body):
            if name not in PLACEHOLDERS:
                known = ", ".join(f"{{{p}}}" for p in PLACEHOLDERS)
                raise InvalidInput(
                    f"template {self.kind}: {{{name}}} given; expected one of {known}"
                )

    def fill(self, **given: str) -> tuple[str, str]:
        """Subject and body with the gaps filled; what is not given leaves nothing behind, nor an empty paragraph.

        >>> Template("thanks", "Thanks", "Dear {speaker},\\n\\n{note}\\n\\nThank you.").fill(speaker="Ana")[1]
        'Dear Ana,\\n\\nThank you.'
        """
        subject, body = (
            _FIELD.sub(lambda m: given.get(m[1], ""), text)
            for text in (self.subject, self.body)
        )
        paragraphs = [
            re.sub(r"[ \t]+", " ", p).strip() for p in re.split(r"\n\s*\n", body)
        ]
        return " ".join(subject.split()), "\n\n".join(p for p in paragraphs if p)


@dataclass(frozen=True)
class Artefacts:
    """What a run begins with, and what it leaves behind."""

    policies: PolicySet = field(default_factory=PolicySet)
    templates: Mapping[str, Template] = field(default_factory=dict)
    hooks: tuple[Hook, ...] = ()
    learnt: tuple[Edit, ...] = ()


def load_templates() -> dict[str, Template]:
    """The project's templates by the kind of mail."""
    return {
        entry["kind"]: Template(**entry)
        for entry in read_toml("mails.toml", "template")
    }


def load_past() -> tuple[Template, ...]:
    """Five mails that an organiser once sent, for their style."""
    return tuple(Template(**entry) for entry in read_toml("mails.toml", "past"))


def as_content(made: Artefacts) -> dict[str, Any]:
    """Artefacts as plain lists and mappings."""
    return {
        "version": VERSION,
        "policies": as_entries(made.policies),
        "templates": [asdict(template) for template in made.templates.values()],
        "hooks": [asdict(hook) for hook in made.hooks],
        "learnt": [asdict(edit) for edit in made.learnt],
    }


def export_artefacts(made: Artefacts, path: str | Path) -> Path:
    """Write them as YAML; return where."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    content = yaml.safe_dump(
        as_content(made), sort_keys=False, allow_unicode=True, width=120
    )
    target.touch(0o600)  # what was changed at the desk are mails
    target.write_text(content, encoding="utf-8")
    return target


def import_artefacts(path: str | Path) -> Artefacts:
    """Read what `export_artefacts` wrote, or a person in its manner."""
    return from_content(read_yaml(path), path)


def from_content(content: Mapping[str, Any], path: str | Path) -> Artefacts:
    """Artefacts out of what `as_content` made; errors name the file."""

    def listed(name: str) -> list[Mapping[str, Any]]:
        found = content.get(name) or []
        if not isinstance(found, list) or not all(
            isinstance(entry, dict) for entry in found
        ):
            raise DamagedFile(
                f"{path}: {name} is a {type(found).__name__}; expected a list of mappings"
            )
        return found

    def made(kind: Any, name: str) -> tuple[Any, ...]:
        return tuple(_made(kind, entry, path) for entry in listed(name))

    templates = {template.kind: template for template in made(Template, "templates")}
    return Artefacts(
        policies_of(listed("policies"), path),
        templates,
        made(Hook, "hooks"),
        made(Edit, "learnt"),
    )


def _made(kind: Any, entry: Mapping[str, Any], path: str | Path) -> Any:
    """One record; what YAML took for something else than text is refused: an answer "no" is a truth value to it."""
    for name, value in entry.items():
        wanted, expected = (
            (int, "a whole number")
            if name == "day"
            else (str, "text; put it in quotation marks")
        )
        if type(value) is not wanted:
            raise DamagedFile(
                f"{path}, {kind.__name__.lower()}: {name} = {value!r} given; expected {expected}"
            )
    try:
        return kind(**entry)
    except TypeError as error:
        known = ", ".join(kind.__dataclass_fields__)
        raise DamagedFile(
            f"{path}: {error}; expected the fields of a {kind.__name__}: {known}"
        ) from error


TOPIC = 90  # characters
# where a sentence ends: at none of the full stops of "Prof. B."
_SENTENCE = re.compile(
    r"(?<=[.?!])(?<!\bProf\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\b[A-Z]\.)\s"
)


def topic_of(question: str) -> str:
    """What a question is about: its first sentence, cut where it is long.

    >>> topic_of("Prof. B requests a Zoom option. Shall I allow it?")
    'Prof. B requests a Zoom option'
    """
    first = _SENTENCE.split(" ".join(question.split()), maxsplit=1)[0]
    return textwrap.shorten(first.rstrip(".?! "), TOPIC, placeholder=" …")


def hook_of(flag: Flag, day: int) -> Hook:
    """The hook that a flag of that day leaves behind; its topic says about whom it is where the question does not."""
    topic = topic_of(flag.question)
    topic = topic if flag.person in flag.question else f"{flag.person}: {topic}"
    return Hook(topic, flag.question, flag.answer, day, flag.person)


def hook_to_policy(hook: Hook, policies: PolicySet) -> PolicySet:
    """With one more policy: what was decided holds from now on. It is no rule, whatever its words, see `OCCASION`."""
    answer = " ".join(hook.answer.split())
    if not answer:
        raise InvalidInput(
            f"hook: {hook.topic!r} has no answer; decide about it first, then make it a policy"
        )
    topic, taken = (
        topic_of(hook.question) or hook.topic,
        {policy.id for policy in policies},
    )
    head = f"{OCCASION} {topic}."
    if len(answer) >= LONGEST - len(head):
        raise InvalidInput(
            f"hook: an answer of {len(answer)} characters given; a policy holds at most {LONGEST - len(head) - 1} "
            "beside its topic: say it shorter"
        )
    name = next(made for k in range(1, 1000) if (made := f"hook_{k}") not in taken)
    return policies.add(f"{head} {answer}", name, topic)
