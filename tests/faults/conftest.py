"""The helpers of this folder, importable by tests and by the processes they start; and the server that fails."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from faulty_server import serving


@pytest.fixture(scope="session")
def faulty(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module", autouse=True)
def _surroundings():
    """What a developer has set must not change what the tests see; and nobody waits half a second for a first retry."""
    with pytest.MonkeyPatch.context() as patch:
        for name in (
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "OPENAI_ORG_ID",
            "OPENAI_PROJECT_ID",
            "OPENAI_LOG",
        ):
            patch.delenv(name, raising=False)
        patch.setattr("support.models.attempts.FIRST_WAIT", 0.05)
        yield
