"""Small pieces of the dashboard's pages: labels above controls, words beside them, buttons that ask twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import ipywidgets as w

from support.boards.style import LINE, QUIET_INK, TONES
from support.draw import COLOURS
from support.widgets.dashboard.frame import DARK
from support.widgets.organizing.fields import row, wide

AMISS = TONES["amiss"]
SURE = {"button_color": "#a83c00", "text_color": "#ffffff", "font_weight": "600"}
STYLE = f"""<style>
.convene-over.jupyter-widgets, .convene-over.widget-inline-hbox {{ display: flex; flex-direction: column; height: auto;
  align-items: stretch; }}
.convene-over.jupyter-widgets > .widget-label {{ width: auto !important; max-width: none; text-align: left;
  justify-content: flex-start; line-height: 1.5; height: auto; font-weight: 600; flex: 0 0 auto; }}
.convene-over > input, .convene-over > select, .convene-over > textarea {{ flex: 0 0 auto; box-sizing: border-box; }}
.convene-over.widget-dropdown > select {{ height: 28px; }}
.convene-page, .convene-page .widget-tab-contents, .convene-page .widget-tab-contents > * {{ overflow: visible; }}
.convene-page .widget-box, .convene-page .widget-gridbox {{ overflow: visible; }}
.convene-page .jupyter-widget-Collapse-header {{ padding: 3px 10px; background: #f7fafb; color: {DARK};
  font-size: 14px; }}
.convene-page .jupyter-widget-Collapse-contents {{ padding: 4px 10px 8px; overflow: visible; }}
.convene-ticks .widget-checkbox {{ height: auto; margin: 0; }}
.convene-ticks label {{ display: flex; gap: 8px; align-items: flex-start; white-space: normal; line-height: 1.35;
  overflow-wrap: anywhere; padding: 2px 0; }}
.convene-over input:focus-visible, .convene-over select:focus-visible, .convene-over textarea:focus-visible,
.convene-page button:focus-visible {{ outline: 3px solid {COLOURS[0]}; outline-offset: 1px; }}
.convene-page .convene-hint, .convene-hint {{ font: 13px/1.4 system-ui, sans-serif; color: {QUIET_INK};
  overflow-wrap: anywhere; max-width: 62rem; }}
.convene-beside {{ font: 13px/1.35 system-ui, sans-serif; color: {AMISS.text}; overflow-wrap: anywhere;
  white-space: pre-wrap; display: block; }}
.convene-summary {{ font: 13px/1.4 system-ui, sans-serif; color: {AMISS.text}; background: {AMISS.ground};
  border: 1px solid {AMISS.line}; border-left-width: 5px; border-radius: 4px; padding: .3rem .6rem;
  overflow-wrap: anywhere; max-height: 6rem; overflow-y: auto; }}
