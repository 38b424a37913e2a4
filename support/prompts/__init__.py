"""Prompts as template files, a folder per study, and a strict loader."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from support.errors import PromptError

SUFFIX = ".md.j2"


def render(name: str, **values: Any) -> str:
    """The template `name` (its path below this folder, without suffix), filled in; PromptError on other values."""
    template, needed = _template(name)
    if missing := sorted(needed - set(values)):
        raise PromptError(f"prompt {name}: no value for {', '.join(missing)}; pass all of {', '.join(sorted(needed))}")
    if unknown := sorted(set(values) - needed):
        raise PromptError(f"prompt {name}: no place for {', '.join(unknown)}; it uses {', '.join(sorted(needed))}")
    return str(template.render(**values)).strip()


@cache
def _template(name: str) -> tuple[Any, frozenset[str]]:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, meta

    folder = FileSystemLoader(str(files(__package__)))
    made = Environment(loader=folder, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    try:
        source = folder.get_source(made, name + SUFFIX)[0]
    except TemplateNotFound:
        raise PromptError(f"prompt {name}: there is no {name}{SUFFIX} in {files(__package__)}") from None
    return made.get_template(name + SUFFIX), frozenset(meta.find_undeclared_variables(made.parse(source)))
