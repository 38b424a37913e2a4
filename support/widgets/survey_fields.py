"""The fields of a survey's form, one for each kind of item, and the scenario as a page shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets as w

from support.survey.instruments import Choice, Instrument, Item, Section

STYLE = """<style>
.convene-survey { max-width: 46rem; }
.convene-survey .convene-item { margin: 0.4rem 0 0.8rem 0; padding: 0 2px 0 0.6rem;
  border-left: 4px solid transparent; }
.convene-survey .convene-missing { border-left-color: #8a3b00; }
.convene-survey .convene-item .widget-label { width: auto; max-width: 44rem; white-space: normal; overflow: visible;
  text-align: left; height: auto; line-height: 1.4 !important; font-weight: bold; margin: 2px 0; }
.convene-survey .widget-html-content { line-height: 1.4; }
.convene-survey .convene-item .widget-radio, .convene-survey .convene-item .widget-textarea,
.convene-survey .convene-item .widget-text { flex-direction: column; align-items: stretch; width: auto; height: auto; }
.convene-survey .convene-item .widget-radio-box { height: auto; margin-bottom: 0; }
.convene-survey .convene-item .widget-radio-box label { height: auto; line-height: 1.6; white-space: normal; }
.convene-survey :focus-visible { outline: 2px solid #0072b2; outline-offset: 1px; }
.convene-scenario { border: 1px solid #bbb; border-radius: 6px; padding: 0.2rem 0.9rem; margin: 0.3rem 0; }
.convene-scenario ul { margin-top: 0.2rem; }
.convene-survey p, .convene-scenario p, .convene-scenario li { line-height: 1.4; }
</style>"""


@dataclass(frozen=True)
class Field:
    """One item on the page: its view, what it says now, and how to empty it."""

    view: w.Widget
    read: Callable[[], Any]
    empty: Callable[[], None]

    def mark(self, wrong: bool) -> None:
        """Show by a bar beside it that an answer is missing, or take the bar away."""
        (self.view.add_class if wrong else self.view.remove_class)("convene-missing")


def field(item: Item, wording: str) -> Field:
    """The field of an item under its wording; a star marks one that is required."""
    made = _FIELDS[item.kind](item, f"{wording} *" if item.required else wording)
    made.view.add_class("convene-item")
    return made


def _radio(item: Item, wording: str) -> Field:
    options = [(_words(item, choice), choice.value) for choice in item.choices]
    control = w.RadioButtons(options=options, value=None, description=wording, tooltip=wording)
    return _one(control, None)


def _words(item: Item, choice: Choice) -> str:
    return f"{choice.value}  {choice.label}" if item.kind == "likert5" else choice.label


def _boxes(item: Item, wording: str) -> Field:
    boxes = {
        choice.value: w.Checkbox(description=choice.label, indent=False, tooltip=f"{wording} {choice.label}")
        for choice in item.choices
    }

    def empty() -> None:
        for box in boxes.values():
            box.value = False

    title = w.HTML(f"<b>{escape(wording)}</b>")
    return Field(w.VBox([title, *boxes.values()]), lambda: [v for v, box in boxes.items() if box.value], empty)


def _text(item: Item, wording: str) -> Field:
    return _one(w.Textarea(description=wording, rows=3), "")


def _number(item: Item, wording: str) -> Field:
    placeholder = f"{item.low:g} to {item.high:g} {item.unit}"
    return _one(w.Text(description=f"{wording} ({item.unit})", placeholder=placeholder), "")


def _one(control: Any, nothing: Any) -> Field:
    def empty() -> None:
        control.value = nothing

    return Field(w.VBox([control]), lambda: control.value, empty)


_FIELDS: dict[str, Callable[[Item, str], Field]] = {
    "likert5": _radio,
    "choice": _radio,
    "multiple": _boxes,
    "text": _text,
    "number": _number,
}


def shown(instrument: Instrument, section: Section, group: str) -> str:
    """What a page shows of the scenario, as HTML: the invitation, wishes, and options with their reasons."""
    scenario = instrument.scenario
    if scenario is None:
        return ""
    parts = []
    if "invitation" in section.shows:
        text = escape(scenario.invitation).replace("\n\n", "</p><p>")
        parts.append(f"<h4>The invitation</h4><p>{text}</p>")
    if "own wishes" in section.shows:
        parts.append(_wishes("What you asked for", scenario.member(group).wishes))
    if "all wishes" in section.shows:
        for member in scenario.members:
            you = " (you)" if member.group == group else ""
            parts.append(_wishes(f"What {member.name}{you} asked for", member.wishes))
    if "options" in section.shows:
        names = {member.group: member.name for member in scenario.members}
        for number, option in enumerate(scenario.options, 1):
            suits = ", ".join(names[other] for other in option.satisfies)
            title = f"Option {number}: {option.decision}"
            parts.append(_wishes(title, [reason.text for reason in option.reasons], f"Said to suit: {suits}. Because:"))
    return "".join(f'<div class="convene-scenario">{part}</div>' for part in parts)


def _wishes(title: str, lines: Any, before: str = "") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h4>{escape(title)}</h4>{f'<p>{escape(before)}</p>' if before else ''}<ul>{items}</ul>"
