import random
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.data import ROOT
from support.errors import DamagedFile
from support.llm import Cache
from support.llm import nearest as nearest_module
from support.llm.differences import differences
from support.llm.nearest import Explanation, miss_words
from support.llm.transport import Completion, Request

SCHEMA = '{"properties":{"vote":{"maxLength":20,"type":"string"},"why":{"type":"string"}},"required":["vote","why"],"title":"Vote","type":"object"}'  # noqa: E501
TALK = (
    ("system", "You plan a meeting."),
    ("user", "Who can come?"),
    ("user", "We meet at the office on Monday at nine, if all agree. Say yes or no."),
)
LAST = TALK[2][1]
ASKED = Request("m", "https://e.org/v1", TALK, SCHEMA, 0.7, 5, 64, 2)


@pytest.fixture
def cache(tmp_path):
    opened = Cache(tmp_path / "study.sqlite")
    yield opened
    opened.close()


def said(asked, recorded):
    return [str(difference) for difference in differences(asked, recorded)]


def third(text):
    return replace(ASKED, messages=(*TALK[:2], ("user", text)))


# -- what differs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model": "n"}, "model: 'm' asked, 'n' recorded"),
        ({"endpoint": "embedded"}, "endpoint: 'https://e.org/v1' asked, 'embedded' recorded"),
        ({"temperature": 0.0}, "temperature: 0.7 asked, 0.0 recorded"),
        ({"seed": None}, "seed: 5 asked, None recorded"),
        ({"max_tokens": 65}, "max_tokens: 64 asked, 65 recorded"),
        ({"repetition": 0}, "repetition: 2 asked, 0 recorded"),
        ({"schema": None}, "schema: the form 'Vote' asked, free text recorded"),
        ({"schema": SCHEMA.replace("20", "40")}, "schema, vote.maxLength: 20 asked, 40 recorded"),
        ({"schema": SCHEMA.replace(',"type":"string"},"why', '},"why')}, 'schema, vote.type: "string" asked, nothing'),
        (
            {"schema": SCHEMA.replace('{"vote"', '{"how":{},"vote"').replace('["vote"', '["how","vote"')},
            "schema, how: nothing asked, {} recorded",
        ),
        (
            {
                "schema": SCHEMA.replace('"properties":{', '"title":"Vote","properties":{').replace(
                    ',"title":"Vote"', "", 1
                )
            },
            "schema: its fields in one order asked, the same in another recorded",
        ),
        ({"messages": (("developer", TALK[0][1]), *TALK[1:])}, "message 1 (system), role: 'system' asked, 'developer'"),
        ({"messages": TALK[:2]}, "messages, 3 beside 2, of which alone: number 3 (user) asked, none recorded"),
        ({"messages": TALK[1:]}, "messages, 3 beside 2, of which alone: number 1 (system) asked, none recorded"),
        ({"messages": (*TALK, ("assistant", "yes"))}, "3 beside 4, of which alone: none asked, number 4 (assistant)"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_one_change_is_told_as_one_difference(change, told):
    (found,) = said(ASKED, replace(ASKED, **change))
    assert told in found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LAST.replace("Monday", "Tuesday"), "word 7 in 'office on Monday at nine,': 'Monday' asked, 'Tue"),
        (LAST.replace("on Monday ", ""), "words 6 and 7 in 'the office on Monday at nine,': 'on Monday' ask"),
        (LAST.replace("nine, if", "nine, sharp, if"), "after word 9 in 'at nine, if all': nothing asked, 'sharp,'"),
        (LAST.replace("at nine, if all", "soon"), "words 8 to 11: 'at nine, if all' asked, 'soon' recorded"),
        (LAST.replace("agree. Say", "agree.\n\nSay"), r"spaces or line breaks after word 12: ' ' asked, '\n\n'"),
        (LAST + "\n", r"spaces or line breaks after word 16: '' asked, '\n' recorded"),
    ],
    ids=["replaced", "left out", "put in", "several", "line breaks", "at the end"],
)  # fmt: skip
def test_a_change_in_a_message_is_told_with_its_place(text, told):
    (found,) = said(ASKED, third(text))
    assert found.startswith(f"message 3 (user), {told}")


def test_the_differences_come_in_reading_order_and_all_of_them():
    other = replace(third(LAST.replace("We", "They").replace("no", "not")), model="n", seed=6, schema=None)
    parts = [difference.part for difference in differences(ASKED, other)]
    assert parts == ["model", "message 3 (user)", "message 3 (user)", "schema", "seed"]


