"""Cards below each other, one for each thing; those that stay are left alone, with what is typed in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as w

from support.boards.style import LINE, STYLE

MOST = 20
"""Cards that are shown at once; the others follow when these are settled."""


class Cards:
    """Cards by keys.

    Parameters
    ----------
    make : callable
        Makes the card of a thing.
    """

    def __init__(self, make: Callable[[Any], w.Widget]) -> None:
        self.make, self.view, self.shown = make, w.VBox(), dict[str, w.Widget]()
        self.more = w.HTML()

    def show(self, things: Mapping[str, Any]) -> None:
        """Have a card for each of these, in their order, and no other."""
        wanted = list(things)[:MOST]
        if wanted == list(self.shown) and not self.more.value:
            return
        self.shown = {key: self.shown.get(key) or self._made(things[key]) for key in wanted}
        left = len(things) - len(wanted)
        self.more.value = boarded(f"<p>{left} more follow when these are settled.</p>") if left else ""
        self.view.children = (*self.shown.values(), self.more)

    def _made(self, thing: Any) -> w.Widget:
        card = self.make(thing)
        card.layout.border, card.layout.padding, card.layout.margin = f"1px solid {LINE}", "4px 10px 6px", "3px 0"
        return card


def boarded(markup: str) -> str:
    """Markup in the look of the boards, in which no page looks for formulas."""
    return f'{STYLE}<div class="convene-board post tex2jax_ignore mathjax_ignore">{markup}</div>' if markup else ""
