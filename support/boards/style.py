"""The look of the boards: tones (colours of text, ground and line) and one sheet of rules for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from support.draw import COLOURS

INK, QUIET_INK, LINE, GROUND = "#1b1b1b", "#595959", "#c9c9c9", "#ffffff"


@dataclass(frozen=True, slots=True)
class Tone:
    """Colours of one thing that is said: of its text, of the ground below, of the line around it, as "#rrggbb"."""

    text: str
    ground: str
    line: str
    dashed: bool = False


TONES = {
    "sure": Tone("#ffffff", COLOURS[0], COLOURS[0]),
    "given": Tone("#003a5c", "#cfe5f3", COLOURS[0]),
    "tentative": Tone("#003a5c", "#e8f4fc", COLOURS[5]),
    "vague": Tone("#5a3b00", "#fff4dc", COLOURS[1], dashed=True),
    "good": Tone("#004d37", "#dff3ec", COLOURS[2]),
    "flag": Tone("#5c1f47", "#f9ebf3", COLOURS[3]),
    "amiss": Tone("#6b2800", "#fdebe0", COLOURS[4]),
    "quiet": Tone(QUIET_INK, "#f6f6f6", LINE),
}
"""What a tone stands for: settled, settled but not confirmed, likely, unclear, done, asked, wrong, nothing."""


def _tones() -> str:
    """A class for each tone, for chips, cells and whatever else takes one."""
    return "\n".join(
        f".convene-board .{name} {{ color: {tone.text}; background-color: {tone.ground}; "
        f"border: 1px {'dashed' if tone.dashed else 'solid'} {tone.line}; }}"
        for name, tone in TONES.items()
    )


BASE = f"""
.convene-board {{ font: 13px/1.4 system-ui, sans-serif; color: {INK}; background: {GROUND}; max-width: 76rem;
  overflow-wrap: anywhere; text-align: left; container-type: inline-size; }}