def test_a_long_value_is_cut_and_very_long_texts_are_not_aligned():
    rng = random.Random(0)
    one, other = (" ".join(rng.choice("abcdefgh") for _ in range(20_000)) for _ in range(2))
    (found,) = differences(third(f"same {one} same"), third(f"same {other} same"))
    assert len(str(found)) < 250 and found.place.startswith("words ")


TEXTS = st.text("ab \n", min_size=1, max_size=12)
REQUESTS = st.builds(
    Request,
    st.sampled_from("mn"),
    st.just("scripted"),
    st.lists(st.tuples(st.sampled_from(["system", "user"]), TEXTS), min_size=1, max_size=4).map(tuple),
    st.sampled_from([None, SCHEMA, SCHEMA.replace("20", "40")]),
    st.sampled_from([0.0, 0.7]),
    st.sampled_from([None, 1]),
    st.just(64),
    st.integers(0, 2),
)


@settings(max_examples=100)
@given(REQUESTS, REQUESTS)
def test_property_requests_differ_somewhere_exactly_when_they_are_not_the_same(one, other):
    found = differences(one, other)
    assert bool(found) == (one != other)
    changed = {field.name for field in fields(Request) if getattr(one, field.name) != getattr(other, field.name)}
    assert {difference.part.split()[0].rstrip("s") for difference in found} == {
        "message" if name == "messages" else name.rstrip("s") for name in changed
    }


# -- which is nearest ------------------------------------------------------------------------------------------------


def filled(cache, requests):
    for request in requests:
        cache.put(request, Completion("x"))


def test_a_recorded_request_is_said_to_be_recorded(cache):
    filled(cache, [ASKED])
    assert cache.explain(ASKED) == Explanation(exact=True)
    assert str(cache.explain(ASKED)) == "The reply to this very request is recorded."


def test_an_empty_cache_says_so(cache):
    assert str(cache.explain(ASKED)) == "No reply is recorded at all."


def many(count=400, words=60):
    """Requests of one study: a template with the data of a round in its midst, every round another."""
    rng = random.Random(1)
    names = ["Ada", "Ben", "Cem", "Dan", "Eve", "Fay", "Gus", "Hal"]
    for number in range(count):
        data = " ".join(f"{rng.choice(names)} {rng.randrange(100)}" for _ in range(words))
        text = f"You sit at a table. These are the offers:\n{data}\nNow, choose one of them."
        yield replace(ASKED, messages=(*TALK[:1], ("user", text)), seed=number, repetition=number % 3)


def edited(request, change):
    return replace(request, messages=(*request.messages[:1], ("user", change(request.messages[1][1]))))


