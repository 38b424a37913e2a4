"""The house is in order: one set of packages however it is installed, and a README that is true."""

import ast
import asyncio
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import defaultdict
from functools import cache

import pytest
import yaml

from support import __version__
from support.data import ROOT

LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins():
    lines = [line for line in LOCK.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s+]+", line) for line in lines), (
        "a line that is no plain pin"
    )
    return {
        re.sub(r"[-_.]+", "-", line.split("==")[0]).lower(): line.split("==")[1]
        for line in lines
    }


def test_conda_installs_the_lock_and_the_project_and_nothing_else_by_pip():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pip = next(d["pip"] for d in conda if isinstance(d, dict))
    index = "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert pip == [index, "-r requirements.lock", "-e ."]
    assert "python=3.11" in conda


def test_every_dependency_of_the_project_is_pinned():
    named = (
        PROJECT["project"]["dependencies"]
        + PROJECT["project"]["optional-dependencies"]["dev"]
    )
    names = {
        re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9._-]+", d)[0]).lower()
        for d in named
    }
    assert names <= set(pins())


def test_what_is_installed_here_is_what_the_lock_says():
    from importlib.metadata import version

    wrong = {
        name: version(name)
        for name, pin in pins().items()
        if version(name).split("+")[0] != pin
    }
    assert not wrong


def test_the_citation_names_the_version_and_four_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    assert len(citation["references"]) == 4


def test_the_readme_is_one_screen_with_two_commands_first_and_links_what_exists():
    readme = (ROOT / "README.md").read_text()
    block = readme.split("```")[1]
    assert re.findall(r"^make \w+", block, re.MULTILINE) == ["make run", "make test"]
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        assert (ROOT / target).exists(), target
    assert len(readme.splitlines()) <= 60
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert notebook.stem in readme


def test_the_readme_s_study_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    [code] = re.findall("```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    few, waiting = code.replace("groups=20", "groups=2"), ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    space = {}
    asyncio.run(eval(compile(few, "README.md", "exec", flags=waiting), space))
    assert len(space["study"].table) == 8 and len(space["forked"].table) == 16
    assert (tmp_path / "first.zip").exists()


def test_importing_support_loads_nothing_heavy():
    script = "import sys, support; print(sorted(set(sys.modules) & {'numpy', 'pandas', 'openai', 'torch', 'scipy'}))"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"


# -- how large it is: tokens are what a reader has to take in, however lines are broken

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SLACK = 0.03  # by which a ceiling may stand above its room, before it has to come down
CEILINGS = PROJECT["tool"]["convene"]["ceilings"]


def documentation(source):
    """The lines of a source that are docstrings."""
    lines = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False):
            lines |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    return lines


def measured(path):
    """Tokens of a file and the lines of code that they stand on; words of a template."""
    source = path.read_text()
    if path.suffix != ".py":
        return len(source.split()), 0, 0
    docs, tokens, lines = documentation(source), 0, set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT and token.start[0] not in docs:
            tokens += 1
            lines |= {*range(token.start[0], token.end[0] + 1)}
    return tokens, tokens, len(lines)


@cache
def rooms():
    """Tokens and density of each room that has a ceiling."""
    listed = ["git", "ls-files", "support", "tests", "benchmarks"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    counts = defaultdict(lambda: [0, 0, 0])
    for name in files.stdout.split():
        path = ROOT / name
        if path.is_file() and path.suffix in {".py", ".j2", ".toml", ".css", ".html"}:
            top, room, *_ = [*path.relative_to(ROOT).parts, ""]
            room = room.removesuffix(".py") if top == "support" else top
            counts[room] = [
                a + b for a, b in zip(counts[room], measured(path), strict=True)
            ]
    return {
        room: (tokens, code / max(1, lines))
        for room, (tokens, code, lines) in counts.items()
    }


@pytest.mark.parametrize("room", CEILINGS)
def test_a_room_stays_below_its_ceiling_and_the_ceiling_comes_down_with_it(room):
    ceiling, densest = CEILINGS[room]
    tokens, density = rooms()[room]
    assert tokens <= ceiling and round(density, 1) <= densest, (tokens, density)
    assert ceiling - tokens <= max(100, SLACK * tokens), f"lower it to {tokens}"


def test_every_room_has_a_ceiling():
    assert set(rooms()) == set(CEILINGS)
