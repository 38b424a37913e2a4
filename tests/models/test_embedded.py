"""The embedded model, really run: about 10 seconds on two cores."""

import asyncio
import json
import urllib.request

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from support.errors import DamagedFile
from support.models import connect, local
from support.models.profiles import prompt_bound


class Ballot(BaseModel):
    candidate: str = Field(max_length=12)


def test_it_replies_in_a_form_and_the_same_in_any_order_and_company():
    async def together(*order):
        model = connect()
        asked = (
            model.reply(f"{thing}?", Ballot, seed=1, max_tokens=24) for thing in order
        )
        return {reply.text for reply in await asyncio.gather(*asked)}

    texts = asyncio.run(together("tea", "rain"))
    assert texts == asyncio.run(together("rain", "tea"))
    assert all(map(Ballot.model_validate_json, texts))


def test_weights_that_are_not_the_original_are_refused(monkeypatch):
    monkeypatch.setattr(local, "SHA256", "0" * 64)
    with pytest.raises(DamagedFile, match=r"gguf.*expected 000000000000"):
        local.weights()


def answered(path, **body):
    body, kind = json.dumps(body).encode(), {"Content-Type": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(local.start() + path, body, kind), timeout=60
    ) as answer:
        return json.load(answer)


PIECES = st.text(max_size=20) | st.sampled_from(
    ["<|im_start|>", "\n\n", "👩🏽‍🔬", "🇩🇪", "漢字가", "\ufdfa\x01"]
)


@settings(max_examples=8)
@given(st.lists(PIECES, max_size=9))
def test_property_its_tokenizer_and_its_template_make_no_more_tokens_than_the_bound(
    pieces,
):
    chat = [
        {"role": role, "content": "".join(pieces) * 4}
        for role in ("user", "assistant") * 5
    ]
    prompt = answered("/apply-template", messages=chat)["prompt"]
    tokens = len(answered("/tokenize", content=prompt, add_special=True)["tokens"])
    assert tokens < prompt_bound(tuple((one["role"], one["content"]) for one in chat))
