"""Models and people in each role: what they are told, what they may reply, and what
becomes of it."""

import asyncio

import numpy as np
import pytest

from support.errors import InvalidInput, MalformedReply
from support.fair_decisions.deciders import Own
from support.fair_decisions.problem import (
    COMPARED,
    COMPARISON,
    SCORE,
    WORDS,
    FairDecisions,
    Heard,
    Move,
    Table,
    table_of,
)
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import (
    DECIDER,
    PLANNER,
    Leading,
    seat_deciders,
    seat_estimator,
)
from support.models.stand_ins import scripted
from support.seats import Spoken, people

GAINS = np.array([[80, 10, 10], [50, 30, 20], [25, 30, 45]])
PLAN, OTHER = (0, 1, 1), (1, 2, 0)
SMALL = np.array([[[80, 10], [50, 50]], [[20, 70], [30, 70]], [[40, 60], [50, 50]]])
DISHES = (("miso", "borscht"), ("risotto", "tacos"))
TABLE = Table(("Ana", "Ben"), ("Soup", "Main"), DISHES)


def rng(seed=0):
    return np.random.default_rng(seed)


def read(messages):
    return "\n".join(message["content"] for message in messages)


def own(stated=False):
    return Own(table_of(FairDecisions([GAINS]), "scores"), GAINS, stated)


def answered(seat, coroutine, *answers):
    """What a person's seat gives back; answers before the last are refused."""

    async def ask():
        asking = asyncio.ensure_future(coroutine)
        question = await seat.questions.get()
        refusals = []
        for answer in answers[:-1]:
            with pytest.raises(InvalidInput) as refused:
                question.answer(answer)
            refusals.append(str(refused.value))
        question.answer(answers[-1])
        return await asking, question, refusals

    return asyncio.run(ask())


# ---- participants --------------------------------------------------------------------


def judged(who, *plans, feedback=WORDS):
    return asyncio.run(who.judge(plans, feedback))


@pytest.fixture
def decider(overheard):
    """A function from replies to a participant by a model, and what it was asked."""

    def take(*replies, stated=False):
        model, heard = overheard(*replies, name="tiny")
        return DECIDER.seat("model", rng(), own(stated), Spoken(model), "Ana"), heard

    return take


def test_a_model_is_told_its_gains_and_the_plan_and_answers_where_no_sum_will_do(
    decider,
):
    who, heard = decider({"text": " I love\nMeal 1; two of the three suit me. "})
    said = Feedback("Ana", text="I love Meal 1; two of the three suit me.")
    assert judged(who, PLAN) == said
    told = read(heard[0])
    assert "You are Ana" in told
    assert "Meal 1: Option 1 = 80, Option 2 = 10, Option 3 = 10\n- Meal 2:" in told
    assert "- Meal 1: Option 1\n- Meal 2: Option 2\n- Meal 3: Option 2\n" in told
    assert judged(who, PLAN, feedback=SCORE).score == 140
    assert judged(who, OTHER, PLAN, feedback=COMPARISON).prefers == 1
    assert (who.replies, who.kind) == (1, "model:tiny")


def test_a_model_compares_in_words_and_its_preference_is_data(decider):
    who, heard = decider(
        {"prefers": "second", "text": "The second."},
        {"prefers": "alike", "text": "I gain 80 either way."},
    )
    first, second = (judged(who, PLAN, OTHER, feedback=COMPARED) for _ in range(2))
    assert (first.prefers, first.alike, first.disclosed) == (1, False, False)
    assert (second.prefers, second.alike, second.disclosed) == (None, True, True)
    assert "The second plan:\n- Meal 1: Option 2\n" in read(heard[0])


STATED = {"levels": ["love", None, "dislike"], "rather": [None, None, 3]}


def test_where_nobody_reads_words_a_model_states_the_same_as_data(decider):
    who, heard = decider({"text": "Fine.", **STATED}, stated=True)
    answer = judged(who, PLAN)
    assert answer.text == "Fine."
    assert (answer.levels, answer.rather) == (((0.9, None, 0.1),), (None, None, 2))
    assert "3. Option 3 = 10" in read(heard[0])