.convene-board h3 {{ font-size: 1.05em; margin: .6em 0 .25em; color: {INK}; }}
.convene-board p {{ margin: .25em 0; }}
.convene-board ul {{ list-style: none; margin: .25em 0; padding: 0; }}
.convene-board .small {{ font-size: .88em; color: {QUIET_INK}; }}
.convene-board .sr {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }}
.convene-board summary {{ cursor: pointer; overflow-wrap: anywhere; border-radius: 3px; }}
.convene-board summary:hover {{ background: #eef5fa; }}
.convene-board summary:focus-visible, .convene-board a:focus-visible, .convene-board [tabindex]:focus-visible
  {{ outline: 3px solid {COLOURS[0]}; outline-offset: 1px; }}
.convene-board .text {{ white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60rem; }}
.convene-board .scroll {{ position: relative; overflow-x: auto; max-width: 100%; container-type: inline-size; }}
.convene-board .fit {{ position: sticky; left: 0; max-width: 100cqw; box-sizing: border-box; }}
"""

CHIPS = """
.convene-board .chip { display: inline-block; border-radius: .8em; padding: 0 .55em; margin: .1em .15em .1em 0;
  font-size: .92em; max-width: 100%; box-sizing: border-box; vertical-align: baseline; }
.convene-board .legend { display: flex; flex-wrap: wrap; gap: .1em .8em; margin: .35em 0; font-size: .88em;
  color: #595959; }
.convene-board .legend b { display: inline-block; min-width: 1.45em; text-align: center; border-radius: 3px;
  margin-right: .35em; font-weight: 600; }
"""

TABLES = f"""
.convene-board table {{ border-collapse: separate; border-spacing: 0; font-size: 1em; margin: 0; color: {INK};
  background: {GROUND}; table-layout: auto; }}
.convene-board caption {{ text-align: left; font-weight: 600; padding-bottom: .2em; color: {INK}; }}
.convene-board .scroll caption {{ position: sticky; left: 0; box-sizing: border-box; max-width: 100cqi; }}
.convene-board tr, .convene-board tbody tr:nth-child(odd), .convene-board tbody tr:hover {{ background: none; }}
.convene-board th, .convene-board td {{ padding: .15em .3em; text-align: center; vertical-align: middle;
  font-weight: 400; max-width: none; }}
.convene-board thead th {{ font-weight: 600; border-bottom: 1px solid {LINE}; vertical-align: bottom;
  line-height: 1.25; white-space: nowrap; }}
.convene-board thead th.stuck {{ text-align: left; padding-left: 0; }}
.convene-board tbody th {{ text-align: left; }}
.convene-board .stuck {{ position: sticky; left: 0; background: {GROUND}; z-index: 1; }}
.convene-board.grid tbody th, .convene-board.grid tbody td {{ border-bottom: 1px solid #ececec; }}
.convene-board.grid tbody th {{ min-width: 10.5em; max-width: 24em; line-height: 1.25; padding: .25em .5em .25em 0; }}
.convene-board.grid .many tbody th {{ min-width: 11.2em; max-width: 13em; padding-right: .2em; }}
.convene-board.grid .many td, .convene-board.grid .many thead th {{ padding-left: 1px; padding-right: 1px; }}
.convene-board.grid .many thead .cell {{ padding: 0; font-size: .8em; }}
.convene-board .cell {{ display: block; border-radius: 4px; min-width: 1.5em; padding: .12em .4em; font-size: .92em;
  white-space: nowrap; }}
.convene-board .cell.none {{ color: {QUIET_INK}; }}
@container (max-width: 30rem) {{ .convene-board.grid td .word {{ display: none; }} }}
.convene-board .bar {{ display: flex; gap: 2px; height: 1.15em; margin: .3em 0 .5em; max-width: 34rem; }}
.convene-board .bar > span {{ flex: 1 1 0; border-radius: 3px; min-width: 2px; text-align: center; font-size: .8em;
  line-height: 1.35; overflow: hidden; box-sizing: border-box; }}
"""

MONTHS = f"""
.convene-board .months {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(12.2rem, 1fr));
  gap: .6rem 1rem; max-width: 66rem; margin: .3em 0; align-items: start; }}
.convene-board .month th, .convene-board .month td {{ width: 14.28%; padding: 1px; vertical-align: top; }}
.convene-board table.month {{ table-layout: fixed; width: 100%; }}
.convene-board .month thead th {{ color: {QUIET_INK}; font-weight: 400; font-size: .85em; border: 0; }}
.convene-board .month .d {{ display: block; border: 1px solid transparent; border-radius: 4px; min-height: 1.35em;
  line-height: 1.35; padding: 0 1px; }}
.convene-board .month .mark {{ display: block; font-size: .74em; line-height: 1.1; white-space: nowrap; }}
.convene-board .month .past {{ color: {QUIET_INK}; }}
.convene-board .month .today {{ outline: 2px solid {INK}; font-weight: 700; }}
.convene-board .month .due {{ border: 2px solid {COLOURS[4]}; border-style: double; }}
.convene-board .next li {{ display: grid; grid-template-columns: 10.4em minmax(0, 1fr); max-width: 44rem;
  gap: .4em; padding: .15em 0; border-top: 1px solid #ececec; }}
"""

LETTERS = f"""
.convene-board details.mail {{ margin: .1em 0; }}
.convene-board details.mail .text, .convene-board .letter {{ border-left: 3px solid {COLOURS[5]}; background: #f3f8fc;
  padding: .25em .6em; margin: .15em 0 .35em .8em; color: {INK}; font-size: 13px; }}
.convene-board details.in .text {{ border-left-color: {COLOURS[1]}; background: #fdf8ee; }}
.convene-board.matrix tbody th {{ min-width: 8em; max-width: 12em; line-height: 1.2; padding: .35em .4em 0 0;
  border-top: 1px solid {LINE}; }}
.convene-board.matrix tbody td {{ padding: .3em 1px 0; border-top: 1px solid {LINE}; }}
.convene-board.matrix tbody td.thread {{ border-top: 0; text-align: left; padding: 0 0 .3em; }}
.convene-board.matrix thead th {{ font-size: .88em; line-height: 1.15; padding: 0 1px .2em; min-width: 1.75em; }}
.convene-board .go {{ display: inline-block; min-width: 1.5em; border-radius: 4px; padding: 0 .15em; margin: 0 0 1px;
  font-size: .92em; white-space: nowrap; box-sizing: border-box; }}
.convene-board .gap {{ font-weight: 600; color: {TONES["amiss"].text}; }}
"""

CHAT = f"""
.convene-board details.day {{ border: 1px solid {LINE}; border-radius: 6px; margin: .4em 0; background: {GROUND}; }}
.convene-board details.day > summary {{ padding: .3em .6em; background: #f6f6f6; border-radius: 6px; }}
.convene-board details.day > summary:hover {{ background: #eef5fa; }}
.convene-board details.running {{ border: 2px solid {COLOURS[0]}; }}
.convene-board .turns {{ padding: .2em .6em .6em; }}
.convene-board .turn {{ margin: .5em 0; max-width: 50rem; }}
.convene-board .turn > .who {{ font-size: .85em; font-weight: 600; color: {QUIET_INK}; margin: 0 0 .1em; }}
.convene-board .bubble {{ border-radius: 6px; padding: .3em .65em; border: 1px solid {LINE}; background: #f8f8f8; }}
.convene-board details.applied {{ display: inline-block; max-width: 100%; margin-right: .5em; }}
.convene-board details.applied[open] {{ display: block; }}
.convene-board .desk {{ margin-left: 2.2em; }}
.convene-board .desk > .bubble {{ background: #e8f4fc; border-color: {COLOURS[5]}; color: {INK}; }}
.convene-board .turn.flag, .convene-board .turn.amiss {{ border-width: 0 0 0 4px; padding: .25em .65em;
  border-radius: 0 6px 6px 0; }}
.convene-board .turn.amiss {{ border-left-style: double; }}
.convene-board .act {{ padding: .15em 0; }}
.convene-board .act + .act {{ border-top: 1px solid #e6e6e6; }}
.convene-board .gone {{ text-decoration: line-through; }}
.convene-board .evening > .bubble {{ border-left: 5px solid {COLOURS[2]}; background: #eef8f4; font-weight: 600; }}
.convene-board dl {{ display: grid; grid-template-columns: 4.2em minmax(0, 1fr); gap: .1em .5em; margin: .15em 0; }}
.convene-board dt {{ color: {QUIET_INK}; }}
.convene-board dd {{ margin: 0; min-width: 0; }}
"""

PANELS = f"""
.convene-board .policy {{ border: 1px solid {LINE}; border-left-width: 5px; border-radius: 4px; padding: .3em .55em;
  margin: .3em 0; color: {INK}; background: {GROUND}; }}
.convene-board .policy.applies {{ border-color: {COLOURS[0]}; background: #e8f4fc; }}
.convene-board.post table {{ width: 100%; table-layout: fixed; }}
.convene-board.post th, .convene-board.post td {{ text-align: left; vertical-align: top; padding: .3em .35em;
  border-bottom: 1px solid #e2e2e2; }}
.convene-board.post .narrow {{ width: 10em; }}
.convene-board.post .why {{ border-width: 0 0 0 4px; padding: .15em .6em; margin: 0 0 .3em; }}
"""

CALM = """
@media (prefers-reduced-motion: reduce) { .convene-board * { transition: none !important; animation: none !important;
  scroll-behavior: auto !important; } }
"""

STYLE = f"<style>{BASE}{CHIPS}{TABLES}{MONTHS}{LETTERS}{CHAT}{PANELS}{_tones()}{CALM}</style>"
"""The sheet; every board carries it along, so that each stands by itself as well."""
