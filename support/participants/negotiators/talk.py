"""What a rule-based negotiator says in a round: which dialogue acts, in which words, to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.participants.negotiators.wordings import say
from support.records import Message, View

if TYPE_CHECKING:
    from support.participants.negotiators.rule_based import RuleBased

STEADY = 0.02  # a claim that moves by less than this share of the best is defended, not compromised


def compose(agent: RuleBased, view: View) -> Message:
    """One message: an opening in the first round, later a judgement, a claim and sometimes a question.

    The first message states the sender's exponents as its claim. Each sentence performs one act, so the
    message's acts are those of its sentences.
    """
    acts = _opening() if view.round == 1 else _reply(agent, view)
    if agent.rng.random() < 0.25 and view.round > 1:
        acts.append(("confirm", "request", "summarize")[agent.rng.integers(3)])
    slots = _slots(agent, view)
    sentences = [say(act, agent.rng, agent.held_out_wordings, **slots) for act in acts]
    claim = tuple(zip(agent.background.goods, agent.background.weights, strict=True)) if view.round == 1 else ()
    return Message(view.me, _recipients(acts, slots, view), " ".join(sentences), tuple(acts), claim)


def _opening() -> list[str]:
    return ["inform", "request"]


def _reply(agent: RuleBased, view: View) -> list[str]:
    offer = _offer(view)
    acts = []
    if offer is not None:
        good_enough = agent.share(offer[1]) >= agent.aspiration(view)
        acts += ["evaluate", "accept" if good_enough else "decline"]
    if "accept" not in acts:
        acts.append(_claim_act(agent, view))
    return acts


def _claim_act(agent: RuleBased, view: View) -> str:
    """Propose when nothing was claimed before or more is claimed now; defend a claim that stays; else compromise."""
    before = dict(view.latest).get(view.me)
    if before is None:
        return "propose"
    fall = agent.share(before) - agent.aspiration(view)
    if abs(fall) < STEADY:
        return "defend"
    return "compromise" if fall > 0 else "propose"


def _offer(view: View) -> tuple[str, Any] | None:
    """The standing decision, or else the latest proposal of the next agent who made one, as (whose, value)."""
    if view.decision:
        return (_author(view), view.decision.value)
    me = view.agents.index(view.me)
    order = view.agents[me + 1 :] + view.agents[:me]
    latest = dict(view.latest)
    return next(((agent, latest[agent]) for agent in order if agent in latest), None)


def _author(view: View) -> str:
    """Who else proposed the standing decision; all of them when nobody else did, or several."""
    assert view.decision is not None
    accepted = view.history[view.decision.round - 1].candidates
    who = next((c.proposers for c in accepted if c.id == view.decision.candidate), ())
    others = [name for name in who if name != view.me]
    return others[0] if len(others) == 1 else "all of you"


def _slots(agent: RuleBased, view: View) -> dict[str, object]:
    background = agent.background
    best = max(range(len(background.goods)), key=background.weights.__getitem__)
    offer = _offer(view)
    others = [a for a in view.agents if a != view.me]
    other = offer[0] if offer and offer[0] else others[agent.rng.integers(len(others))]
    return {
        "me": view.me,
        "other": other,
        "favourite": f"good {background.goods[best]}",
        "weight": round(100 * background.weights[best] / sum(background.weights)),
        "mine": _amounts(agent.claim(view)[background.index], background),
        "offer": f"I get {_amounts(offer[1][background.index], background)}" if offer else "nothing is offered yet",
        "standing": "the group has decided once" if view.decision else "nothing is decided yet",
        "share": round(100 * agent.share(offer[1])) if offer else 0,
    }


def _amounts(row: Any, background: Any) -> str:
    parts = [f"{amount:g} of {good}" for good, amount in zip(background.goods, row, strict=True) if amount]
    return ", ".join(parts) if parts else "nothing"


def _recipients(acts: list[str], slots: dict[str, object], view: View) -> tuple[str, ...]:
    """A refusal or an acceptance of one agent's offer goes to that agent, all else to everybody."""
    if not view.decision and {"accept", "decline"} & set(acts):
        return (str(slots["other"]),)
    return tuple(agent for agent in view.agents if agent != view.me)
