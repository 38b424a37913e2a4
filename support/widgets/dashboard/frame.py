"""The frame of the dashboard: its sheet of rules, the bar on top, and small pieces that its pages share."""

from __future__ import annotations

from html import escape

import ipywidgets as w

from support.boards.pieces import said
from support.draw import COLOURS
from support.mail.characters import shown_text
from support.seminars.setup import DRY_RUN, LIVE, MODES, REHEARSAL

INK, DARK, LINE, QUIET = "#1b1b1b", "#12344d", "#c9c9c9", "#595959"
BADGES = {REHEARSAL: ("#12344d", "#cfe5f3", "▷"), DRY_RUN: ("#3d2800", "#ffd27a", "◇"), LIVE: ("#fff", "#a83c00", "●")}
"""Of each mode the colours of text and ground, and a sign; the word stands beside them."""

PAGE = f"""
.convene-dash {{ container-type: inline-size; color: {INK}; background: #fff; font: 14px/1.45 system-ui, sans-serif; }}
.convene-dash .widget-html, .convene-dash .widget-html-content {{ margin: 0; line-height: 1.45; }}
.convene-dash h2 {{ font-size: 15px; margin: 0; color: {DARK}; font-weight: 650; }}
.convene-dash .jupyter-button {{ border-radius: 4px; }}
.convene-dash .jupyter-button.mod-info {{ background: {COLOURS[0]}; color: #fff; }}
.convene-dash .jupyter-button.mod-warning {{ background: #a83c00; color: #fff; }}
.convene-dash :is(button, input, textarea, select, summary, a, [role="tab"]):focus-visible
  {{ outline: 3px solid {COLOURS[0]} !important; outline-offset: 1px; }}
.convene-dash .faint {{ color: {QUIET}; }}
.convene-dash a {{ color: {COLOURS[0]}; text-decoration: underline; }}
.convene-dash .convene-board :is(dl, dt, dd) {{ float: none; width: auto; padding: 0; }}
.convene-dash .page {{ padding: 10px 14px; overflow: visible; }}
.convene-dash :is(button, input, textarea, select) {{ font-family: inherit; }}
.convene-dash .widget-textarea textarea {{ font-size: 13.5px; line-height: 1.4; }}
body[data-voila] :is(.lm-BoxPanel-child, .jp-Cell, .jp-Cell-outputWrapper):has(.convene-dash)
  {{ padding: 0 !important; }}
"""

BAR = f"""
.convene-dash .convene-bar {{ background: {DARK}; align-items: center; padding: 6px 14px; gap: 8px; min-height: 46px; }}
.convene-dash .convene-bar.live {{ border-bottom: 5px solid #d55e00; }}
.convene-dash .convene-head {{ display: flex; align-items: center; gap: 2px 14px; color: #fff; }}
.convene-dash .convene-head h1 {{ font-size: 19px; margin: 0; font-weight: 700; letter-spacing: .01em; color: #fff; }}
.convene-dash .convene-head .title {{ font-size: 15px; font-weight: 600; flex: 0 1 auto; min-width: 5em;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; border-left: 1px solid #7d97a8; padding-left: 14px; }}
.convene-dash .convene-head .badge {{ border-radius: 4px; padding: 1px 9px; font-weight: 700; font-size: 12.5px;
  letter-spacing: .04em; white-space: nowrap; }}
.convene-dash .convene-head .fact {{ font-size: 13px; color: #e3edf3; white-space: nowrap; }}
.convene-dash .convene-bar .widget-label {{ color: #fff; }}
"""

TABS = f"""
.convene-dash .jupyter-widget-tab > .widget-tab-contents {{ border: 0; padding: 0; overflow: visible; }}
.convene-dash .jupyter-widget-tab > .lm-TabBar {{ background: #eef3f6; border-bottom: 1px solid {LINE};
  padding: 4px 8px 0; overflow: auto hidden; }}
.convene-dash .jupyter-widget-tab > .lm-TabBar .lm-TabBar-tab {{ flex: 0 0 auto; min-width: 0; padding: 2px 14px 5px;
  border: 1px solid transparent; border-radius: 5px 5px 0 0; background: none; color: {DARK}; font-size: 14px;
  line-height: 24px; max-height: 34px; transform: none; margin: 0; }}
.convene-dash .jupyter-widget-tab > .lm-TabBar .lm-TabBar-tab.lm-mod-current {{ background: #fff; font-weight: 650;
  border-color: {LINE}; border-bottom-color: #fff; }}
.convene-dash .jupyter-widget-tab > .lm-TabBar .lm-TabBar-tab.lm-mod-current::before {{ background: {COLOURS[0]}; }}
"""