CHANGES = {
    "a word of the template": lambda r: edited(r, lambda text: text.replace("table", "desk")),
    "its first and its last word": lambda r: edited(r, lambda text: "They " + text.removeprefix("You ")[:-5] + "all."),
    "a word of the data": lambda r: edited(r, lambda text: text.replace("Ada", "Zoe", 1)),
    "the model and the endpoint": lambda r: replace(r, model="other", endpoint="embedded"),
    "all settings": lambda r: replace(r, temperature=0.1, max_tokens=9, schema=None),
    "one more message": lambda r: replace(r, messages=(*r.messages, ("assistant", "Ada 3"))),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    opened = Cache(tmp_path_factory.mktemp("study") / "study.sqlite")
    filled(opened, many())
    yield opened
    opened.close()


@pytest.mark.parametrize("what", CHANGES)
def test_the_nearest_is_the_one_that_was_changed(study, what):
    requests = list(many())
    for number in (0, 211, 399):
        found = study.explain(CHANGES[what](requests[number]))
        assert found.nearest == requests[number] and found.recorded == len(requests)
        assert found.differences and not found.exact


def test_more_requests_than_are_refined_keep_the_nearest_among_them(cache, monkeypatch):
    monkeypatch.setattr(nearest_module, "REFINED", 5)
    requests = list(many(60))
    filled(cache, requests)
    found = cache.explain(CHANGES["a word of the data"](requests[50]))
    assert found.nearest == requests[50]


def test_of_requests_with_the_same_messages_the_one_with_fewest_and_smallest_changes_is_nearest(cache):
    others = [replace(ASKED, repetition=n) for n in (9, 7)] + [replace(ASKED, repetition=6, temperature=0.0)]
    filled(cache, [third(LAST.replace("We", "They")), *others])
    found = cache.explain(replace(ASKED, repetition=5))
    assert [str(difference) for difference in found.differences] == ["repetition: 5 asked, 7 recorded"]


def test_an_explanation_reads_as_a_sentence_that_counts_and_shortens(cache):
    words = LAST.split()
    words[::3] = ["x"] * len(words[::3])
    filled(cache, [replace(third(" ".join(words)), temperature=0.0), replace(ASKED, messages=(("user", "no"),))])
    text = str(cache.explain(ASKED))
    assert text.startswith("The nearest of 2 recorded requests differs in 7 places: message 3 (user), word 1 in 'We me")
    assert text.endswith("; and 4 more in message 3 (user); temperature: 0.7 asked, 0.0 recorded.")


def test_a_question_unlike_all_others_is_said_to_be_so(cache):
    filled(cache, [replace(ASKED, messages=(("user", "Something else."),))])
    assert "The one recorded request differs in 3 places, and has little in common" in str(cache.explain(ASKED))


def test_a_recorded_request_that_cannot_be_read_is_damage(cache):
    filled(cache, [ASKED])
    cache._db.execute("UPDATE replies SET request = '{\"messages\":'")
    cache._db.commit()
    with pytest.raises(DamagedFile, match="cannot be read"):
        cache.explain(third("other"))


# -- recordings without their questions ------------------------------------------------------------------------------


@pytest.fixture
def blind(cache, tmp_path):
    filled(cache, [ASKED, replace(ASKED, seed=6)])
    cache.export(tmp_path / "r.gz", prompts=False)
    other = Cache(tmp_path / "blind.sqlite")
    other.load(tmp_path / "r.gz")
    yield other
    other.close()


def test_of_a_recording_without_questions_only_the_names_are_compared(blind):
    assert "The 2 replies were recorded without their questions" in str(blind.explain(replace(ASKED, seed=7)))
    assert "they are as asked, it is the messages, the schema, temperature" in str(blind.explain(third("x")))
    found = blind.explain(replace(ASKED, model="n"))
    assert "compared: model: 'm' asked".replace("'m'", "'n'") in str(found) and found.nearest is None
    assert blind.explain(ASKED).exact


def test_replies_without_questions_beside_others_are_counted(blind):
    filled(blind, [third("Who?")])
    text = str(blind.explain(third("Why?")))
    assert text.startswith("The one recorded request differs in 1 place: message 3 (user), word 1")
    assert text.endswith("recorded. 2 more replies are kept without their questions.")


# -- what a miss says ------------------------------------------------------------------------------------------------


def test_a_miss_says_what_differs_and_the_way_out(cache):
    filled(cache, [ASKED])
    text = miss_words(replace(ASKED, temperature=1.0), cache)
    assert "'We meet at the office on Monday" in text and "study.sqlite" in text
    assert "temperature: 1.0 asked, 0.7 recorded" in text and "Cache.load(...)" in text


def test_many_misses_of_a_large_cache_do_not_go_through_it_again_and_again(cache, monkeypatch):
    monkeypatch.setattr(nearest_module, "PATIENCE", 5)
    filled(cache, [replace(ASKED, seed=seed) for seed in range(3)])
    told = [miss_words(replace(ASKED, temperature=1.0), cache) for _ in range(4)]
    assert ["temperature: 1.0" in text for text in told] == [True, True, False, False]
    assert "Cache.explain(...) tells" in told[-1]


def test_a_published_recording_explains_a_change_of_each_of_its_requests(cache):
    cache.load(ROOT / "data" / "replies" / "roundtable_exchange.jsonl.gz")
    for number, _ in list(cache.requests())[::25]:
        recorded = cache.request(number)
        role, text = recorded.messages[-1]
        words = text.split(" ")
        words[len(words) // 2] = "Tuesday"
        asked = replace(recorded, messages=(*recorded.messages[:-1], (role, " ".join(words))))
        found = cache.explain(asked)
        assert found.nearest == recorded and len(found.differences) == 1


def test_a_miss_at_another_address_says_which_one_was_recorded(cache):
    filled(cache, [ASKED])
    text = miss_words(replace(ASKED, endpoint="https://elsewhere.example/v1"), cache)
    assert f"base_url={ASKED.endpoint!r}: nothing is sent there" in text
    assert "base_url" not in miss_words(replace(ASKED, temperature=1.0), cache)