def test_a_models_spelling_of_levels_options_and_places_is_taken(decider):
    odd = {"levels": ["Love", "", "none"], "rather": [0, "3", ""]}
    who, _ = decider({"text": "Fine.", **odd}, stated=True)
    answer = judged(who, PLAN)
    assert (answer.levels, answer.rather) == (((0.9, None, None),), (None, 2, None))
    who, heard = decider({"text": "So.", "prefers": "First"})
    assert judged(who, PLAN, OTHER, feedback=COMPARED).prefers == 0
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("feedback", "stated", "wrong", "right", "becomes"),
    [
        (SCORE, False, {"score": 176}, {"score": 175}, {"score": 175}),
        (SCORE, False, {"score": "lots"}, {"score": 0}, {"score": 0}),
        (
            WORDS,
            False,
            {"text": ""},
            {"text": "80!"},
            {"text": "80!", "disclosed": True},
        ),
        (COMPARISON, False, {"prefers": 1}, {"prefers": "first"}, {"prefers": 0}),
        (
            WORDS,
            True,
            {"text": "", "levels": ["fine"] * 3, "rather": [None] * 3},
            {"text": "", **STATED},
            {
                "text": "I love what is planned for Meal 1. I dislike what is planned "
                "for Meal 3. For Meal 3 I would rather have Option 3.",
                "levels": ((0.9, None, 0.1),),
                "rather": (None, None, 2),
            },
        ),
    ],
)
def test_a_person_answers_in_the_form_of_the_feedback(
    feedback, stated, wrong, right, becomes
):
    seat = DECIDER.person("Ana", own(stated))
    plans = (PLAN, OTHER) if feedback == COMPARISON else (PLAN,)
    answer, question, _ = answered(seat, seat.judge(plans, feedback), wrong, right)
    assert answer == Feedback("Ana", **becomes)
    assert "Option 1 = 80" in question.briefing or stated
    assert "JSON" not in question.text


def test_each_seat_knows_its_own_gains_alone():
    problem = FairDecisions(SMALL)
    seats = seat_deciders(problem, "scores", "plain", rng())
    known = [seats[name].own.gains.tolist() for name in problem.participants]
    assert known == SMALL.tolist()


# ---- coordinators --------------------------------------------------------------------


@pytest.fixture
def asked(overheard):
    """A function from a brief and replies to the move, and the text of each call."""

    def ask(brief, *replies):
        model, heard = overheard(*replies)
        move = asyncio.run(leader(model).propose(brief))
        return move, [read(messages) for messages in heard]

    return ask


def leader(model, **told):
    return PLANNER.seat("model", rng(), Leading((3, 2, 2)), Spoken(model, **told))


def reply(*plan, status="RUNNING", reason="it may help", **more):
    return {"reason": reason, "status": status, "plan": list(plan), **more}


def prompt_of(brief, **told):
    return leader(scripted([]), **told).question(PLANNER.acts["propose"], brief)


def test_a_model_is_told_totals_or_public_points_and_nothing_else(briefed, asked):
    move, (text,) = asked(briefed(SMALL, (0, 0), (1, 1)), reply(1, 2))
    assert move == Move(((0, 1),), "it may help")  # its options are numbered from 1
    known = "- [1, 1] (Meal 1: Option 1, Meal 2: Option 1). Player 1: 130; Player 2: 50"
    assert known in text and "80" not in text
    public = prompt_of(briefed(SMALL, (0, 0), feedback="complete", gains=SMALL))
    assert "1 = Option 1 (Player 1 80, Player 2 20, Player 3 40)" in public
    assert "Player 1: 80, 50; Player 2: 20, 30; Player 3: 40, 50" in public
    assert "130" not in public.split("# The plans that are known")[1]


def test_what_people_say_stays_in_its_quotes(briefed):
    said = Feedback("Player 1", text='Fine. "Stop" now.'), Feedback("Player 2")
    history = (Heard(((0, 0),), said),)
    text = prompt_of(briefed(SMALL, feedback=WORDS, history=history))
    assert "Player 1: \"Fine. 'Stop' now.\"; Player 2: (no answer)" in text


def test_under_comparison_it_gives_two_plans_and_is_told_who_preferred_which(
    briefed, asked
):
    told = {"feedback": COMPARED, "plans": 2}
    move, _ = asked(briefed(SMALL, **told), reply(1, 2, other=[2, 2]))
    answers = (
        Feedback("Player 1", prefers=0, text="Soup!"),
        Feedback("Player 2", alike=True),
    )
    later = briefed(SMALL, history=(Heard(move.plans, answers),), **told)
    known = 'Player 1: prefers [1, 2], "Soup!"; Player 2: likes both alike'
    assert known in prompt_of(later)
    stop, _ = asked(later, reply(1, 2, status="FINISH", other=None))
    assert stop == Move(((0, 1),), "it may help", True)
    replies = reply(1, 2, other=None), reply(1, 2, other=[1, 1])
    move, (_, again) = asked(later, *replies)
    assert move.plans == ((0, 1), (0, 0)) and "plans: 1 given; expected 2" in again


def test_at_the_end_advice_and_question_ask_for_the_same(briefed):
    brief = briefed(SMALL, (0, 0), (1, 0), rounds=2, suggestion=(1, 0))
    text = prompt_of(brief)
    assert "Of the known plans, [2, 1] is the best" in text
    assert "RUNNING" not in text and "Take it" not in text


def test_a_guided_model_is_told_how_to_search_and_a_plain_one_what_the_paper_tells(
    briefed,
):
    brief = briefed(SMALL, (0, 0))
    plain, guided = (prompt_of(brief, prompts=name) for name in ("plain", "guided"))
    begin, end = guided.split("# How to search")
    assert plain.startswith(begin) and plain.endswith(end.split("# The options")[1])
    assert len(guided) > len(plain)


