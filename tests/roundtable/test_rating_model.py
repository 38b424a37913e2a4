"""The language-model rater: it is told its own table and no other, and answers with a number of stars."""

import asyncio

import numpy as np
import pytest
from pydantic import ValidationError

from support.choice import RULES
from support.models.fakes import scripted
from support.models.profiles import TIGHT, Limits
from support.roundtable.movielens import ABOUT, AGENTS
from support.roundtable.records import View
from support.roundtable.seats import ACTS, seat_all
from support.roundtable.table import play
from support.seats import ModelSeat, Shown


def view(me="UserHistory", **known):
    return View(me, AGENTS, "rated", "ratings", RULES["rated"].explanation, 2, 10, **known)


def briefed(seat):
    return seat.messages("message", view())[0]["content"]


@pytest.fixture
def seat(overheard):
    """A function to a rater whose model gives these replies, and the prompts that the model was given."""

    def take(environment, replies, me="UserHistory"):
        model, prompts = overheard(*replies)
        return ModelSeat(model, ACTS, environment, me=me), prompts

    return take


def test_the_briefing_tells_the_film_all_schemas_and_the_own_table(table, seat):
    text = briefed(seat(table(), [])[0])
    assert '"Film 7"' in text
    assert all(about in text for about in ABOUT.values())
    assert "movie_id | movie_title | genre" in text and "3 | Film 3 | Drama | 1990 | 4 | 1" in text
    assert "artist" not in text, "a row of another table"


def test_a_long_table_is_cut_and_says_so_and_an_empty_one_too(table):
    shown = Shown()
    told = table().goal("UserHistory", shown)
    assert "(These are the first 25 of 30 rows.)" in told and "Film 25 |" not in told
    assert (shown.taken(), shown.taken()) == ("25 of 30 rows of a table", "")
    assert "There are no such data" in table(user=()).goal("UserHistory", shown)
    assert "first" not in table().goal("BasicInfo", shown).split("occupation")[-1] + shown.taken()


def test_a_generous_model_is_shown_all_rows_or_as_many_as_half_of_its_context_takes(table):
    whole, half = Shown(Limits()), Shown(Limits(), context=400)
    assert "Film 29 |" in table().goal("UserHistory", whole) and not whole.taken()
    told = table().goal("UserHistory", half)
    assert 300 < len(told.split("occurrences")[-1]) < 1200 and "of 30 rows" in half.taken()


def test_of_a_table_that_has_to_be_cut_the_films_most_like_this_one_are_shown(table):
    user = [(4, ("Drama",))] * 20 + [(2, ("Comedy", "War"))] * 3 + [(3, ("Comedy",))] * 7
    told = table(user=user).goal("UserHistory", Shown(Limits(rows=5)))
    assert [line.split(" | ")[2] for line in told.splitlines() if line.startswith(tuple("0123456789"))] == (
        ["Comedy, War"] * 3 + ["Comedy"] * 2
    )
    assert "(These are 5 of 30 rows: those of films most like this one by genre" in told


def test_only_who_may_consult_the_recommender_reads_its_word(table):
    matter, shown = table(consult="BasicInfo"), Shown()
    assert "predicts 4.9 stars, with an error of about 0.1" in matter.goal("BasicInfo", shown)
    assert "recommender" not in matter.goal("UserHistory", shown) + table().goal("BasicInfo", shown)


def test_the_truth_is_in_no_prompt_of_a_whole_discussion(table):
    environment = table(film=[(3, 3.0, 0.5)], user=[(2, ())])
    object.__setattr__(environment, "rating", 1.23)
    prompts = []

    def script(messages):
        prompts.append("\n".join(m["content"] for m in messages))
        asked = messages[-1]["content"]
        if ", messages." in asked:
            return {"target": [a for a in AGENTS if f"You are {a}." not in asked][:1], "message": "hm"}
        return {"reason": "", "proposal": 3} if ", proposals." in asked else {"reason": "", "vote": "P1"}

    seats = seat_all(environment, "model", np.random.default_rng(1), model=scripted(script))
    talk = asyncio.run(play(environment, seats, "majority", rounds=2))
    assert len(prompts) == 2 * 9 and not talk.rounds[-1].format_errors and talk.outcome.value == 3.0
    assert not [prompt for prompt in prompts if "1.23" in prompt]


def test_a_number_is_proposed_in_tenths_and_null_lets_the_latest_stand(table, seat):
    proposer, prompts = seat(table(), [{"reason": "r", "proposal": 3.649}, {"reason": "", "proposal": None}])
    assert asyncio.run(proposer.propose(view())).value == 3.6
    assert asyncio.run(proposer.propose(view(latest=(("UserHistory", 3.6),)))).value is None
    assert "or else a number such as\n2.9" in prompts[0][-1]["content"]
    assert (
        "Your latest proposal, which stays on the list unless you make a new one: 3.6 stars."
        in prompts[1][-1]["content"]
    )


def test_stars_out_of_range_go_back_to_the_model(table, seat):
    proposer, prompts = seat(table(), [{"reason": "", "proposal": 9}, {"reason": "", "proposal": 4}])
    assert asyncio.run(proposer.propose(view())).value == 4.0
    assert len(prompts) == 2


@pytest.mark.parametrize("bad", [{"reason": "", "proposal": 0.5}, {"reason": "", "proposal": "four"}, {"reason": ""}])
def test_the_schema_takes_stars_or_null_only(bad, table):
    with pytest.raises(ValidationError):
        table().schema(TIGHT.reason).model_validate(bad)


def test_models_and_rules_sit_at_one_table_and_rules_heed_the_model_s_number(table):
    def script(messages):
        prompt = messages[-1]["content"]
        if '"message"' in prompt:
            return {"target": ["MovieHistory"], "message": "low, I say"}
        return {"reason": "", "proposal": 1.0} if '"proposal"' in prompt else {"reason": "", "ratings": None}

    environment, kinds = table(), ["model", "weighing", "weighing"]
    alone = seat_all(environment, "weighing", np.random.default_rng(0), noise=0.0)
    beside = seat_all(environment, kinds, np.random.default_rng(0), noise=0.0, model=scripted(script))
    for people in (alone, beside):
        asyncio.run(play(environment, people, "rated", rounds=3))
    assert beside["MovieHistory"].opinion < alone["MovieHistory"].opinion
