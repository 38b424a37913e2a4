"""Prompts as template files, a folder per study, and a strict loader; a folder of the user's own goes before ours.

"plain" is what the papers' prompts tell, and no more; "guided" stands for the templates in `guided`, where there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.errors import PromptError
from support.forms import templates
from support.within import within

if TYPE_CHECKING:
    from jinja2 import Environment

SUFFIX = ".md.j2"
HOME = Path(__file__).parent
SETS = {"plain": None, "guided": HOME / "guided"}

_own: ContextVar[tuple[Any, bool]] = ContextVar("own", default=(None, False))


def own(folder: str | Path | None, *, form: bool = False) -> AbstractContextManager:
    """Within it, templates of this folder, or of a set of ours by its name, go before ours; `form` says that a person
    reads them, above a form: `has_form()` in a template."""
    return within(_own, (SETS.get(str(folder), folder), form))


def render(name: str, **values: Any) -> str:
    """The template `name` (its path below the user's `own` folder, else below this one,
    without suffix), filled in. PromptError where it uses what it is not given."""
    from jinja2 import TemplateError

    folder, _ = _own.get()
    try:
        template = _templates(str(folder or HOME)).get_template(name + SUFFIX)
        return str(template.render(**values)).strip()
    except TemplateError as error:
        line = getattr(error, "lineno", None)  # where it cannot be read
        where = f"{name}, line {line}" if line else name
        known = ", ".join(sorted(values))
        raise PromptError(f"prompt {where}: {error}; it may use {known}") from None


def listed(names: Sequence[str]) -> str:
    """Names in a row, also as a filter of templates.

    >>> listed(["Ana", "Ben", "Cleo"]), listed(["Ana"]), listed([])
    ('Ana, Ben and Cleo', 'Ana', '')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def check_folder(folder: str | Path) -> None:
    """Refuse a folder of templates that is not there, or holds one that nearly has the name of one of ours."""
    if str(folder) in SETS:
        return
    ours = _below(HOME)
    theirs = _below(folder)
    if not theirs:
        raise PromptError(
            f"prompts: {str(folder)!r} given; expected {', '.join(SETS)}, or a folder with templates (NAME{SUFFIX})"
        )
    for name in sorted(theirs - ours):
        if meant := get_close_matches(name, ours, 1, 0.85):
            raise PromptError(
                f"prompts: {name} in {folder} is none of ours; did you mean {meant[0]}?"
            )


def _below(folder: str | Path) -> set[str]:
    """Names of the templates in a folder; none where there is no such folder."""
    paths = Path(folder).rglob(f"*{SUFFIX}")
    return {str(path.relative_to(folder)) for path in paths}


def _in_json(shape: str) -> str:
    """How to reply, for who has no form: a function of templates."""
    return "" if _has_form() else f"Reply with JSON only: {shape}"


def _has_form() -> bool:
    return _own.get()[1]


@cache
def _templates(folder: str) -> Environment:
    """Templates of a folder, before ours: one of theirs may include one of ours."""
    made = templates([folder, HOME], escapes=False)
    made.filters["listed"] = listed
    made.globals |= {"has_form": _has_form, "in_json": _in_json}
    return made
