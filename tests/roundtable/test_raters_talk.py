"""What rule-based raters say: the words perform the acts that the message records, and the numbers are their own."""

import asyncio
import re
from dataclasses import replace
from string import Formatter

import numpy as np
import pytest

from support.english import wordings
from support.roundtable.movielens import AGENTS
from support.roundtable.raters import KINDS, compose
from support.roundtable.records import Decision, Message, Round, View
from support.roundtable.table import play

ACTS = {"inform", "request", "confirm", "summarize", "evaluate", "propose", "compromise", "defend", "accept", "decline"}
SLOTS = {"me", "other", "source", "own", "error", "mine", "offer", "gap", "standing"}


def agent(environment, kind="weighing", seed=0, held_out=False, me="MovieHistory"):
    return KINDS[kind](environment.background(me), np.random.default_rng(seed), held_out_wordings=held_out)


def view(number=2, latest=(), standing=None, said=()):
    decision = standing and Decision("P1", standing, 1)
    history = (Round(1, said, (), (), (), None, (), "", decision),) if number > 1 else ()
    return View("MovieHistory", AGENTS, "plurality", "vote", "", number, 10, history=history, latest=latest)


def performs(text, acts, held_out=False):
    """Whether `text` is one sentence for each of `acts`, in this order."""
    known = {
        act: "|".join(
            "".join(re.escape(t) + (".+" if slot else "") for t, slot, *_ in Formatter().parse(x)) for x in xs
        )
        for act, xs in wordings("roundtable/raters", held_out).items()
    }
    return re.fullmatch(" ".join(f"(?:{known[act]})" for act in acts), text) is not None


@pytest.mark.parametrize("held_out", [False, True])
def test_every_act_of_the_paper_but_others_has_wordings_with_known_slots(held_out):
    assert set(wordings("roundtable/raters", held_out)) == ACTS
    for templates in wordings("roundtable/raters", held_out).values():
        assert len(templates) >= (3 if held_out else 5)
        assert {slot for t in templates for _, slot, *_ in Formatter().parse(t) if slot} <= SLOTS


def test_raters_share_no_sentence_between_open_and_held_out_nor_with_negotiators():
    sets = [
        {t for texts in wordings(who, held_out).values() for t in texts}
        for held_out in (False, True)
        for who in ("roundtable/raters", "roundtable/negotiators")
    ]
    assert len(set().union(*sets)) == sum(map(len, sets))


def test_the_first_message_states_the_own_evidence_in_words_and_as_a_claim(table):
    speaker = agent(table())
    message = compose(speaker, view(number=1))
    assert message.acts == ("inform", "request")
    own = speaker.own_estimate({})
    assert message.claim[:2] == (("estimate", own.value), ("error", own.error))
    assert dict(message.claim)["film deviation"] == speaker.evidence.deviation.value
    assert f"{own.value:.1f} stars" in message.text and "40 ratings of this film" in message.text


def test_news_from_the_others_is_reported_as_the_own_table_read_anew(table):
    speaker = agent(table())
    first = compose(speaker, view(number=1))
    told = Message("UserHistory", ("MovieHistory",), "…", (), (("user mean", 2.0), ("user error", 0.1)))
    second = compose(speaker, view(said=(first, told)))
    assert "inform" in second.acts
    assert dict(second.claim)["estimate"] < dict(first.claim)["estimate"] - 1
    assert "inform" not in compose(agent(table()), view(said=(first,))).acts


@pytest.mark.parametrize(
    ("moved", "seen", "acts"),
    [
        (0.0, view(latest=()), {"propose"}),
        (0.0, view(latest=(("BasicInfo", 1.0), ("MovieHistory", 4.0))), {"evaluate", "decline", "defend"}),
        (-0.3, view(latest=(("BasicInfo", 1.0), ("MovieHistory", 4.0))), {"evaluate", "decline", "compromise"}),
        (0.3, view(latest=(("BasicInfo", 1.0), ("MovieHistory", 4.0))), {"evaluate", "decline", "propose"}),
        (0.0, view(latest=(("BasicInfo", 4.0),)), {"evaluate", "accept"}),
        (0.0, view(standing=4.0), {"evaluate", "accept"}),
        (0.0, view(standing=2.0, latest=(("MovieHistory", 4.0),)), {"evaluate", "decline", "defend"}),
    ],
)
def test_the_acts_follow_from_what_is_on_the_table(table, moved, seen, acts):
    for seed in range(15):
        speaker = agent(table(), seed=seed)
        speaker.opinion, speaker.before = 4.0, 4.0 - moved
        said = compose(speaker, seen)
        assert set(said.acts) - {"confirm", "request", "summarize"} == acts
        assert performs(said.text, said.acts)


def test_who_has_accepted_what_stands_does_not_judge_it_again_until_it_changes(table):
    def seen(*standing):
        """The rounds before, each with what stood after it; the speaker accepted in the second."""
        rounds = [
            Round(n, (Message("MovieHistory", (), "…", ("accept",) if n == 2 else ()),), (), (), (), None, (), "",
                  Decision("P", value, n))
            for n, value in enumerate(standing, 1)
        ]  # fmt: skip
        return replace(view(number=len(rounds) + 1), history=tuple(rounds))

    speaker = agent(table())
    speaker.opinion = speaker.before = 4.0
    for calm in (seen(4.0, 4.0), seen(4.0, 4.0, 4.0, 4.0)):
        for _ in range(10):
            acts = compose(speaker, calm).acts
            assert len(acts) == 1 and acts[0] in {"confirm", "request", "summarize"}
    assert "accept" in compose(speaker, seen(4.0)).acts
    assert "accept" in compose(speaker, seen(3.9, 4.0)).acts, "it accepted another one"
    assert "accept" in compose(speaker, seen(4.0, 4.0, 4.1)).acts
    speaker.opinion = 2.0
    assert "decline" in compose(speaker, seen(4.0, 4.0)).acts


def test_speaking_draws_nothing_from_the_stream_of_decisions(table):
    speaker = agent(table())
    before = speaker.rng.bit_generator.state
    words = {compose(speaker, view(latest=(("BasicInfo", 1.0),))).text for _ in range(10)}
    assert len(words) > 1 and speaker.rng.bit_generator.state == before


def test_a_refusal_goes_to_the_agent_whose_number_it_is(table):
    speaker = agent(table())
    assert compose(speaker, view(latest=(("UserHistory", 1.0),))).recipients == ("UserHistory",)
    assert compose(speaker, view(standing=1.0)).recipients == ("BasicInfo", "UserHistory")


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_in_a_discussion_every_message_performs_the_acts_that_it_records(table, kind, held_out):
    environment = table()
    seats = {a: agent(environment, kind, seed, held_out, a) for seed, a in enumerate(AGENTS)}
    messages = [m for r in asyncio.run(play(environment, seats, "majority", rounds=6)).rounds for m in r.messages]
    assert len(messages) == 18
    for message in messages:
        assert performs(message.text, message.acts, held_out), message
        assert not performs(message.text, message.acts, not held_out), message
        assert bool(message.claim) == (kind != "random")


def test_no_sentence_quotes_a_row(table):
    environment = table()
    seats = {a: agent(environment, "weighing", seed, me=a) for seed, a in enumerate(AGENTS)}
    text = " ".join(m.text for r in asyncio.run(play(environment, seats, "rated")).rounds for m in r.messages)
    assert not re.search(r"Film \d|artist|NY|Comedy|Drama|1990|1998", text)
