"""Prompts as template files, a folder per study, and a strict loader.

>>> render("roundtable/proposal", me="Ana", round=1)  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
support.errors.PromptError: prompt roundtable/proposal: no value for form, latest...
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from support.errors import PromptError

SUFFIX = ".md.j2"


def render(name: str, **values: Any) -> str:
    """Fill in the template `name` (its path below this folder, without suffix).

    Raises
    ------
    PromptError
        When the template does not exist, needs a value that is not given, or is given one that it does not use.
    """
    template, needed = _template(name)
    missing, unknown = sorted(needed - set(values)), sorted(set(values) - needed)
    if missing:
        raise PromptError(f"prompt {name}: no value for {', '.join(missing)}; pass all of {', '.join(sorted(needed))}")
    if unknown:
        raise PromptError(
            f"prompt {name}: it has no place for {', '.join(unknown)}; it uses {', '.join(sorted(needed))}"
        )
    return template.render(**values).strip()


@cache
def _template(name: str) -> tuple[Any, frozenset[str]]:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, meta

    environment = Environment(
        loader=FileSystemLoader(str(files(__package__))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,  # prompts are plain text
    )
    try:
        source = environment.loader.get_source(environment, name + SUFFIX)[0]  # type: ignore[union-attr]
        return environment.get_template(name + SUFFIX), frozenset(
            meta.find_undeclared_variables(environment.parse(source))
        )
    except TemplateNotFound:
        raise PromptError(f"prompt {name}: there is no {name}{SUFFIX} in {files(__package__)}") from None
