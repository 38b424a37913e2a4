"""What a study's function is made of: its source, and that of what it calls in the user's own notebook or module.

Comments and layout do not count, nor do the order of definitions and data that the functions themselves change.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

MUTATES = {
    "append",
    "add",
    "update",
    "extend",
    "insert",
    "pop",
    "popitem",
    "setdefault",
    "remove",
    "discard",
    "clear",
}


def fingerprint(value: Any, whole: bool = False) -> str:
    """A sum over the source of a function and of what it calls of the user's own; `whole` adds an object's state."""
    source = _Source()
    if isinstance(value, Path):
        files = [path for path in (*value.rglob("*"), value) if path.is_file()]
        said = [
            f"{path.relative_to(value)}: {path.read_bytes().hex()}"
            for path in sorted(files)
        ]
    else:
        said = [
            source.text(
                [
                    value,
                    vars(value)
                    if whole and not isinstance(value, type | FunctionType)
                    else None,
                ]
            )
        ]
    constants = {
        f"{key[1]} = {text}"
        for key, text in source.data.items()
        if key not in source.changed
    }
    return hashlib.sha256(
        "\n".join([*said, *sorted(source.parts | constants)]).encode()
    ).hexdigest()


class _Source:
    """Functions, classes and plain data that a function refers to, without comments and layout, in no order."""

    def __init__(self) -> None:
        self.parts: set[str] = set()
        self.data: dict[tuple[str, str], str] = {}
        self.changed: set[tuple[str, str]] = (
            set()
        )  # what some function changes is no constant
        self._seen: set[int] = set()

    def text(self, value: Any) -> str:
        """A value in words; functions and classes of the user's own are looked into."""
        match value:
            case None | bool() | int() | float() | complex() | str() | bytes():
                return repr(value)
            case Mapping():
                return self.text(
                    {f"{self.text(k)}: {self.text(v)}" for k, v in value.items()}
                )
            case set() | frozenset():
                return str(sorted(map(self.text, value)))
            case list() | tuple():
                return f"[{', '.join(map(self.text, value))}]"
            case partial():
                return self.text([value.func, value.args, value.keywords])
            case MethodType(__func__=a, __self__=b) | property(fget=a, fset=b):
                return self.text([a, b])
            case ModuleType():
                return self._visited(value, value.__name__, self._module)
            case FunctionType():
                return self._visited(value, value.__module__, self._function)
            case type():
                return self._visited(value, value.__module__, self._class)
            case CodeType():
                return self.text([value.co_code, value.co_names, value.co_consts])
        if (
            inner := getattr(value, "__wrapped__", None)
            or getattr(value, "tolist", lambda: None)()
        ):
            return self.text(inner)  # of a static method, a cache, an array
        fields: Any = getattr(type(value), "__dataclass_fields__", None) or getattr(
            type(value), "model_fields", ()
        )
        return self.text([type(value), {name: getattr(value, name) for name in fields}])

    def _visited(self, value: Any, module: str, look: Callable[[Any], None]) -> str:
        if own(module) and id(value) not in self._seen:
            self._seen.add(id(value))
            look(value)
        name = getattr(value, "__qualname__", "")
        return name if own(module) else f"{module}.{name}"

    def _module(self, module: ModuleType) -> None:
        self.parts.add(ast.dump(ast.parse(inspect.getsource(module))))
        self.text(
            [
                value
                for value in vars(module).values()
                if isinstance(value, FunctionType | type | ModuleType)
            ]
        )

    def _class(self, made: type) -> None:
        given = vars(made).items()
        named = {
            n: v
            for n, v in given
            if not n.startswith(("__", "_abc_")) or isinstance(v, FunctionType)
        }
        fields = (
            repr(getattr(made, "__pydantic_fields__", "")),
            str(getattr(made, "__annotations__", "")),
        )
        self.parts.add(
            f"{made.__qualname__}: {self.text([made.__bases__, named, fields])}"
        )

    def _function(self, function: FunctionType) -> None:
        code, module = function.__code__, function.__module__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        known = {
            name: function.__globals__[name]
            for name in _loaded(code)
            if name in function.__globals__
        }
        known |= {
            name: cell.cell_contents for name, cell in cells if cell != CellType()
        }
        try:
            if code.co_name == "<lambda>":
                raise OSError("its lines are not its own")
            tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
            said, changed = (
                ast.dump(tree),
                {name for node in ast.walk(tree) for name in _changed(node)},
            )
        except (OSError, TypeError, SyntaxError):
            said, changed = (
                self.text(code),
                {
                    n
                    for n, value in known.items()
                    if isinstance(value, list | dict | set)
                },
            )
        self.parts.add(
            f"{function.__qualname__}: {said} {self.text([function.__defaults__, function.__kwdefaults__])}"
        )
        self.changed |= {(module, name) for name in changed}
        for name, value in known.items():
            self.data[module, name] = self.text(value)


def _loaded(code: CodeType) -> set[str]:
    names = {
        str(i.argval)
        for i in dis.get_instructions(code)
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return names.union(
        *(_loaded(inner) for inner in code.co_consts if isinstance(inner, CodeType))
    )


def _changed(node: ast.AST) -> list[str]:
    match node:  # a name that a piece of code changes in place
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if (
            attr in MUTATES
        ):
            return [name]
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return [name]
    return []


def own(module: str | None) -> bool:
    """Whether a module is the user's own: not ours, Python's, or installed."""
    root = (module or "builtins").partition(".")[0]
    file = getattr(sys.modules.get(module or root), "__file__", None) or ""
    foreign = (
        root == "support"
        or root in sys.stdlib_module_names
        or "site-packages" in Path(file).parts
    )
    return root == "__main__" or not foreign


def bare(study: Any) -> Any:
    """The function of a partial."""
    while isinstance(study, partial):
        study = study.func
    return study
