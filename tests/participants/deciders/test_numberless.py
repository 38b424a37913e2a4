"""Words without numbers: names keep their digits, everything else is refused."""

import pytest

from support.environments.fair_decisions.views import Table
from support.errors import InvalidInput
from support.participants.deciders.numberless import MOST, WORDS, checked_words, number_in, together

FREE = [
    "I like Meal 1 and meal 12.",
    "Meals 1, 4 and 12 are fine, Meals 2 or 3 less so.",
    "Option 2 for Meal 3 is great; this one I love.",
    "The tenth time I say it: often, someone, weight, canine.",
]
FOUND = [
    ("Meal 1: 45", "45"),
    ("Meal 13 is fine", "13"),
    ("Meals 1, 4 and 50 are fine", "50"),
    ("Meal 1, 4 points", "4"),
    ("I give it 7.5", "7.5"),
    ("80% happy", "80%"),
    ("a solid Ten", "Ten"),
    ("twenty-five points", "twenty"),
    ("ninety percent", "ninety"),
    ("a hundred times", "hundred"),
    ("about ½ good", "½"),
    ("٤٢", "٤٢"),
]


@pytest.mark.parametrize("text", FREE)
def test_names_and_ordinary_words_hold_no_number(sit, text):
    assert checked_words(text, sit(n=12)) == text


@pytest.mark.parametrize(("text", "number"), FOUND)
def test_a_number_is_found_in_digits_and_in_words_and_named(sit, text, number):
    assert number_in(text, sit(n=12)) == number
    with pytest.raises(InvalidInput, match="expected words that tell no number"):
        checked_words(text, sit(n=12))


def test_names_of_any_form_may_hold_numbers_but_lend_none_to_others():
    table = Table(("Ana",), ("Seven Hills", "Room (2)", "dinner"), (("at 8", "at 9"),) * 3, "scores", 100)
    assert number_in("Seven Hills at 8 and Room (2) please me, dinner at 9 too", table) is None
    assert number_in("seven reasons", table) == "seven"
    assert number_in("dinner at 89", table) == "89"


def test_blanks_are_made_one_and_the_limits_are_of_words_and_characters(sit):
    assert checked_words("  Fine\n with me. ", sit()) == "Fine with me."
    assert checked_words("so " * WORDS, sit())
    with pytest.raises(InvalidInput, match=f"{WORDS + 1} words"):
        checked_words("so " * (WORDS + 1), sit())
    with pytest.raises(InvalidInput, match=f"{MOST + 1} characters"):
        checked_words("x" * (MOST + 1), sit())


@pytest.mark.parametrize("text", ["", " \n", None, 3])
def test_what_has_no_words_is_refused(sit, text):
    with pytest.raises(InvalidInput, match="expected words: say how satisfied"):
        checked_words(text, sit())


def test_only_names_that_differ_in_their_number_are_named_together():
    assert together(["Meal 2", "Meal 10"]) == ("Meals", ("2", "10"))
    assert together(["Meal 2", "Dish 10"]) is together(["Meal 2"]) is together(["Food", "Water"]) is None
