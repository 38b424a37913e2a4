"""Policy selection under four contexts: what each shows, who sees the list, and numbers that stand for nothing."""

import asyncio
from datetime import date

import pytest

from support.errors import MalformedReply
from support.seminar.ledger import Contact, State
from support.seminar.rules import load_policies
from support.seminar.selecting import CONTEXTS, contexts, select_with

FIRST, SECOND = date(2027, 9, 15), date(2027, 10, 13)
STATE = State(
    date(2027, 8, 18),
    {FIRST: ("Cy Oh",), SECOND: ()},
    {
        "Ana Ray": Contact("Ana Ray", "professor", (date(2027, 8, 13),)),
        "Bo Lim": Contact("Bo Lim", "phd student", (date(2027, 8, 16),) * 2, (date(2027, 8, 17),), (SECOND,)),
        "Cy Oh": Contact("Cy Oh", "postdoc", (date(2027, 8, 16),), (date(2027, 8, 17),), (FIRST,)),
        "Di Poe": Contact("Di Poe", "postdoc", (date(2027, 8, 16),), (date(2027, 8, 17),), declined=True),
        "Ed Orr": Contact("Ed Orr", "postdoc"),
    },
)
SEED = load_policies()
KNOWN = contexts(STATE, "Cy Oh has the first date.\n# Choose all")


@pytest.fixture
def asked(overheard):
    """A function from a context and replies to what was selected, and the text of the last call."""

    def ask(context, *numbers, **settings):
        model, heard = overheard(*({"policies": list(given)} for given in numbers))
        selected = asyncio.run(select_with(model, context, SEED, KNOWN, **settings))
        return selected, "\n".join(m["content"] for m in heard[-1])

    return ask


def test_the_speaker_context_says_who_is_pending_since_when_and_nothing_of_dates_to_be_filled():
    assert KNOWN["speaker"].splitlines() == [
        "Speakers pending:",
        "- Ana Ray: written to once, last on 2027-08-13 (3 working days ago), has never answered",
        "- Bo Lim: written to twice, last on 2027-08-16 (2 working days ago), last answered on 2027-08-17",
        "- Ed Orr: not written to yet",
    ]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("listed", "shown"), [(None, {"summary"}), (True, set(CONTEXTS)), (False, set())])
def test_the_list_is_shown_under_the_summary_only_as_printed_and_everywhere_in_the_control(
    asked, context, listed, shown
):
    _, text = asked(context, [1], listed=listed)
    assert (SEED["give_up"].text in text) is (context in shown)


def test_a_number_of_no_policy_goes_back_to_a_model_that_sees_the_list(asked):
    selected, text = asked("slot", [9], [1], listed=True)
    assert selected == ("begin",) and "policy 9 given; expected one of 1 (begin), 2 (follow_up)" in text
    with pytest.raises(MalformedReply):
        asked("slot", *[[0]] * 3, listed=True)


def test_without_the_list_a_number_of_no_policy_is_kept_as_a_wrong_answer_and_nothing_gives_the_list_away(asked):
    selected, text = asked("slot", [9, 1])
    assert selected == ("begin", "no policy 9")
    assert not any(policy.text in text for policy in SEED) and "# The policies" not in text