DESK = f"""
.convene-dash .convene-days {{ align-items: center; gap: 4px 10px; padding: 6px 14px; border-bottom: 1px solid {LINE};
  background: #f7fafb; flex-flow: row wrap; overflow: visible; min-height: 45px; }}
.convene-dash .convene-days .status {{ font-size: 14px; overflow-wrap: anywhere; }}
.convene-dash .convene-desk {{ display: grid; grid-template-columns: 16.5rem minmax(0, 1fr) 25.5rem;
  height: max(31rem, calc(100vh - 150px)); align-items: stretch; overflow: visible; }}
.convene-dash .convene-desk.wide {{ grid-template-columns: minmax(0, 1fr) minmax(0, 1.25fr); }}
.convene-dash .convene-desk.wide > .left {{ display: none; }}
.convene-dash .convene-desk > * {{ min-width: 0; min-height: 0; margin: 0; width: auto; }}
.convene-dash .convene-desk > .left, .convene-dash .convene-desk > .right {{ overflow: hidden auto;
  padding: 8px 12px 14px; display: flex; flex-direction: column; flex-wrap: nowrap; }}
.convene-dash .convene-desk > .left > *, .convene-dash .convene-desk > .right > * {{ flex: 0 0 auto; }}
.convene-dash .convene-desk > .middle {{ border: 0 solid {LINE}; border-width: 0 1px; display: flex;
  flex-direction: column; overflow: hidden; }}
.convene-dash .convene-talk {{ flex: 1 1 8rem; min-height: 7rem; display: flex; flex-direction: column-reverse;
  overflow: hidden auto; padding: 4px 12px; }}
.convene-dash .convene-talk > .widget-box {{ flex: 0 0 auto; margin: auto 0 0; overflow: visible; width: auto; }}
.convene-dash .welcome {{ max-width: 36rem; margin: 0 auto 3rem; padding: 14px 20px; border: 1px solid {LINE};
  border-radius: 6px; }}
.convene-dash .convene-ask {{ flex: 0 1 auto; overflow: hidden auto; max-height: 68%; margin: 0;
  border-top: 3px solid {COLOURS[0]}; background: #f3f8fc; padding: 6px 12px 8px; }}
.convene-dash .convene-ask > * {{ flex: 0 0 auto; }}
.convene-dash .convene-ask .widget-textarea, .convene-dash .convene-ask .widget-text
  {{ max-width: 100%; margin: 2px 0; }}
.convene-dash .convene-ask > .buttons {{ position: sticky; bottom: -8px; background: inherit; padding: 2px 0;
  z-index: 1; }}
.convene-dash .convene-ask .sent-to {{ font-size: 14px; padding: 2px 0; overflow-wrap: anywhere; }}
.convene-dash .panel-head {{ width: 100%; text-align: left; background: none; font-weight: 650; color: {DARK};
  padding: 0 2px; font-size: 14px; border-bottom: 1px solid {LINE}; border-radius: 0; box-shadow: none; }}
.convene-dash .panel {{ overflow: visible; margin: 0 0 10px; }}
.convene-dash .policy-item {{ overflow: visible; margin: 0 0 2px; }}
.convene-dash .policy-item .jupyter-button, .convene-dash .convene-small {{ height: 24px; line-height: 22px;
  padding: 0 7px; font-size: 12.5px; background: none; color: {DARK}; border: 1px solid #9fb3c0; }}
@container (max-width: 1000px) {{
  .convene-dash .convene-head {{ flex-wrap: wrap; }}
  .convene-dash .convene-desk, .convene-dash .convene-desk.wide {{ display: flex;
    flex-direction: column; height: auto; }}
  .convene-dash .convene-desk.wide > .left {{ display: flex; }}
  .convene-dash .convene-desk > .middle {{ order: -1; border-width: 0 0 1px; }}
  .convene-dash .convene-desk > .middle, .convene-dash .convene-ask {{ max-height: none; }}
  .convene-dash .convene-talk {{ max-height: 24rem; flex: 0 0 auto; }}
}}
"""

STYLE = f"<style>{PAGE}{BAR}{TABS}{DESK}</style>"
"""The sheet of the dashboard; the boards bring their own."""


def plain(markup: str) -> str:
    """Markup in which no page looks for formulas."""
    return f'<div class="tex2jax_ignore mathjax_ignore">{markup}</div>'


def status(markup: str) -> str:
    """Words on how it stands, as markup, which screen readers read when they change."""
    return plain(f'<div class="status convene-status" role="status" aria-live="polite">{markup}</div>')


def boxed(look: str, *children: w.Widget) -> w.VBox:
    """Widgets below each other, with classes of the sheet."""
    made = w.VBox(list(children))
    for name in look.split():
        made.add_class(name)
    return made


def badge(mode: str) -> str:
    """The mode of a seminar in words and colour.

    >>> "DRY RUN" in badge("dry run")
    True
    """
    ink, ground, sign = BADGES[mode]
    look = f"color:{ink};background:{ground}"
    return f'<span class="badge" style="{look}" title="{escape(MODES[mode])}">{sign} {mode.upper()}</span>'


def head(title: str = "", mode: str = "", facts: tuple[str, ...] = ()) -> str:
    """The bar on top: the name, whose seminar, its mode, and how far it is; `facts` are texts."""
    parts = ["<h1>Convene</h1>"]
    if title:
        parts += [f'<span class="title" title="{escape(shown_text(title))}">{said(title)}</span>', badge(mode)]
    parts += [f'<span class="fact">{escape(fact)}</span>' for fact in facts]
    return plain(f'<div class="convene-head">{"".join(parts)}</div>')
