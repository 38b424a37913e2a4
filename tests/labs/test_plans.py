"""The fair plans' lab: what a coordinator sees and may not see, how a game ends, clicks that become a cell."""

from dataclasses import replace

import numpy as np
import pytest

from support.errors import CallFailed
from support.fair_decisions.problem import FairDecisions
from support.fair_decisions.records import Feedback
from support.fair_decisions.seats import PLANNER
from support.labs.plan_history import to_html, truth_of
from support.labs.plans import NOTHING, SWEEP, PlanningLab
from support.models.stand_ins import scripted
from support.solvers.fair import solve


@pytest.fixture
def game(played):
    """A function that has a coroutine play a small game, whose coordinator is a person unless it is said."""
    small = {"decisions": 2, "options": 3, "rounds": 3}
    return lambda talk, **settings: played(PlanningLab, talk, **{**small, **settings})


def choose_options(lab, *plans):
    for column, plan in zip(lab.form.choices, plans, strict=True):
        for field, option in zip(column, plan, strict=True):
            field.value = option


@pytest.fixture
def propose(until):
    """A coroutine that chooses and proposes plans, and waits for the round to be over."""

    async def proposed(lab, *plans):
        before = len(lab.finished)
        choose_options(lab, *plans)
        lab.form.propose_button.click()
        await until(lambda: len(lab.finished) > before and lab.task.done())

    return proposed


def texts(widget):
    """All that a widget and those in it show; of a picture, its bytes."""
    own = [
        getattr(widget, name)
        for name in ("value", "description", "options")
        if hasattr(widget, name)
    ]
    own = [
        str(bytes(shown) if isinstance(shown, memoryview) else shown) for shown in own
    ]
    return own + [
        text for child in getattr(widget, "children", ()) for text in texts(child)
    ]


def test_a_stop_with_a_known_plan_ends_the_game_before_its_rounds_are_over(
    store, game, propose, until
):
    async def talk(lab):
        assert lab.form.ending.layout.display == "none", "there is nothing to stop with"
        await propose(lab, (0, 0))
        await propose(lab, (1, 1))
        assert lab.form.known.value == lab.finished[-1].best, (
            "the best known plan is offered first"
        )
        worst = next(p for _, p in lab.form.known.options if p != lab.finished[-1].best)
        lab.form.known.value = worst
        lab.form.copy_button.click()
        assert tuple(field.value for field in lab.form.choices[0]) == worst
        lab.form.stop_button.click()
        await until(lambda: "Stored" in lab.status.value)
        assert lab.forms.children == () and lab.record().chosen == worst
        await lab.advance(to_the_end=True)
        assert len(lab.finished) == 3 and "Stored" in lab.status.value, (
            "nothing more is played"
        )

    game(talk, rounds=9)
    [(_, played)] = store.records(SWEEP)
    assert played.rounds[-1].finish and len(played.rounds) == 3


def test_two_plans_are_proposed_under_comparison_the_first_may_be_known_the_second_not(
    game, propose, until
):
    async def talk(lab):
        choose_options(lab, (0, 0), (1, NOTHING))
        lab.form.propose_button.click()
        assert "mid-morning snack (plan B): no option" in lab.form.error.value
        await propose(lab, (0, 0), (1, 1))
        choose_options(lab, (2, 2), (1, 1))
        lab.form.propose_button.click()
        await until(lambda: "is known already" in lab.form.error.value)
        await propose(lab, (0, 0), (2, 2))
        assert [label.split(",")[0] for label, _ in lab.form.known.options] == [
            "1A",
            "1B",
            "2B",
        ]

    game(talk, feedback="comparison", rounds=4)


@pytest.mark.parametrize("feedback", ["words", "comparison"])
def test_while_it_is_played_the_gains_are_in_nothing_that_is_drawn_or_shown(
    game, propose, feedback
):
    async def talk(lab):
        await propose(
            lab, *(((0, 0), (1, 1)) if feedback == "comparison" else ((0, 0),))
        )
        shown = texts(lab.view)
        lab.problem = FairDecisions(
            9 * lab.problem.gains + 1,
            lab.problem.participants,
            lab.problem.decisions,
            lab.problem.options,
        )
        [entry] = lab.finished
        lab.finished = [
            replace(
                entry,
                totals=tuple(tuple(7 * t + 3 for t in row) for row in entry.totals),
            )
        ]
        lab._show()
        assert texts(lab.view) == shown, (
            "other gains with the same answers look the same"
        )
        assert not any(
            word in "".join(shown)
            for word in ("true", "truth", "optimum", "What was hidden")
        )

    game(talk, feedback=feedback)


def test_totals_are_shown_as_the_group_knows_them_now_so_that_the_best_known_plan_looks_best(
    game, propose
):
    async def talk(lab):
        for plan in [(0, 0), (1, 0), (1, 1), (2, 1)]:
            await propose(lab, plan)
            gaps = {
                plan: np.ptp(row)
                for r in lab._seen()
                for plan, row in zip(r.plans, r.heard, strict=True)
            }
            assert gaps[lab.finished[-1].best] == min(gaps.values())
            assert f"≈ {gaps[plan]:.0f}<" in lab.talk.value
            best = next(
                label
                for label, p in lab.form.known.options
                if p == lab.finished[-1].best
            )
            assert best.endswith(f"divergence {min(gaps.values()):.0f} (best known)")
        assert any(
            now.heard != then.heard
            for now, then in zip(lab._seen(), lab.finished, strict=True)
        )

    game(talk, feedback="words", rounds=5)


