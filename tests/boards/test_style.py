"""The look: words can be read on their ground, and there is one sheet."""

import pytest

from support.boards.pieces import board
from support.boards.style import GROUND, INK, QUIET_INK, STYLE, TONES


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", TONES)
def test_words_stand_out_from_their_ground(name):
    tone = TONES[name]
    assert contrast(tone.text, tone.ground) >= 4.5


def test_quiet_words_stand_out_from_every_ground_that_they_may_be_on():
    assert contrast(INK, GROUND) >= 7
    light = [tone.ground for name, tone in TONES.items() if name != "sure"]
    assert min(contrast(QUIET_INK, ground) for ground in (GROUND, "#f8f8f8", "#eef5fa", *light)) >= 4.5


def test_tones_differ_by_more_than_their_colour_of_ground():
    assert len({(tone.ground, tone.line) for tone in TONES.values()}) == len(TONES)


def test_the_sheet_is_one_block_with_matching_braces_and_touches_boards_only():
    assert STYLE.count("<style>") == STYLE.count("</style>") == 1 and STYLE.count("{") == STYLE.count("}")
    rules = STYLE.removeprefix("<style>").removesuffix("</style>").replace("@media", "\n@media")
    heads = [part.rsplit("}", 1)[-1] for part in rules.split("{")[:-1]]
    assert all(head.strip().startswith((".convene-board", "@")) or not head.strip() for head in heads)


def test_focus_is_seen_and_motion_can_be_stilled():
    assert ":focus-visible" in STYLE and "prefers-reduced-motion" in STYLE


def test_no_board_is_read_as_formulas():
    assert 'class="convene-board grid tex2jax_ignore mathjax_ignore"' in board("grid", "", "Grid")
