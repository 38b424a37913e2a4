"""Free text falls into themes, each with its own words."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.surveys.free_text import themes
from support.errors import InvalidInput

TIME, TRUST = ["time zones", "time of day", "time again", "more time"], ["trust it", "no trust", "trust needs reasons"]


class Words:
    """A fake encoder: the axis of a text is its key word, with a little of its length."""

    def encode(self, texts):
        vectors = [[float("time" in t), float("trust" in t), float("cost" in t), 0.01 * len(t)] for t in texts]
        return np.array([v / np.linalg.norm(v) for v in map(np.array, vectors)], dtype=np.float32)


def tidy(texts, item="feedback", source="people"):
    names = [f"P{i:02d}" for i in range(len(texts))]
    return pd.DataFrame({"respondent": names, "item": item, "text": texts, "source": source})


def test_texts_about_the_same_thing_share_a_theme_and_the_largest_comes_first():
    found = themes(tidy(TRUST + TIME), Words())
    assert found.sizes["size"].tolist() == [4, 3]
    assert set(found.quotes[found.quotes["theme"] == 1]["text"]) == set(TIME)
    assert set(found.quotes[found.quotes["theme"] == 2]["text"]) == set(TRUST)


def test_every_quote_has_its_respondent_and_the_most_central_comes_first():
    frame = tidy(TRUST + TIME)
    found = themes(frame, Words())
    assert dict(zip(found.quotes["respondent"], found.quotes["text"], strict=True)) == dict(
        zip(frame["respondent"], frame["text"], strict=True)
    )
    for _, part in found.quotes.groupby("theme"):
        assert part["rank"].tolist() == list(range(1, len(part) + 1))
        assert part["closeness"].is_monotonic_decreasing
    assert found.sizes["central"].tolist() == found.quotes[found.quotes["rank"] == 1]["text"].tolist()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_texts_work(count):
    found = themes(tidy(["time one", "trust it", "time two"][:count]), Words())
    assert found.sizes["size"].sum() == count
    assert len(found.sizes) == (2 if count == 3 else 1)


def test_empty_texts_are_left_out_and_counted():
    found = themes(tidy([*TIME, "", "  ", None, "?!"]), Words())
    assert found.left_out["blank"].tolist() == [4]
    assert len(found.quotes) == 4


def test_texts_in_any_script_are_texts():
    found = themes(tidy(["时间", "время", "42"]), Words(), k=1)
    assert found.left_out["blank"].tolist() == [0] and found.sizes["size"].tolist() == [3]


def test_the_same_text_again_and_again_is_one_theme():
    found = themes(tidy(["time"] * 6), Words())
    assert found.sizes["size"].tolist() == [6] and found.quotes["closeness"].tolist() == pytest.approx([1] * 6)
    assert len(themes(tidy(["time"] * 6), Words(), k=3).sizes) == 1


def test_the_number_of_themes_and_quotes_can_be_chosen():
    found = themes(tidy(TIME + TRUST + ["cost", "cost it"]), Words(), k=3, quotes=2)
    assert len(found.sizes) == 3 and found.quotes.groupby("theme").size().max() == 2
    assert found.sizes["size"].sum() == 9


def test_items_and_sources_are_never_mixed():
    both = pd.concat([tidy(TIME), tidy(TIME, source="simulated: tiny"), tidy(TRUST, item="other")])
    found = themes(both, Words(), k=1)
    assert set(map(tuple, found.sizes[["source", "item", "size"]].to_numpy())) == {
        ("people", "feedback", 4),
        ("simulated: tiny", "feedback", 4),
        ("people", "other", 3),
    }


def test_the_order_of_respondents_changes_no_theme():
    frame = tidy(TIME[:3] + TRUST)
    pd.testing.assert_frame_equal(themes(frame, Words()).quotes, themes(frame[::-1], Words()).quotes)


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["", " "], {}, "all 2 texts are empty"),
        (TIME, {"k": 0}, "k is 0"),
        (TIME, {"quotes": 0}, "quotes is 0"),
    ],
)
def test_what_cannot_be_grouped_is_refused(texts, options, message):
    with pytest.raises(InvalidInput, match=message):
        themes(tidy(texts), Words(), **options)