@pytest.mark.parametrize("feedback", ["complete", "score"])
def test_under_complete_information_the_gains_are_public_and_else_they_are_not(
    game, feedback
):
    async def talk(lab):
        told = " / ".join(map(str, lab.problem.gains[:, 0, 0]))
        assert (told in "".join(texts(lab.view))) == (feedback == "complete")

    game(talk, feedback=feedback)


def test_what_is_known_is_drawn_and_at_the_end_the_truth_the_optimum_and_the_random_expectation(
    game, propose
):
    async def talk(lab):
        figures = {lab.view and lab.figure.value}
        for plan in [(0, 0), (1, 1)]:
            await propose(lab, plan)
            figures.add(lab.figure.value)
        left, right = lab.draw().axes
        assert "plan 2, as reported" in left.get_title() and list(
            right.get_xticks()
        ) == [1, 2, 3]
        heights = [round(bar.get_height()) for bar in left.patches if bar.get_fill()]
        assert heights == [answer.score for answer in lab.finished[1].feedback]
        await propose(lab, (2, 0))
        title = lab.draw().axes[0].get_title()
        assert (
            "chosen" in title
            and "the truth" in title
            and len(figures | {lab.figure.value}) == 4
        )
        best = solve(lab.problem, "divergence")
        chosen = lab.problem.totals(lab.record().chosen)
        every = [np.ptp(lab.problem.totals((j, k))) for j in range(3) for k in range(3)]
        assert (
            f"the optimum is {best.value}, a random plan comes to {np.mean(every):.0f} on"
            in lab.status.value
        )
        assert f"divergence {np.ptp(chosen)};" in lab.status.value
        row = "".join(
            f'<td class="num">{n}</td>' for n in [*chosen, np.ptp(chosen), chosen.sum()]
        )
        assert (
            row in lab.talk.value
            and "What was hidden" in lab.talk.value
            and "proven" in lab.talk.value
        )
        assert "true: " not in lab.talk.value, (
            "what was reported is the truth, and not said again"
        )

    game(talk)


def test_the_truth_of_an_instance_is_measured_by_its_objective():
    problem = FairDecisions([[[80, 10], [50, 50]], [[20, 70], [30, 70]]])
    fair, rich = truth_of(problem, "divergence", 1), truth_of(problem, "welfare", 2)
    assert (fair.best, fair.random["random"], fair.random["random_best"]) == (
        40,
        60,
        60,
    )  # 80, 40, 40 and 80
    assert (rich.best, rich.random["random"], rich.tried) == (
        220,
        190,
        2,
    ) and rich.random["random_best"] > 190


@pytest.mark.parametrize(
    ("coordinator", "feedback"), [("local", "comparison"), ("exact", "complete")]
)
def test_any_coordinator_plays_a_game_to_the_end_with_reasons_stores_it_and_becomes_a_cell(
    store, game, repeats, coordinator, feedback
):
    async def talk(lab):
        assert lab.form is None and lab.forms.children == ()
        await lab.advance(to_the_end=True)
        assert (
            "Stored in study.sqlite" in lab.status.value
            and "Round 1: " in lab.talk.value
        )
        repeats(
            lab, f"coordinator={coordinator!r}", f"feedback={feedback!r}", store=store
        )

    game(
        talk,
        coordinator=coordinator,
        feedback=feedback,
        seats="mixed",
        noise=0.1,
        participants=2,
    )
    [(_, played), _] = store.records(SWEEP)  # the second is the cell's
    assert played.seats["coordinator"] == coordinator and len(played.participants) == 2


def test_models_are_offered_when_there_is_one_only_and_one_that_fails_stops_the_game_with_words(
    game,
):
    async def none(lab):
        assert list(lab.controls["coordinator"].options) == ["human", *PLANNER.kinds]
        assert "model" not in lab.controls["seats"].options

    async def some(lab):
        assert "model" in lab.controls["coordinator"].options
        lab.controls["coordinator"].value = lab.controls["seats"].value = "model"
        await lab.advance()
        assert "endpoint is down" in lab.status.value and lab.finished == []

    game(none)
    game(some, model=scripted(lambda _: CallFailed("the endpoint is down")))


def test_what_comes_from_outside_is_shown_as_text(game, propose):
    async def talk(lab):
        await propose(lab, (0, 0))
        [entry] = lab.finished
        said = tuple(
            Feedback(a.participant, text="<b>so & so</b>") for a in entry.feedback
        )
        html = to_html(
            [replace(entry, feedback=said, reason="<i>why</i>")],
            lab.table,
            "divergence",
        )
        assert (
            "&lt;b&gt;so &amp; so&lt;/b&gt;" in html
            and "&lt;i&gt;why" in html
            and "<i>why" not in html
        )

    game(talk)
