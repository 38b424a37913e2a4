"""What a study's function is made of: its source, and that of what it calls in the user's
own notebook or module.

Comments and layout do not count, nor does the order of definitions, nor data that the
functions themselves change.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import re
import sys
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

PARTS = (  # what stands for a thing that has the first of these attributes
    "func args keywords",
    "__func__ __self__",
    "fget fset",
    "__wrapped__",
    "co_code co_names co_varnames co_consts",
)
CHANGED = (  # how code changes what a name stands for in place
    r"(?:global|nonlocal) .*\b{0}\b|\bdel {0}\[|\b{0}\[[^\n=]*\] (?:\S+=|=)(?!=)|"
    r"\b{0}\.(?:append|add|update|extend|insert|pop|popitem|setdefault|remove|discard|"
    r"clear)\("
)
Met = dict[tuple[str, int], str]  # by a constant's name ("": a definition) and its id


def fingerprint(value: Any) -> str:
    """A sum over the source of a function or an object and of what it calls of the
    user's own, or over the files of a folder."""
    if isinstance(value, Path):
        files = sorted(path for path in (*value.rglob("*"), value) if path.is_file())
        parts = [f"{one.relative_to(value)}: {one.read_bytes().hex()}" for one in files]
    else:
        met: Met = {}
        state = {} if isinstance(value, FunctionType | type) else vars(value)
        said = _text([value, state], met)
        code = "\n".join(met.values())
        kept = set[str]()
        for (name, _), text in met.items():
            if not name or not re.search(CHANGED.format(name), code):
                kept.add(f"{name}: {text}")
        parts = [said, *sorted(kept)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _text(value: Any, met: Met) -> str:
    """A value in words; functions and classes of the user's own are looked into."""
    text = partial(_text, met=met)
    if isinstance(value, FunctionType | type):
        return _definition(value, met)
    if isinstance(value, list | tuple):
        return str([text(one) for one in value])
    if isinstance(value, set | frozenset):
        return str(sorted(map(text, value)))
    if isinstance(value, Mapping):
        return text({(key, text(one)) for key, one in value.items()})
    if isinstance(value, ModuleType) and own(value.__name__):
        every = vars(value).values()
        return text({one for one in every if isinstance(one, FunctionType | type)})
    for line in PARTS:
        names = line.split()
        if hasattr(value, names[0]):
            return text([getattr(value, name, None) for name in names])
    made: Any = type(value)
    if made.__module__ == "builtins":
        return repr(value)
    fields = _fields(made)
    if fields is None:
        return text(made) + re.sub(" at 0x[0-9a-f]+", "", repr(value))
    return text([made, *(getattr(value, name) for name in fields)])


def _definition(value: Any, met: Met) -> str:
    """The full name of a function or a class; one of the user's own is read."""
    name = f"{value.__module__}.{value.__qualname__}"
    key = "", id(value)
    if own(value.__module__) and key not in met:
        met[key] = name  # it may refer to itself
        read = _function if isinstance(value, FunctionType) else _class
        met[key] += read(value, met)
    return name


def _class(made: type, met: Met) -> str:
    annotations = getattr(made, "__annotations__", None)
    members: list[Any] = [made.__bases__, annotations, _fields(made)]
    for name, member in vars(made).items():
        if isinstance(member, FunctionType) or not name.startswith("__"):
            members.append((name, member))
    return _text(members, met)


def _function(function: FunctionType, met: Met) -> str:
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    known = {name: cell.cell_contents for name, cell in cells if cell != CellType()}
    names = _names(code) & function.__globals__.keys()
    known |= {name: function.__globals__[name] for name in names}
    for name, value in known.items():
        met[name, id(value)] = _text(value, met)
    said = _text(code, met)
    if code.co_name != "<lambda>":  # whose lines are not its own
        with suppress(OSError, TypeError, SyntaxError):
            lines = textwrap.dedent(inspect.getsource(code))
            said = ast.unparse(ast.parse(lines))
    defaults = [function.__defaults__, function.__kwdefaults__]
    return said + _text(defaults, met)


def _fields(made: Any) -> Any:
    """The fields of a dataclass or a pydantic model."""
    return getattr(made, "__dataclass_fields__", getattr(made, "model_fields", None))


def _names(code: CodeType) -> set[str]:
    """Global names that code and the functions within look up, attributes aside."""
    steps = dis.get_instructions(code)
    names = {
        step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= _names(inner)
    return names


def registered(text: str) -> dict[str, Any]:
    """The user's own rules, agents, mechanisms and stops that a text names, as our registries do."""
    from support.choice import RULES
    from support.roundtable.mechanism import MECHANISMS, OURS
    from support.roundtable.negotiators import KINDS
    from support.roundtable.table import STOPS

    theirs: dict[str, Any] = {}
    for name, mechanism in MECHANISMS.items():
        if mechanism not in OURS:
            theirs[name] = mechanism
    for name, made in {**RULES, **KINDS, **STOPS}.items():
        if own(made.__module__):
            theirs[name] = made
    return {name: made for name, made in theirs.items() if f"'{name}'" in text}


def own(module: str | None) -> bool:
    """Whether a module is the user's own: not ours, Python's, or installed."""
    name = module or "builtins"
    root = name.partition(".")[0]
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    foreign = root in {"support", *sys.stdlib_module_names} or "site-packages" in file
    return root == "__main__" or not foreign


def bare(study: Any) -> Any:
    """The function of a partial."""
    return study.func if isinstance(study, partial) else study
