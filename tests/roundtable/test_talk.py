"""What rule-based negotiators say: the words perform the acts that the message records."""

import asyncio
import re
from string import Formatter

import numpy as np
import pytest

from support.english import say, wordings
from support.roundtable.economy import exchange_economy
from support.roundtable.negotiators import KINDS, compose
from support.roundtable.records import Decision, Round, View
from support.roundtable.table import play

NEGOTIATORS = "roundtable/negotiators"
ACTS = {"inform", "request", "confirm", "summarize", "evaluate", "propose", "compromise", "defend", "accept", "decline"}
SLOTS = {"me", "other", "favourite", "weight", "mine", "offer", "standing", "share"}
ECONOMY = exchange_economy()
BAD_FOR_ANA = ((0.0, 10.0, 10.0), (10.0, 80.0, 10.0), (90.0, 10.0, 80.0))
AS_ASKED_NOW = ((95.0, 85.0, 85.0), (5.0, 15.0, 0.0), (0.0, 0.0, 15.0))
GOOD_FOR_ANA = ((100.0, 90.0, 90.0), (0.0, 10.0, 10.0), (0.0, 0.0, 0.0))


def negotiator(kind="linear", seed=0, held_out=False):
    return KINDS[kind](ECONOMY.background("Ana"), np.random.default_rng(seed), held_out_wordings=held_out)


def view(number=2, latest=(), standing=None):
    decision = standing and Decision("P1", standing, 1)
    history = (Round(1, (), (), (), (), None, (), "", decision),) if number > 1 else ()
    return View("Ana", ECONOMY.agents, "plurality", "vote", "", number, 10, history=history, latest=latest)


def patterns(held_out):
    """Every template as a pattern that its sentences match."""
    found = {}
    for act, templates in wordings(NEGOTIATORS, held_out).items():
        parts = [
            [re.escape(text) + (".+" if slot else "") for text, slot, *_ in Formatter().parse(t)] for t in templates
        ]
        found[act] = re.compile("|".join("".join(p) for p in parts))
    return found


def performs(text, acts, held_out=False):
    """Whether `text` is one sentence for each of `acts`, in this order."""
    known = patterns(held_out)
    return re.fullmatch(" ".join(f"(?:{known[act].pattern})" for act in acts), text) is not None


# -- the templates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held_out", [False, True])
def test_every_act_of_the_paper_but_others_has_wordings(held_out):
    assert set(wordings(NEGOTIATORS, held_out)) == ACTS
    assert min(map(len, wordings(NEGOTIATORS, held_out).values())) >= 3


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("act", sorted(ACTS))
def test_every_template_can_be_filled_in(act, held_out):
    for template in wordings(NEGOTIATORS, held_out)[act]:
        assert {slot for _, slot, *_ in Formatter().parse(template) if slot} <= SLOTS
        assert "{" not in template.format(**{slot: f"<{slot}>" for slot in SLOTS})


def test_open_and_held_out_wordings_share_no_sentence():
    said, kept = ({t for texts in wordings(NEGOTIATORS, h).values() for t in texts} for h in (False, True))
    assert not said & kept
    assert len(said) + len(kept) == sum(len(t) for h in (False, True) for t in wordings(NEGOTIATORS, h).values())


def test_the_sentence_of_an_act_is_drawn_from_its_templates():
    sentences = {say(NEGOTIATORS, "summarize", np.random.default_rng(seed), standing="X") for seed in range(40)}
    assert sentences == {t.format(standing="X") for t in wordings(NEGOTIATORS)["summarize"]}


# -- the messages ---------------------------------------------------------------------------------------------------


def test_the_first_message_states_the_exponents_in_words_and_as_a_claim():
    message = compose(negotiator(), view(number=1))
    assert message.acts == ("inform", "request")
    assert message.claim == tuple(zip("ABC", ECONOMY.weights[0], strict=True))
    assert "good A" in message.text
    assert message.recipients == ("Ben", "Cleo")


@pytest.mark.parametrize(
    ("seen", "acts"),
    [
        (view(latest=()), {"propose"}),
        (view(latest=(("Ben", BAD_FOR_ANA),)), {"evaluate", "decline", "propose"}),
        (view(latest=(("Ana", GOOD_FOR_ANA), ("Ben", BAD_FOR_ANA))), {"evaluate", "decline", "compromise"}),
        (view(latest=(("Ben", GOOD_FOR_ANA),)), {"evaluate", "accept"}),
        (view(standing=((100.0,) * 3, (0.0,) * 3, (0.0,) * 3)), {"evaluate", "accept"}),
        (view(standing=BAD_FOR_ANA, latest=(("Ana", BAD_FOR_ANA),)), {"evaluate", "decline", "propose"}),
        (view(standing=BAD_FOR_ANA, latest=(("Ana", AS_ASKED_NOW),)), {"evaluate", "decline", "defend"}),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(seen, acts):
    asked = {"confirm", "request", "summarize"}
    for seed in range(20):
        said = compose(negotiator(seed=seed), seen)
        assert set(said.acts) - asked == acts
        assert performs(said.text, said.acts)


def test_a_refusal_goes_to_the_agent_whose_offer_it_is():
    assert compose(negotiator(), view(latest=(("Cleo", BAD_FOR_ANA),))).recipients == ("Cleo",)
    assert compose(negotiator(), view(standing=BAD_FOR_ANA)).recipients == ("Ben", "Cleo")


def test_an_agent_that_asks_for_more_than_before_does_not_say_that_it_stays():
    modest = ((34.0, 33.0, 33.0), (33.0, 34.0, 33.0), (33.0, 33.0, 34.0))
    acts = compose(negotiator(), view(latest=(("Ana", modest),))).acts
    assert "propose" in acts and not {"defend", "compromise"} & set(acts)


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_in_a_discussion_every_message_performs_the_acts_that_it_records(kind, held_out):
    rng = np.random.default_rng(4)
    seats = {
        a: KINDS[kind](ECONOMY.background(a), s, held_out_wordings=held_out)
        for a, s in zip(ECONOMY.agents, rng.spawn(3), strict=True)
    }
    rounds = asyncio.run(play(ECONOMY, seats, "majority", rounds=6)).rounds
    messages = [(r.number, m) for r in rounds for m in r.messages]
    assert len(messages) == 18
    for number, message in messages:
        assert performs(message.text, message.acts, held_out), message
        assert not performs(message.text, message.acts, not held_out), message
        assert bool(message.claim) == (number == 1)