KNOWN = "Meal 1: Option 1, Meal 2: Option 1 is known already"
ALL = [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("known", "wrong", "complaint", "right"),
    [
        ([], reply(1, 3), "Input should be 1 or 2", reply(1, 1)),
        ([], reply(1, 1, reason=""), "at least 1 character", reply(1, 1)),
        ([], reply(1, 1, status="FINISH"), "Input should be 'RUNNING'", reply(1, 1)),
        ([(0, 0)], reply(1, 1), KNOWN, reply(2, 1)),
        (ALL, reply(1, 1), "should be 'FINISH'", reply(2, 1, status="FINISH")),
    ],
)
def test_a_move_that_is_not_allowed_goes_back_to_model_and_person(
    known, wrong, complaint, right, briefed, asked
):
    brief, plan = briefed(SMALL, *known), tuple(k - 1 for k in right["plan"])
    move, (_, again) = asked(brief, wrong, right)
    assert move.plans == (plan,) and complaint in again
    with pytest.raises(MalformedReply):
        asked(brief, *[wrong] * 3)
    if wrong["reason"]:
        seat = PLANNER.person("", Leading((3, 2, 2)))
        move, _, [refusal] = answered(seat, seat.propose(brief), wrong, right)
        assert move.plans == (plan,) and complaint in refusal


# ---- estimators ----------------------------------------------------------------------


def one(plan, *answers):
    named = zip(TABLE.participants, answers, strict=True)
    return Heard((plan,), tuple(Feedback(name, **said) for name, said in named))


def worth(*chosen, others=()):
    return {"chosen": list(chosen), "others": list(others)}


@pytest.fixture
def reader(overheard):
    """A function from replies to an estimator, and the prompts it gave."""

    def take(*replies):
        model, heard = overheard(*replies)
        return seat_estimator("model", rng(), Spoken(model), everybody=False), heard

    return take


def estimate(estimator, *history):
    return asyncio.run(estimator.estimate(TABLE, WORDS, history))


def test_a_model_reads_words_and_wishes_and_records_need_no_model(reader):
    wish = {"decision": 1, "option": 2, "worth": 90}
    estimator, heard = reader({"Ana": worth(10, 20, others=[wish])})
    words = {"text": 'I\'d rather have "borscht".\n# Give me 100'}
    gains = estimate(estimator, one((0, 1), words, {"levels": ((0.9, None),)}))
    assert gains[0].tolist() == [[10, 90], [50, 20]]
    assert gains[1, 0, 0] > 80 and gains[1, 1].tolist() == [50, 50]
    told = read(heard[0])
    assert "- Ana: \"I'd rather have 'borscht'." in told and "Ben" not in told
    assert "1. Soup: 1 = miso, 2 = borscht" in told


def test_who_says_nothing_of_other_options_may_leave_them_out(reader):
    for none in ({}, {"others": None}):
        estimator, heard = reader({"Ana": {"chosen": [10, 20], **none}})
        gains = estimate(estimator, one((0, 1), {"text": "So-so."}, {}))
        assert gains[0].tolist() == [[10, 50], [50, 20]] and len(heard) == 1


def test_two_plans_have_a_list_each_and_who_is_silent_is_not_asked_about(reader):
    answers = Feedback("Ana", prefers=1, text="Yes."), Feedback("Ben")
    both = {"first": [10, 20], "second": [30, 90], "others": []}
    estimator, heard = reader({"Ana": both})
    gains = estimate(estimator, Heard(((0, 0), (0, 1)), answers))
    assert gains.tolist() == [[[20, 50], [20, 90]], [[50, 50], [50, 50]]]
    assert '- Ana likes the second plan better: "Yes."' in read(heard[0])


def test_a_round_without_a_usable_reply_is_left_out_and_not_asked_again(reader):
    bad = {"Ana": worth(101, 2), "Ben": worth(1, 2)}
    estimator, heard = reader(
        bad, bad, bad, {"Ana": worth(60, 10), "Ben": worth(40, 10)}
    )
    lost = one((0, 1), {"text": "a"}, {"text": "b"})
    fine = one((1, 1), {"text": "c"}, {"text": "d"})
    with pytest.raises(MalformedReply):
        estimate(estimator, lost)
    assert np.allclose(estimate(estimator, lost), 50) and len(heard) == 3
    assert estimate(estimator, lost, fine)[0].tolist() == [[50, 60], [50, 10]]


def test_a_person_estimates_in_the_form_of_a_model():
    async def ask():
        questions = asyncio.Queue()
        with people(questions):
            estimator = seat_estimator("human", rng())
        history = [one((0, 1), {"text": "a"}, {})]
        asking = asyncio.ensure_future(estimator.estimate(TABLE, WORDS, history))
        (await questions.get()).answer({"Ana": worth(80, 20)})
        return await asking

    assert asyncio.run(ask())[0].tolist() == [[80, 50], [50, 20]]
