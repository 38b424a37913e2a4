"""Estimates: two units a setting, multiplied, at the price of whom each stand-in plays;
and nothing is sent."""

import asyncio
from types import SimpleNamespace

import pytest

from support.errors import InvalidInput
from support.models import connect, named
from support.models.calls import Call
from support.models.stand_ins import scripted
from support.runs.estimate import estimate, scaled
from support.runs.sweep import Sweep

OURS = """
[models.m]
price = { input = 1.0, output = 10.0 }
[models.thinker]
thinking = 100
price = { input = 0, output = 1.0 }
[models.slow]
requests_per_minute = 1
[models.brief]
tokens_per_minute = 10
"""


@pytest.fixture(autouse=True)
def _ours(monkeypatch, tmp_path):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CONVENE_PURSE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "models.toml").write_text(OURS)
    monkeypatch.setenv("CONVENE_MODELS", str(tmp_path / "models.toml"))


async def asking(rng, times=2, model=None, seats="model", repetition=0):
    seed = int(rng.integers(2**31))
    for number in range(times):
        told = {"seed": seed, "max_tokens": 50, "repetition": repetition}
        await named(seats, model).reply(f"What of {number}?", **told)
    return {"times": times}


def estimated(model="m", repetitions=10, grid=None, store=None, **context):
    sweep = Sweep("toy", asking, grid or {"times": [2, 4]}, repetitions, seed=1)
    return asyncio.run(estimate(sweep, store, model=model, **context))


def test_two_units_of_a_setting_stand_for_all_of_them():
    [row] = estimated().to_dict("records")
    assert row["model"] == "m" and row["units"] == row["draws"] == 20
    assert row["calls"] == 10 * (2 + 4)
    paid = row["prompt_tokens"] + 10 * row["completion_tokens"]
    assert row["dollars"] == pytest.approx(paid / 1e6)
    most = row["prompt_tokens"] + 10 * 50 * row["calls"]
    assert row["most"] == pytest.approx(most / 1e6)
    assert row["dollars"] < row["most"]


def test_only_what_stand_ins_answered_counts_once_a_question():
    kept = Call("b", "x", "embedded", cached=True)  # no stand-in's: it does not count
    sample = []
    for read in (1000, 3000):
        sample.append([Call(str(read), "m", "stand-in", prompt_tokens=read), kept])
    [row] = scaled([(10, sample)], {}).to_dict("records")
    assert (row["model"], row["calls"], row["draws"]) == ("m", 10, 10)
    assert row["dollars"] == pytest.approx(0.02)


def test_each_named_model_has_a_row_with_its_own_price():
    grid = {"times": [1], "seats": ["model:m", "model:thinker", "model:embedded"]}
    made = estimated(None, 4, grid).set_index("model")
    assert sorted(made.index) == ["embedded", "m", "thinker"]
    assert (made["calls"] == 4).all() and made["dollars"]["embedded"] == 0
    thought = made["completion_tokens"]["thinker"] - made["completion_tokens"]["m"]
    assert thought > 4 * 100 / 8  # thinking is paid


def test_a_missing_price_is_told_by_the_name_of_the_model():
    where = "http://127.0.0.1:1/v1"
    seats = [f"model:unheard-of@{where}", f"model:nor-this@{where}", "model:m"]
    with pytest.warns(UserWarning, match="no price is known") as told:
        made = estimated(None, 2, {"times": [1], "seats": seats})
    names = {str(one.message).split()[5].split("@")[0] for one in told}
    assert names == {"unheard-of", "nor-this"}
    assert made["dollars"].isna().sum() == 2 and (made["prompt_tokens"] > 0).all()


async def speaking(rng, number, model):
    await model.reply(f"What of {number}?")


def test_a_name_stands_for_the_model_that_a_study_asks_itself():
    sweep = Sweep("toy", speaking, {"number": [1, 2]}, 3, seed=1)
    [row] = asyncio.run(estimate(sweep, model="m")).to_dict("records")
    assert (row["calls"], row["draws"]) == (6, 2)


async def hiding(rng, seat=None, model=None):
    await seat.model.reply("Do not ask me")


def test_nobody_is_asked_and_a_model_that_hides_in_a_participant_is_refused():
    sweep = Sweep("toy", hiding, {"model": ["model:m"]}, 2, seed=1)
    silent = scripted(lambda messages: pytest.fail("sent"), "hidden")
    for model in (silent, connect("m", api_key="none")):
        with pytest.raises(InvalidInput, match=r"nothing was sent .*about to be asked"):
            asyncio.run(estimate(sweep, seat=SimpleNamespace(model=model)))
    assert estimated(silent)["calls"].item() == 60


@pytest.mark.filterwarnings("ignore:no price")
def test_time_is_that_of_calls_at_once_or_of_the_provider_s_limits():
    assert estimated("slow")["seconds"].item() == pytest.approx(60 * 60)
    [few] = estimated("brief").to_dict("records")
    tokens = few["prompt_tokens"] + few["completion_tokens"]
    assert few["seconds"] == pytest.approx(6 * tokens)
    assert 0 < estimated("m")["seconds"].item() < 60


def test_what_is_finished_is_left_out(store):
    part = Sweep("toy", asking, {"times": [2, 4]}, 2, seed=1)
    model = scripted(lambda messages: "yes", "m")
    asyncio.run(part.run(store, model=model, progress=False))
    assert estimated(repetitions=10, store=store)["units"].item() == 16
    assert not len(estimated(repetitions=2, store=store))


def test_who_asks_nobody_has_no_row_and_an_error_of_the_study_is_raised():
    async def failing(rng, times=1):
        raise ValueError("the study is out of order")

    made = estimated(None, 3, {"times": [0]})
    assert not len(made) and "dollars" in made
    with pytest.raises(ValueError, match="out of order"):
        asyncio.run(estimate(Sweep("f", failing, {"times": [1]}, 2, seed=1)))
    with pytest.raises(InvalidInput, match="flavour"):
        estimated(flavour="mint")
