"""Who sits where: members, interviewer, reader, coordinator and evaluator."""

from __future__ import annotations

from functools import partial

from support.meetings.coordinators import (
    RandomCoordinator,
    RuleBasedCoordinator,
    RuleBasedEvaluator,
)
from support.meetings.interviewer import RuleBasedInterviewer
from support.meetings.members import MIXED, STYLES, RuleBasedMember
from support.seats import Repeated, Role

RULES = "rule-based"

MEMBER = Role(
    "member",
    acts={},
    asks={},
    kinds={style: partial(RuleBasedMember, style=style) for style in STYLES},
    mixture=MIXED,
)
INTERVIEWER = Role(
    "interviewer",
    acts={},
    asks={},
    kinds={RULES: lambda me, rng, own: RuleBasedInterviewer(own.scenario)},
    speaker=Repeated,
)
COORDINATOR = Role(
    "coordinator",
    acts={},
    asks={},
    kinds={
        "satisficing": lambda me, rng, own: RuleBasedCoordinator(
            rng, "satisficing", own.attention
        ),
        "exhaustive": lambda me, rng, own: RuleBasedCoordinator(rng, "exhaustive"),
        "random": lambda me, rng, own: RandomCoordinator(rng),
    },
    speaker=Repeated,
)
EVALUATOR = Role(
    "evaluator",
    acts={},
    asks={},
    kinds={RULES: lambda me, rng, own: RuleBasedEvaluator(own.lowest)},
    speaker=Repeated,
)
