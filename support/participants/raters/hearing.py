"""What a rater takes from what the others said: facts, and what each makes of its own table."""

from __future__ import annotations

from support.participants.raters.evidence import Estimate
from support.records import View

VALUE, ERROR = "estimate", "error"  # names in a claim; every other name in it is a fact


def claims(view: View) -> dict[str, dict[str, float]]:
    """Each agent's latest claim, by agent; those who never made one are absent."""
    latest = {m.sender: m.claim for past in view.history for m in past.messages if m.claim}
    latest |= {m.sender: m.claim for m in view.messages if m.claim}
    return {sender: dict(claim) for sender, claim in latest.items()}


def facts(view: View) -> dict[str, float]:
    """All facts that the others have told, by name."""
    told = [claim for agent, claim in claims(view).items() if agent != view.me]
    return {name: x for claim in told for name, x in claim.items() if name not in (VALUE, ERROR)}


def stated(view: View, error: float) -> dict[str, Estimate]:
    """What each of the others makes of its own table, by agent.

    That is its latest claim. Of an agent that makes none (a model, a person) its latest proposal is taken, with
    the given standard error. A claim states what the sender's own table says and never the pooled opinion. It is
    read with the facts that others gave (genres, the user's mean, the film's deviation), so that after round 1 two
    claims may rest on the same fact; they are pooled as if they were independent, which makes the pool too sure.
    """
    heard = {agent: Estimate(float(value), error) for agent, value in view.latest if isinstance(value, int | float)}
    for agent, claim in claims(view).items():
        if VALUE in claim and claim.get(ERROR, 0) > 0:
            heard[agent] = Estimate(claim[VALUE], claim[ERROR])
    heard.pop(view.me, None)
    return heard
