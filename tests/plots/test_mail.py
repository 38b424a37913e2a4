"""Figures of mail: what is drawn is what the frame holds."""

import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.mail import ASKED, HANDED_ON, HELD, plot_handling


def test_kinds_of_which_more_is_handed_on_stand_further_below(ax):
    pairs = [("b", HANDED_ON), ("b", HELD), ("c", HELD), ("a", ASKED)]
    plot_handling(pd.DataFrame(pairs, columns=["kind", "handling"]), ax, "kind")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "a", "b"]
    drawn = {bars.get_label(): [round(bar.get_width()) for bar in bars] for bars in ax.containers}
    assert drawn == {HELD: [1, 0, 1], ASKED: [0, 1, 0], HANDED_ON: [0, 0, 1]} and ax.yaxis_inverted()
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["1"] * 4


def test_a_handling_that_is_none_is_named(ax):
    with pytest.raises(InvalidInput, match="handling: 'eaten' given"):
        plot_handling(pd.DataFrame([("a", "eaten")], columns=["kind", "handling"]), ax, "kind")
