"""Imports run one way: a later room may import an earlier one, never the reverse (DESIGN)."""

import ast
from functools import cache
from pathlib import Path

SUPPORT = Path(__file__).parent.parent / "support"
FLOORS = [
    {"errors", "presence", "mail", "data", "downloads", "corpora", "casino", "pronunciations", "published",
     "database", "choice", "solvers", "models", "prompts", "forms", "spelling",
     "within"},
    {"seats", "play", "english"},
    {"roundtable", "meetings", "fair_decisions", "seminar", "survey"},
    {"runs", "seminars"},
    {"simulations", "alignment", "played"},
    {"analysis"},
    {"study", "tables", "draw", "plots", "runs.pages", "ledger", "room", "person", "notebook"},
    {"labs", "desk", "recorded"},
    {"runs.notebooks", "runs.paper", "full_runs", "app"},
]  # fmt: skip
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
MAY_TALK_TO_MODELS = ("models", "seats", "analysis/annotators", "runs", "labs/lab")
MODULES = sorted(p for p in SUPPORT.rglob("*.py") if p != SUPPORT / "__init__.py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(path: Path) -> str:
    return room_named(".".join(path.relative_to(SUPPORT).with_suffix("").parts))


def room_named(module: str) -> str:
    """The room of a module below `support`: runs has some that come later than the rest of it."""
    two = ".".join(module.split(".")[:2])
    return two if two in FLOOR else module.split(".")[0]


def type_checking_nodes(tree: ast.AST) -> set[ast.AST]:
    """Imports for the type checker only, which never run."""
    guarded = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"
    ]
    return {inner for block in guarded for inner in ast.walk(block)}


def imports(path: Path, *, running: bool = False) -> set[str]:
    """What a module imports, by name."""
    tree = tree_of(path)
    skip = type_checking_nodes(tree) if running else set()
    names = set()
    for node in {*ast.walk(tree)} - skip:
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module in ("support", "support.runs", "support.models"):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def imported(path: Path, *, running: bool = False) -> set[str]:
    """Modules below `support` that a module imports."""
    names = imports(path, running=running)
    return {n.removeprefix("support.") for n in names if n.startswith("support.")}


def imported_rooms(path: Path) -> set[str]:
    return {room_named(name) for name in imported(path)} & set(FLOOR)


def test_a_room_imports_no_later_room():
    for path in MODULES:
        floor = FLOOR[room_of(path)]
        later = [room for room in imported_rooms(path) if FLOOR[room] > floor]
        assert not later, f"{path} imports {later}, which comes after it"


STUDIES = ("roundtable", "meetings", "fair_decisions", "seminar", "survey")


def test_a_study_imports_no_other_study():
    for path in [path for path in MODULES if room_of(path) in STUDIES]:
        assert not imported_rooms(path) & {*STUDIES} - {room_of(path)}, path


def test_every_room_has_a_floor():
    assert {room_of(path) for path in MODULES} <= set(FLOOR)


TOLD = {"models", "models.calls", "models.money", "models.profiles"}
"""What was asked, spent, and named."""


def test_only_participants_and_annotators_talk_to_models():
    for path in MODULES:
        if str(path.relative_to(SUPPORT)).startswith(MAY_TALK_TO_MODELS):
            continue
        names = imported(path, running=True) - TOLD
        assert not [name for name in names if name.startswith("models")], path


INNER = {*STUDIES, "choice", "solvers", "analysis"} - {"seminar"}
EDGE = {"time", "os", "socket", "requests", "httpx", "urllib.request"}
CLOCK, ENVIRONMENT = {"now", "today", "utcnow"}, {"environ", "getenv"}


def test_the_clock_the_network_and_the_environment_variables_stay_at_the_edge():
    for path in [path for path in MODULES if room_of(path) in INNER]:
        assert not imports(path) & EDGE, path
        nodes = [*ast.walk(tree_of(path))]
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        read = {node for node in nodes if isinstance(node, ast.Attribute)}
        assert not {node.attr for node in read} & ENVIRONMENT, path
        # dates are data, the clock is not
        assert not {node.attr for node in read & called} & CLOCK, path
