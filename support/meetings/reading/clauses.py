"""Clauses of a marked sentence: how much each matters, whether it wants or refuses, and whether it is about meetings.

A clause without a word of its own on that ("and on Fridays") goes on as the one before it. The words themselves are in
`phrases.toml`: one list for each question that a rule asks of a clause.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

LISTS: Mapping[str, list[str]] = tomllib.loads(
    files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8")
)
_PATTERNS = {name: re.compile("|".join(phrases)) for name, phrases in LISTS.items()}


def has(text: str, name: str) -> bool:
    """Whether a text has one of the phrases of a list."""
    return _PATTERNS[name].search(text) is not None


def without(text: str, name: str, instead: str = "") -> str:
    """A text with the phrases of a list taken out, or replaced."""
    return _PATTERNS[name].sub(instead, text)


def any_of(name: str) -> str:
    """A list as part of a larger pattern."""
    return f"(?:{'|'.join(LISTS[name])})"


_WHO = r"(?:(?:he|she|they|i|we) )?(?:also |then |usually |always |never |normally |generally |would |will )*"
_SPLIT = "|".join(
    [
        r";|:(?! ?\d)|\s-\s|\.\.\.|[()]",
        rf",? {any_of('joins')}\b",
        rf",? and (?={_WHO}{any_of('begins')})|, (?:or )?|,$",
        r"(?= (?:except|apart from|other than|but not|and not|save for)\b)|(?<=\w) (?=not @|not in the @|not on @)",
    ]
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its marked text, 1 to 3, whether it refuses what it names, whether it is about wishes at all."""

    text: str
    priority: int = 2
    refuses: bool = False
    about: bool = False


def split(text: str) -> tuple[Clause, ...]:
    """The clauses of a marked sentence that have something to say about time."""
    text = resolved(text)
    made: list[Clause] = []
    for part in gathered([p.strip(" ,.!?\"'") for p in re.split(_SPLIT, text)]):
        made.append(_judged(part, made[-1] if made else None))
    return tuple(made)


def _judged(part: str, before: Clause | None) -> Clause:
    text = without(part, "harmless", "fine")
    priority = 1 if has(part, "weak") else 3 if has(part, "strong") else 2
    if has(text, "past"):
        return Clause(part, priority)
    outside = re.search(r"\boutside\b", text) is not None
    refuses = has(text, "refusals") != outside
    if refuses or outside or has(text, "wishes"):
        return Clause(part, priority, refuses, True)
    if bare(part):
        return Clause(part, priority)
    if before is None or not before.about:
        return Clause(part, priority, False, True)
    return Clause(
        part, before.priority if priority == 2 else priority, before.refuses, True
    )


# ---- what belongs together -------------------------------------------------------------------------------------------

MARK = r"@[twdau]\d+"
LONGEST_OPENING = 8
"""Words in which a part may do no more than say how much something matters."""

_COMPARED = (
    r" (?:rather than|instead of|as opposed to) (?:to )?(?:in |on )?(?:the )?@[wd]\d+"
    r"|(?<=\d) (?:over|to) (?:in |on )?(?:the )?@[wd]\d+"
    r"|(?<!later)(?<!earlier)(?<!sooner) than (?:in |on )?(?:the )?@[wd]\d+"
)
_DAY_BACK = r"\b(?:on )?(?:that day|(?:those|these) (?:2 |3 )?days)\b|\bon them\b"
_TIME_BACK = (
    r"\b(?:at |in |during )?(?:that (?:time|hour|block|slot|window|stretch|part of the day)|those hours)\b"
    r"|\bthen(?=\W*$| ?[.,;])"
)
_VERB = r"(?:is|are|must|stays?|remains?|suits?|works?|would|will|belongs?|fits?|has to|have to|should)\b"
_BUT_NOT = r"(?:and |but )?not\b"
_MEETS = r"\b(?:meet(?:s|ing|ings)?|calls?|appointments?)\b"