.convene-summary ul {{ margin: .1rem 0 0; padding-left: 1.2rem; }}
.convene-page h2 {{ font: 650 16px/1.3 system-ui, sans-serif; margin: 0; color: {DARK}; }}
.convene-page h3 {{ font: 650 14px/1.3 system-ui, sans-serif; margin: .45rem 0 .1rem; color: {DARK}; }}
.convene-footer {{ position: sticky; bottom: 0; background: #fff; border-top: 1px solid {LINE}; z-index: 3; }}
:is(.jp-OutputArea, .jp-OutputArea-child, .jp-OutputArea-output, .widget-box):has(.convene-footer)
  {{ overflow: visible; }}
</style>"""
"""The look of forms; each page carries it along. A footer that stays in sight needs that no box around it scrolls."""


def page(title: str, *children: w.Widget) -> w.VBox:
    """A page below its heading; no formulas are read in it."""
    head = w.HTML(f"{STYLE}<h2>{escape(title)}</h2>")
    view = w.VBox([head, *children], layout=w.Layout(max_width="84rem", width="100%"))
    for name in ("convene-page", "page", "tex2jax_ignore", "mathjax_ignore"):
        view.add_class(name)
    return view


def heading(text: str) -> w.HTML:
    """A heading within a page."""
    return w.HTML(f"<h3>{escape(text)}</h3>")


def hint(text: str) -> w.HTML:
    """Words of ours that help; they are escaped like all others."""
    return w.HTML(hinted(text))


def hinted(text: str) -> str:
    """The same as HTML."""
    return f'<div class="convene-hint">{escape(text)}</div>'


def over(control: Any, width: str = "100%") -> Any:
    """A control with its label above it."""
    control.add_class("convene-over")
    control.layout.width, control.layout.margin = width, "1px 0"
    return control


def grid(*children: w.Widget, narrow: str = "13rem") -> w.GridBox:
    """Widgets in as many columns as there is room for."""
    columns = f"repeat(auto-fit, minmax({narrow}, 1fr))"
    layout = w.Layout(grid_template_columns=columns, grid_gap="2px 14px", width="100%", align_items="flex-start")
    return w.GridBox(list(children), layout=layout)


def beside(text: str) -> str:
    """What does not fit, as HTML to stand beside its field."""
    return f'<span class="convene-beside"><span aria-hidden="true">▲ </span>{escape(text)}</span>' if text else ""


def summary(head: str, faults: list[str]) -> str:
    """What is missing or wrong on a page, as HTML that screen readers read at once; nothing where all is well."""
    if not faults:
        return ""
    lines = "".join(f"<li>{'; '.join(map(escape, fault.splitlines()))}</li>" for fault in faults)
    return f'<div role="alert" class="convene-summary"><b>{escape(head)}</b><ul>{lines}</ul></div>'


class Field:
    """A control with its label above, and below it words on what does not fit.

    Attributes
    ----------
    control : Widget
        With a `description` and a `value`.
    view : Widget
        As wide as `width` says.
    """

    def __init__(self, control: Any, width: str = "auto") -> None:
        self.control, self.trouble = over(control), w.HTML(layout=w.Layout(display="none", margin="0 2px"))
        self.view = w.VBox([control, self.trouble], layout=w.Layout(width=width))

    @property
    def label(self) -> str:
        """What the control is called."""
        return str(self.control.description)

    def say(self, text: str) -> None:
        """Show what does not fit; "" for nothing."""
        self.trouble.value, self.trouble.layout.display = beside(text), "" if text else "none"


def tell(fields: Mapping[str, Field], faults: Mapping[str, str], shown: bool) -> list[str]:
    """Say beside each field what does not fit, if that is to be shown; all of it, with the fields' labels."""
    for name, field in fields.items():
        field.say(faults.get(name, "") if shown else "")
    return [f"{fields[name].label if name in fields else name}: {text}" for name, text in faults.items()]


class Twice:
    """A button whose first press asks, and whose second one, on another button, does it.

    Parameters
    ----------
    words : str
        What the button says.
    sure : callable
        Gives what the second one says; "" where there is nothing to be done, and nothing is asked.
    act : callable
    """

    def __init__(self, words: str, sure: Callable[[], str], act: Callable[[], Any]) -> None:
        self.first, self.no, self.yes = wide(words), wide("No, leave it"), wide("Yes", style=SURE)
        self.sure, self.act = sure, act
        self.view = row(self.first, self.no, self.yes)
        self.first.on_click(lambda _: self.ask())
        self.no.on_click(lambda _: self.rest())
        self.rest()

    def ask(self) -> None:
        """Ask whether it is meant."""
        self.yes.description = self.sure()
        shown = "" if self.yes.description else "none"
        self.no.layout.display, self.yes.layout.display = shown, shown

    def rest(self) -> None:
        """Take the question back."""
        self.no.layout.display, self.yes.layout.display = "none", "none"


def there(widget: w.Widget, shown: bool) -> None:
    """Show a widget, or hide it; what it holds stays."""
    widget.layout.display = "" if shown else "none"
