"""What a rule-based rater says in a round: which dialogue acts, in which words, to whom, with which claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.participants.negotiators.wordings import say
from support.participants.raters.hearing import ERROR, VALUE, facts
from support.records import Message, View

if TYPE_CHECKING:
    from support.participants.raters.evidence import Estimate
    from support.participants.raters.rule_based import RuleBasedRater

STEADY = 0.05  # stars; an opinion that moved by less is defended
ASIDE = 0.25  # how often a message has one sentence more: a check, a question or a summary


def compose(agent: RuleBasedRater, view: View) -> Message:
    """One message: first what the own table says, later a judgement of the offer and where the own opinion stands.

    What stands is judged anew only when it or the judgement has changed; else there is one check, question or summary.

    Its claim holds the sender's own evidence: an estimate, its error, and facts that the others lack. Each sentence
    performs one act, so the message's acts are those of its sentences.
    """
    own = agent.own_estimate(facts(view))
    acts = ["inform", "request"] if view.round == 1 else _reply(agent, view, own)
    if not acts or (view.round > 1 and agent.voice.random() < ASIDE):
        acts.append(("confirm", "request", "summarize")[agent.voice.integers(3)])
    slots = _slots(agent, view, own)
    text = " ".join(say(act, agent.voice, agent.held_out_wordings, __package__, **slots) for act in acts)
    claim = ((VALUE, own.value), (ERROR, own.error), *agent.evidence.facts.items()) if agent.candid else ()
    return Message(view.me, _recipients(acts, slots, view), text, tuple(acts), claim)


def _reply(agent: RuleBasedRater, view: View, own: Estimate) -> list[str]:
    offer = _offer(view)
    acts = ["inform"] if _news(view, own) else []
    if offer is not None:
        good_enough = abs(offer[1] - agent.opinion) <= agent.tolerance(view)
        if good_enough and _accepted(view):
            return acts
        acts += ["evaluate", "accept" if good_enough else "decline"]
    if "accept" not in acts:
        acts.append(_claim_act(agent, view))
    return acts


def _news(view: View, own: Estimate) -> bool:
    """Whether what it heard makes it read its own table otherwise than it said last."""
    said = [dict(m.claim)[VALUE] for past in view.history for m in past.messages if m.sender == view.me and m.claim]
    return bool(said) and abs(own.value - said[-1]) >= STEADY


def _accepted(view: View) -> bool:
    """Whether the sender has said since the standing decision came up that it accepts it."""
    for before, entry in zip(reversed(view.history[:-1]), reversed(view.history), strict=False):
        if view.decision is None or before.decision is None or before.decision.value != view.decision.value:
            return False
        if any(m.sender == view.me and "accept" in m.acts for m in entry.messages):
            return True
    return False


def _claim_act(agent: RuleBasedRater, view: View) -> str:
    """Defend an opinion that stayed; compromise if it went towards the others' proposals; else propose it anew."""
    before = agent.before
    others = [value for who, value in view.latest if who != view.me]
    if view.me not in dict(view.latest):
        return "propose"
    if abs(agent.opinion - before) < STEADY:
        return "defend"
    middle = sum(others) / len(others) if others else before
    return "compromise" if abs(agent.opinion - middle) < abs(before - middle) else "propose"


def _offer(view: View) -> tuple[str, float] | None:
    """The standing decision, or else the latest proposal of the next agent who made one, as (whose, value)."""
    if view.decision:
        return ("all of you", float(view.decision.value))
    me = view.agents.index(view.me)
    order = view.agents[me + 1 :] + view.agents[:me]
    latest = dict(view.latest)
    return next(((agent, float(latest[agent])) for agent in order if agent in latest), None)


def _slots(agent: RuleBasedRater, view: View, own: Estimate) -> dict[str, object]:
    offer = _offer(view)
    others = [a for a in view.agents if a != view.me]
    return {
        "me": view.me,
        "other": offer[0] if offer and offer[0] in others else others[agent.voice.integers(len(others))],
        "source": agent.evidence.source,
        "own": stars(own.value),
        "error": f"{own.error:.1f}",
        "mine": stars(agent.opinion),
        "offer": stars(offer[1]) if offer else "no number yet",
        "gap": f"{abs(offer[1] - agent.opinion):.1f}" if offer else "0.0",
        "standing": f"the group stands at {stars(offer[1])}" if view.decision and offer else "nothing is decided yet",
    }


def stars(value: float) -> str:
    """A rating in words.

    >>> stars(3.62)
    '3.6 stars'
    """
    return f"{value:.1f} stars"


def _recipients(acts: list[str], slots: dict[str, object], view: View) -> tuple[str, ...]:
    """A refusal or an acceptance of one agent's offer goes to that agent, all else to everybody."""
    if not view.decision and {"accept", "decline"} & set(acts):
        return (str(slots["other"]),)
    return tuple(agent for agent in view.agents if agent != view.me)
