"""Who facilitates a coordination: interviewer, coordinator and evaluator by the names of their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from support.environments.meetings.scenario import Scenario
from support.participants.facilitators.coordinators import RandomCoordinator, RuleBasedCoordinator
from support.participants.facilitators.evaluators import RuleBasedEvaluator
from support.participants.facilitators.hybrid import HybridCoordinator
from support.participants.facilitators.interviewer import RuleBasedInterviewer
from support.participants.facilitators.protocol import Coordinator, Evaluator, Interviewer
from support.participants.seating import MODEL, check_kind, given_model, is_model

if TYPE_CHECKING:
    from support.models.model import ChatModel

RULES = "rule-based"
ATTENTION = 4
"""Slots that the satisficing coordinator looks at, besides those that somebody named."""

COORDINATORS: Mapping[str, str] = {
    "exhaustive": "rule-based: looks at every slot and takes the best by equation (4)",
    "satisficing": f"rule-based: looks at {ATTENTION} slots drawn at random and at those that somebody named",
    "random": "a floor: slots drawn at random",
    "hybrid": "reads preferences into constraints and solves them with CP-SAT on the members' calendars",
    MODEL: "a language model",
}


def seat_facilitators(
    scenario: Scenario,
    rng: np.random.Generator,
    *,
    interviewer: str = RULES,
    coordinator: str = "satisficing",
    evaluator: str = RULES,
    lowest: int = 0,
    model: ChatModel | str | None = None,
    **settings: Any,
) -> tuple[Interviewer, Coordinator, Evaluator]:
    """Seat the three facilitators.

    Parameters
    ----------
    rng : numpy.random.Generator
        Of a coordinator that draws.
    interviewer, evaluator : {"rule-based", "model", "model:NAME"}
    coordinator : a key of `COORDINATORS`, or "model:NAME"
    lowest : {0, 1}
        The lowest score: 0 by equation (5), 1 as in the paper's evaluator prompt.
    model : ChatModel or str, optional
        Of every role of kind "model" without a name; `settings` (temperature, repetition) are its own.

    Raises
    ------
    InvalidInput
        On an unknown kind, or a model's role without a model.
    """
    zones = {m: scenario.company.by_name[m].zone for m in scenario.members}
    check_kind("interviewer", interviewer, (RULES, MODEL))
    check_kind("evaluator", evaluator, (RULES, MODEL))
    check_kind("coordinator", coordinator, COORDINATORS)
    roles = {"interviewer": interviewer, "coordinator": coordinator, "evaluator": evaluator}
    spoken = _spoken(roles, zones, lowest, model, settings)
    return (
        spoken.get("interviewer") or RuleBasedInterviewer(zones),
        spoken.get("coordinator") or _coordinator(coordinator, scenario, rng, zones),
        spoken.get("evaluator") or RuleBasedEvaluator(zones, lowest=lowest),
    )


def _coordinator(kind: str, scenario: Scenario, rng: np.random.Generator, zones: Mapping[str, str]) -> Coordinator:
    if kind == "random":
        return RandomCoordinator(rng)
    if kind == "hybrid":
        return HybridCoordinator.of(scenario)
    return RuleBasedCoordinator(rng, attention=ATTENTION if kind == "satisficing" else None, zones=zones)


def _spoken(
    roles: Mapping[str, str], zones: Mapping[str, str], lowest: int, model: ChatModel | str | None, settings: Mapping
) -> dict[str, Any]:
    """The roles that a language model takes."""
    wanted = {role: given_model(kind, model, f"the {role}") for role, kind in roles.items() if is_model(kind)}
    if not wanted:
        return {}
    from support.participants.facilitators import language_model as made

    makers: dict[str, Any] = {
        "interviewer": made.LanguageModelInterviewer,
        "coordinator": made.LanguageModelCoordinator,
        "evaluator": partial(made.LanguageModelEvaluator, lowest=lowest),
    }
    return {role: makers[role](given, zones, **settings) for role, given in wanted.items()}
