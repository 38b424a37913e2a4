"""Figures of mail: what is drawn is what the frame holds."""

import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.mail import ASKED, HANDED_ON, HELD, plot_fates, plot_handling


def fates(**counts):
    return pd.DataFrame([{"order": order, "outcome": outcome} for order, of in counts.items() for outcome in of])


def test_each_part_of_a_bar_is_as_long_as_its_mails_are_many_and_says_how_many(ax):
    plot_fates(fates(ours=["arrived once"] * 3 + ["listed as uncertain: arrived"], simple=["arrived twice"] * 2), ax)
    drawn = {bars.get_label(): [round(bar.get_width()) for bar in bars] for bars in ax.containers}
    assert drawn == {"arrived once": [3, 0], "listed as uncertain: arrived": [1, 0], "arrived twice": [0, 2]}
    assert [bars[0].get_x() for bars in ax.containers] == [0, 3, 4]  # parts follow each other without a gap
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["3", "1", "2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ours", "simple"] and ax.yaxis_inverted()


def test_kinds_of_which_more_is_handed_on_stand_further_below(ax):
    pairs = [("b", HANDED_ON), ("b", HELD), ("c", HELD), ("a", ASKED)]
    plot_handling(pd.DataFrame(pairs, columns=["kind", "handling"]), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "a", "b"]


def test_an_outcome_that_is_none_is_named(ax):
    with pytest.raises(InvalidInput, match="outcome: 'eaten' given"):
        plot_fates(fates(ours=["eaten"]), ax)
