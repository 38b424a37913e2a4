"""Figures of dialogue acts: what is drawn is what the frames say."""

import numpy as np
import pandas as pd
import pytest

from support.analysis.agreement import evaluate
from support.analysis.dialogue_acts import LABELS
from support.errors import InvalidInput
from support.plots.dialogue_acts import plot_agreement, plot_shares


def shares():
    rows = [(act, number, i / 20 + number / 10) for i, act in enumerate(LABELS) for number in (1, 2)]
    return pd.DataFrame(rows, columns=["row", "round", "value"]).assign(environment="e")


def test_every_cell_holds_its_share_and_what_is_known_of_the_annotator_stands_below(axes):
    known = shares()
    known.attrs["trust"] = "tiny: mean kappa 0.03: near chance"
    ax = plot_shares(known, axes())
    assert ax.images[0].get_array()[3, 1] == pytest.approx(3 / 20 + 0.2)
    assert [t.get_text() for t in ax.texts][:2] == ["0.10", "0.20"] and len(ax.texts) == 11 * 2 + 1
    assert ax.texts[-1].get_text() == "tiny: mean kappa 0.03: near chance"
    with pytest.raises(InvalidInput, match="one environment and one rule"):
        plot_shares(pd.concat([shares(), shares()]), axes())


def scores():
    truth, guess = [("inform",), ("request",)] * 10, [("inform",)] * 15 + [("request",)] * 5
    frame = evaluate(truth, guess, range(20), np.random.default_rng(1), acts=("inform", "request"), covered=("inform",))
    return pd.concat([frame.assign(annotator=name) for name in ("one", "two")])


def test_each_annotator_has_its_marks_hollow_where_it_cannot_see(axes):
    frame = scores()
    ax = plot_agreement(frame, axes())
    full, hollow = ax.lines[0], ax.lines[1]
    value = frame.query("act == 'inform' and measure == 'kappa'")["value"].iloc[0]
    assert full.get_xdata()[0] == pytest.approx(value)
    assert hollow.get_fillstyle() == "none" and len(hollow.get_xdata()) == 1
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["one", "two"]
