"""Estimates: two units a setting, multiplied, at the price of whom each stand-in plays;
and nothing is sent."""

import asyncio
from types import SimpleNamespace

import pytest

from support.errors import InvalidInput
from support.models import connect, named
from support.models.stand_ins import scripted
from support.runs.estimate import estimate
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


def test_each_named_model_has_a_row_with_its_own_price():
    grid = {"times": [1], "seats": ["model:m", "model:thinker", "model:embedded"]}
    made = estimated(None, 4, grid).set_index("model")
    assert sorted(made.index) == ["embedded", "m", "thinker"]
    assert (made["calls"] == 4).all() and made["dollars"]["embedded"] == 0
    thought = made["completion_tokens"]["thinker"] - made["completion_tokens"]["m"]
    assert thought > 4 * 100 / 8  # thinking is paid


async def hiding(rng, seat=None, model=None):
    await seat.model.reply("Do not ask me")


def test_nobody_is_asked_and_a_model_that_hides_in_a_participant_is_refused():
    sweep = Sweep("toy", hiding, {"model": ["model:m"]}, 2, seed=1)
    silent = scripted(lambda messages: pytest.fail("sent"), "hidden")
    for model in (silent, connect("m", api_key="none")):
        with pytest.raises(InvalidInput, match=r"nothing was sent .*about to be asked"):
            asyncio.run(estimate(sweep, seat=SimpleNamespace(model=model)))
    assert estimated(silent)["calls"].item() == 60
