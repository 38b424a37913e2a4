"""Figures of mail: what is drawn is what the frame holds."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from support.errors import InvalidInput
from support.plots.mail import ASKED, FATES, HANDED_ON, HANDLING, HELD, plot_fates, plot_handling


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def fates(**counts):
    return pd.DataFrame([{"order": order, "outcome": outcome} for order, of in counts.items() for outcome in of])


def drawn(ax):
    """Of each outcome in the legend the lengths of its parts, from the first bar on."""
    return {bars.get_label(): [round(bar.get_width()) for bar in bars] for bars in ax.containers}


def test_each_part_of_a_bar_is_as_long_as_its_mails_are_many_and_says_how_many(ax):
    plot_fates(fates(ours=["arrived once"] * 3 + ["listed as uncertain: arrived"], simple=["arrived twice"] * 2), ax)
    assert drawn(ax) == {"arrived once": [3, 0], "listed as uncertain: arrived": [1, 0], "arrived twice": [0, 2]}
    assert [text.get_text() for text in ax.texts] == ["3", "1", "2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ours", "simple"]
    assert ax.yaxis_inverted() and "mails" in ax.get_xlabel()


def test_parts_follow_each_other_without_a_gap(ax):
    plot_fates(fates(ours=["arrived once", "arrived twice", "lost, though noted as sent"]), ax)
    starts = [bars[0].get_x() for bars in ax.containers]
    assert starts == [0, 1, 2]


def test_every_outcome_has_a_look_of_its_own_also_in_grey():
    for looks in (FATES, HANDLING):
        assert len(set(looks.values())) == len({hatch for _, hatch in looks.values()}) == len(looks)


def test_kinds_of_which_more_is_handed_on_stand_further_below(ax):
    handled = {"forged": [HELD] * 3, "orders": [ASKED, ASKED, HANDED_ON], "scripts": [HANDED_ON], "asked": [ASKED]}
    frame = pd.DataFrame([{"kind": kind, "handling": what} for kind, of in handled.items() for what in of])
    plot_handling(frame.sample(frac=1, random_state=1), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["forged", "asked", "orders", "scripts"]
    assert sum(map(sum, drawn(ax).values())) == len(frame)


def test_a_number_is_left_out_where_its_part_is_too_narrow_for_it(ax):
    plot_fates(fates(ours=["arrived once"] * 199 + ["arrived twice"]), ax)
    assert [text.get_text() for text in ax.texts] == ["199"]


def test_an_outcome_that_is_none_is_refused(ax):
    with pytest.raises(InvalidInput, match=r"outcome: 'eaten' given; expected one of arrived once"):
        plot_fates(fates(ours=["eaten"]), ax)
    with pytest.raises(InvalidInput, match="handling"):
        plot_handling(pd.DataFrame({"kind": ["x"]}), ax)
