"""What a rule-based negotiator believes that the others want, from what they said and proposed."""

from __future__ import annotations

import numpy as np

from support.environments.exchange_economy import Background
from support.records import Message, View


def beliefs(view: View, background: Background) -> np.ndarray:
    """Exponents of all agents as `background.me` believes them, shape (agents, goods).

    Own exponents are known. Another agent's are, in this order: its latest claim in a message, scaled down where
    it sums to more than one; the shares of the goods that it asks for in its latest proposal; no preference at all.
    """
    claims = _claims(view)
    latest = dict(view.latest)
    rows = [
        np.asarray(background.weights)
        if agent == background.me
        else _believed(claims.get(agent), latest.get(agent), row, background)
        for row, agent in enumerate(background.agents)
    ]
    return np.stack(rows)


def _claims(view: View) -> dict[str, dict[str, float]]:
    said: list[Message] = [m for past in view.history for m in past.messages if m.claim]
    return {m.sender: dict(m.claim) for m in (*said, *view.messages) if m.claim}


def _believed(claim: dict[str, float] | None, proposal: tuple | None, row: int, background: Background) -> np.ndarray:
    if claim is not None and any(weight > 0 for weight in claim.values()):
        stated = np.array([max(claim.get(good, 0.0), 0.0) for good in background.goods])
        return stated / max(stated.sum(), 1.0)
    wanted = np.ones(len(background.goods)) if proposal is None else np.asarray(proposal[row], dtype=float) + 1e-3
    return wanted / wanted.sum()
