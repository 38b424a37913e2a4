"""What a study's function is made of: its source, and that of what it calls in the user's
own notebook or module.

Comments and layout do not count, nor does the order of definitions, nor data that the
functions themselves change.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
import sys
import textwrap
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

PLAIN = None.__class__ | bool | int | float | complex | str | bytes
PARTS = {  # what stands for a thing that has the first of some attributes
    "func": "func args keywords",
    "__func__": "__func__ __self__",
    "fget": "fget fset",
    "__wrapped__": "__wrapped__",
    "co_code": "co_code co_names co_varnames co_consts",
}
CHANGED = (  # how code changes what a name stands for in place
    r"(?:global|nonlocal) .*\b{0}\b|\bdel {0}\[|\b{0}\[[^\n=]*\] (?:\S+=|=)(?!=)|"
    r"\b{0}\.(?:append|add|update|extend|insert|pop|popitem|setdefault|remove|discard|"
    r"clear)\("
)


def fingerprint(value: Any, whole: bool = False) -> str:
    """A sum over the source of a function and of what it calls of the user's own, or
    over the files of a folder; `whole` adds an object's state."""
    if isinstance(value, Path):
        files = sorted(path for path in (*value.rglob("*"), value) if path.is_file())
        said = [f"{one.relative_to(value)}: {one.read_bytes().hex()}" for one in files]
    else:
        state = whole and not isinstance(value, type | FunctionType) and vars(value)
        source = _Source()
        said = [source.text([value, state]), *source.parts()]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


class _Source:
    """Functions, classes and plain data that a function refers to, in no order."""

    def __init__(self) -> None:
        self._code: dict[int, str] = {}  # of each definition that was met
        self._data: dict[str, str] = {}

    def parts(self) -> list[str]:
        """All code, and the data that it does not change."""
        code = "\n".join(self._code.values())
        parts = set(self._code.values())
        for name, text in self._data.items():
            if not re.search(CHANGED.format(name), code):
                parts.add(f"{name} = {text}")
        return sorted(parts)

    def text(self, value: Any) -> str:
        """A value in words; functions and classes of the user's own are looked into."""
        if isinstance(value, PLAIN):
            return repr(value)
        if isinstance(value, FunctionType | type | ModuleType):
            return self._definition(value)
        if isinstance(value, Mapping):
            value = {f"{key}: {self.text(inner)}" for key, inner in value.items()}
        if isinstance(value, set | frozenset):
            return str(sorted(map(self.text, value)))
        if isinstance(value, list | tuple):
            return str([self.text(inner) for inner in value])
        for first, names in PARTS.items():
            if hasattr(value, first):
                parts = [getattr(value, name, None) for name in names.split()]
                return self.text(parts)
        if hasattr(value, "tolist"):
            return self.text(value.tolist())
        made: Any = type(value)
        fields = getattr(
            made, "__dataclass_fields__", getattr(made, "model_fields", ())
        )
        return self.text([made, {name: getattr(value, name) for name in fields}])

    def _definition(self, value: Any) -> str:
        module = getattr(value, "__module__", value.__name__)
        name = getattr(value, "__qualname__", "")
        if not own(module):
            return f"{module}.{name}"
        if id(value) not in self._code:
            self._code[id(value)] = ""
            look = self._function if isinstance(value, FunctionType) else self._members
            self._code[id(value)] = f"{name}: {look(value)}"
        return name

    def _members(self, value: Any) -> str:
        """What a class or a module of one's own defines."""
        members = {}
        for name, member in vars(value).items():
            defined = isinstance(member, FunctionType | type)
            if defined or not (name.startswith("_") or isinstance(value, ModuleType)):
                members[name] = member
        about = [getattr(value, "__bases__", ()), members]
        return self.text([*about, str(getattr(value, "__annotations__", ""))])

    def _function(self, function: FunctionType) -> str:
        code = function.__code__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        known = {name: cell.cell_contents for name, cell in cells if cell != CellType()}
        for name in _names(code) & function.__globals__.keys():
            known[name] = function.__globals__[name]
        self._data |= {name: self.text(value) for name, value in known.items()}
        try:
            lines = textwrap.dedent(inspect.getsource(code))
            said = ast.unparse(ast.parse(lines))
        except (OSError, TypeError, SyntaxError):
            said = self.text(code)
        if code.co_name == "<lambda>":  # its lines are not its own
            said = self.text(code)
        return f"{said} {self.text([function.__defaults__, function.__kwdefaults__])}"


def _names(code: CodeType) -> set[str]:
    inner = [_names(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def own(module: str | None) -> bool:
    """Whether a module is the user's own: not ours, Python's, or installed."""
    root = (module or "builtins").partition(".")[0]
    file = getattr(sys.modules.get(module or root), "__file__", None) or ""
    installed = "site-packages" in Path(file).parts
    foreign = installed or root == "support" or root in sys.stdlib_module_names
    return root == "__main__" or not foreign


def bare(study: Any) -> Any:
    """The function of a partial."""
    while isinstance(study, partial):
        study = study.func
    return study
