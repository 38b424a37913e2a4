"""A problem that several files need."""

import pytest

from support.environments.fair_decisions import FairDecisions


@pytest.fixture
def two_meals():
    """Two participants, two decisions, three options; (0, 1) gives 3 + 20 and 30 + 5."""
    return FairDecisions([[[3, 4, 5], [10, 20, 30]], [[30, 20, 10], [6, 5, 4]]])