def resolved(text: str) -> str:
    """A sentence without what is only compared with, with times in place of the words that point back to them.

    >>> resolved("@w0 she drives, and would rather not meet then")
    'she drives, and would rather not meet @w0'
    """
    text = re.sub(_COMPARED, "", text)
    text = re.sub(r"\b(any|every)((?: \w+)?) (day|time) but\b", r"\1\2 \3 except", text)
    text = re.sub(
        r"(\b(?:than|by|before|until) (?:the end of )?@d\d+), (?=@[tw])", r"\1 ", text
    )
    text = _pointed(text, _DAY_BACK, r"@d\d+", "on ")
    kind = r"@w\d+" if re.search(r"@w", text) else r"@d\d+"
    return _pointed(text, _TIME_BACK, kind, "")


def _pointed(text: str, back: str, mark: str, word: str) -> str:
    """Move the last mark of a kind, with a weekday beside it, to where a word points back to it.

    A clause that already says what it wants of that time keeps it.
    """
    hit = re.search(back, text)
    known = (
        list(
            re.finditer(
                rf"(?:(?:on )?@d\d+ )?{mark}(?: on @d\d+)?", text[: hit.start()]
            )
        )
        if hit
        else []
    )
    if not hit or not known:
        return text
    last, earlier = (
        known[-1],
        " ".join(re.split(r", | and |; ", text[: hit.start()])[:-1]),
    )
    if re.search(_MEETS, earlier) or (
        "@w" in last[0] and (has(earlier, "quiet") or has(earlier, "keep"))
    ):
        return text
    moved = last[0] if last[0].startswith("on ") else word + last[0]
    return (
        text[: last.start()].rstrip()
        + text[last.end() : hit.start()]
        + moved
        + text[hit.end() :]
    ).lstrip()


def gathered(parts: list[str]) -> list[str]:
    """Parts of a sentence as clauses: those that say nothing without the one before or after are joined to it."""
    joined: list[str] = []
    for part in (p for p in parts if p):
        if joined and (
            _opens(joined[-1], part, first=len(joined) == 1)
            or _goes_on(joined[-1], part)
        ):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def bare(part: str) -> str:
    """What is left without marks and small words; nothing, when a part only names times."""
    left = without(without(re.sub(MARK, " ", part), "weak", " "), "strong", " ")
    return re.sub(rf"\b{any_of('small')}\b|[^a-z0-9]", "", left)


def _opens(part: str, rest: str, *, first: bool) -> bool:
    """Whether a part only says how much ("above all"), when ("on @d0"), or what for, of what comes after it."""
    marks, others = re.findall(MARK, part), re.findall(MARK, rest)
    if not marks:
        quiet = has(part, "quiet") and "@w" in rest and not _about(rest)
        return _only_weighs(part) or quiet
    if re.match(_BUT_NOT, rest) and not part.startswith(
        "on "
    ):  # "9 to 11 but not on @d0" wants the one, not the other
        return False
    if (
        not others
        or not first
        or bare(part)
        or has(part, "refusals")
        or {m[1] for m in marks} & {m[1] for m in others}
    ):
        return False
    return bool(bare(rest)) or part.startswith("on ")


def _goes_on(before: str, part: str) -> bool:
    """Whether a part without times says something of those in the part before it."""
    if re.search(MARK, part):
        return False
    timed = re.search(MARK, before)
    if _only_weighs(part):
        return bool(timed) or any(
            has(before, name) for name in ("any_time", "gap", "notice", "some_notice")
        )
    if not timed:
        return False
    if (
        has(part, "quiet")
        and "@w" in before
        and not re.search(_MEETS, before)
        and not has(before, "refusals")
    ):
        return True
    refuses = has(part, "refusals") and re.search(_MEETS, part)
    return not _about(before) and bool(refuses or re.match(_VERB, part))


def _about(part: str) -> bool:
    return has(part, "wishes") or has(part, "refusals")


def _only_weighs(part: str) -> bool:
    """Whether it is nothing but a word of how much something matters."""
    weighs = has(part, "weak") or has(part, "strong")
    return weighs and not re.search(MARK, part) and len(part.split()) <= LONGEST_OPENING
