"""Words out of HTML: it is never rendered, and what a reader would not have seen is left out.

BeautifulSoup reads it, tinycss2 its styles, and soupsieve finds what they are for. Python's parser below needs 191 s
for 100 kB of "<a <a <a", so it is given tags with the few attributes that matter, which linear patterns make first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import PageElement, Tag

LONGEST = 20_000  # characters that are parsed: 0.3 s for the worst, which is "<p>" again and again
STYLES = 10_000  # characters of style sheets that are read
RULES = 40  # of their rules
WORK = 200_000  # tags times parts of a selector that are compared: a second
SELECTOR = re.compile(
    r"[\w\s.#>+~*,\[\]=\"'-]{1,100}"
)  # no pseudo-classes: some take long, and none hides words
VALUE = 500  # characters of an attribute
UNSEEN = "script|style|head|title|template|noscript|object|iframe|svg|math|select|textarea|button|audio|video"
UNSEEN += "|datalist|dialog|noframes|noembed|canvas|meter|progress"
BLOCKS = frozenset(
    ["address", "article", "blockquote", "br", "center", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2", "h3",
     "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"]
)  # fmt: skip
KEPT = ("class", "id", "style", "color", "bgcolor")
ATTRIBUTE = re.compile(
    r"""([a-zA-Z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
)
PIXELS = {
    "px": 1,
    "pt": 4 / 3,
    "em": 16,
    "rem": 16,
    "ex": 8,
    "ch": 8,
    "vw": 12,
    "vh": 8,
    "cm": 38,
    "mm": 3.8,
    "in": 96,
}
SMALL = 2.0  # pixels of letters that nobody reads
AWAY = 500.0  # pixels beside the page
FAINT = 0.1  # how much may be seen of a thing that is not seen
NEAR = 0.06  # how little a colour may differ from what is behind it, of 1
SHORT = {"margin": ("margin-top", "margin-right", "margin-bottom", "margin-left"),
         "inset": ("top", "right", "bottom", "left")}  # fmt: skip
BLACK, GREY, WHITE = (0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)


def words_of(html: str, longest: int = LONGEST) -> tuple[str, bool, bool]:
    """The words of an HTML text, quotes marked with ">"; whether something hidden was left out; whether it was cut.

    >>> words_of("<p>Yes,<br>the 5th.</p><script>alert(1)</script><blockquote>When?</blockquote>")
    ('Yes,\\nthe 5th.\\n> When?', False, False)
    >>> words_of("<style>.x {color: #fefefe}</style>Yes<b class=x>, all of you</b>.")
    ('Yes.', True, False)
    """
    from bs4 import BeautifulSoup

    bare = _bare(html)
    looked_at = (
        bare if len(bare) <= longest else re.sub(r"<[^<>]*$", "", bare[:longest])
    )
    tree = BeautifulSoup(looked_at, "html.parser")
    lines, hidden = [(0, "")], False
    for depth, word, seen in _pieces(tree, _styled(tree, html)):
        if not seen:
            hidden = hidden or bool(word and word.strip())
        elif word is None:
            lines.append((depth, ""))
        else:
            lines[-1] = lines[-1][0], lines[-1][1] + word
    tidy = [(depth, " ".join(line.split())) for depth, line in lines]
    return (
        "\n".join("> " * min(depth, 9) + line for depth, line in tidy if line),
        hidden,
        len(bare) > longest,
    )


def _bare(html: str) -> str:
    """The same text with nothing but tags, and of their attributes those that tell whether their words are seen."""
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", html, flags=re.DOTALL)
    text = re.sub(
        rf"<({UNSEEN})\b.*?(?:</\1\b[^<>]{{0,2000}}>|\Z)",
        "",
        text,
        flags=re.DOTALL | re.IGNORECASE,
    )
    text = re.sub(r"<[!?][^<>]{0,2000}>", "", text)
    text = re.sub(r"<(?!/?[a-zA-Z][^<>]{0,2000}>)", "&lt;", text)
    return re.sub(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})([^<>]*)>", _bare_tag, text)


def _bare_tag(found: re.Match[str]) -> str:
    if found[1]:
        return f"</{found[2].lower()}>"
    given = {
        name.lower(): unescape(a or b or c)[:VALUE]
        for name, a, b, c in ATTRIBUTE.findall(found[3])
    }
    valueless = re.sub(r"\"[^\"]*\"|'[^']*'", "", found[3]).casefold().split()
    hides = any(a.partition("=")[0] == "hidden" for a in valueless)
    kept = "".join(
        f' {name}="{escape(given[name])}"' for name in KEPT if given.get(name)
    )
    return f"<{found[2].lower()}{' hidden' if hides else ''}{kept}>"


def _styled(tree: Tag, html: str) -> dict[int, dict[str, str]]:
    """What style sheets declare, by the identity of the tag that it is for; later rules over earlier ones."""
    import tinycss2
    from soupsieve.util import SelectorSyntaxError

    sheets = re.findall(
        r"<style\b[^<>]{0,2000}>(.*?)(?:</style\b|\Z)",
        html[: 10 * LONGEST],
        re.DOTALL | re.IGNORECASE,
    )
    rules = tinycss2.parse_stylesheet(
        "\n".join(sheets)[:STYLES], skip_comments=True, skip_whitespace=True
    )
    found: dict[int, dict[str, str]] = {}
    left, many = WORK, len(tree.find_all(True))
    for rule in list(_flat(rules))[:RULES]:
        selector, declared = (
            tinycss2.serialize(rule.prelude).strip(),
            _declared(rule.content),
        )
        left -= many * len(re.findall(r"[^\s>+~,]+", selector))
        if left <= 0 or not SELECTOR.fullmatch(selector):
            continue
        try:
            tags = tree.select(selector)
        except (SelectorSyntaxError, NotImplementedError):
            continue
        for tag in tags:
            found.setdefault(id(tag), {}).update(declared)
    return found


def _flat(rules: Any) -> Iterator[Any]:
    """The rules of a sheet, those for every screen among them."""
    import tinycss2

    for rule in rules:
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media":
            seen = tinycss2.serialize(rule.prelude).strip().lower() in (
                "",
                "all",
                "screen",
            )
            yield from (
                _flat(tinycss2.parse_rule_list(rule.content or (), True, True))
                if seen
                else ()
            )


def _declared(content: Any) -> dict[str, str]:
    """Declarations as names and values, in small letters; of text or of tinycss2's tokens."""
    import tinycss2

    made = tinycss2.parse_blocks_contents(
        content, skip_comments=True, skip_whitespace=True
    )
    return {
        one.lower_name + "!" * one.important: tinycss2.serialize(one.value)
        .strip()
        .lower()
        for one in made
        if one.type == "declaration"
    }


def _together(sheets: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The declarations that hold for a tag: what is important last; with the lengths that shorthands hide."""
    both = {**sheets, **own}
    style = {name: value for name, value in both.items() if name[-1] != "!"}
    style |= {name[:-1]: value for name, value in both.items() if name[-1] == "!"}
    if size := re.search(
        r"(?:^|\s)(\d*\.?\d+(?:[a-z]{2,3}|%)?)(?=[\s/])", style.get("font", "")
    ):
        style.setdefault("font-size", size[1])
    for short, sides in SHORT.items():
        values = style.get(short, "").split()
        style |= {
            name: values[k % max(len(values), 1)]
            for k, name in enumerate(sides)
            if values and name not in style
        }
    moved = re.search(r"translate(?:x|y|3d)?\(([^)]*)\)", style.get("transform", ""))
    for name, value in zip(
        ("left", "top"), (moved[1] if moved else "").split(","), strict=False
    ):
        if (_length(value.strip()) or 0.0) <= -AWAY:
            style |= {name: value.strip(), "position": "relative"}
    return style


def _length(value: str, percent: float = 100.0) -> float | None:
    """A length in pixels; None for what is none."""
    found = re.fullmatch(r"([+-]?\d*\.?\d+)\s*([a-z]+|%)?", value)
    pixels = PIXELS | {"%": percent, None: 1.0}
    return float(found[1]) * pixels[found[2]] if found and found[2] in pixels else None


def _out_of_sight(style: Mapping[str, str]) -> bool:
    """Whether what has this style is not seen, whatever its colours."""

    def below(bound: float, *names: str, percent: float = 100.0) -> bool:
        """Whether one of these is a length of at most so many pixels."""
        lengths = [_length(style.get(name, ""), percent) for name in names]
        return any(length is not None and length <= bound for length in lengths)

    cut = any(
        style.get(name, "visible") != "visible"
        for name in ("overflow", "overflow-x", "overflow-y")
    )
    moved = style.get("position", "static") != "static"
    clipped = style.get("clip", "") + style.get("clip-path", "")
    return bool(
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or below(FAINT, "opacity", percent=0.01)
        or below(SMALL, "font-size", percent=0.16)
        or below(
            SMALL, "height", "max-height", *(("width", "max-width") if cut else ())
        )
        or below(-AWAY, "text-indent", "margin-left", "margin-top")
        or (moved and below(-AWAY, "left", "top", "right", "bottom"))
        or re.search(
            r"rect\((\s*[01](px)?[\s,]*){4}\)|inset\((50|100)%|(circle|ellipse)\(\s*0",
            clipped,
        )
        or style.get("content-visibility") == "hidden"
        or re.search(r"opacity[(=]\s*0?(\.0\d*)?%?\s*\)", style.get("filter", ""))
        or re.search(r"scale\(\s*0(\.0\d*)?\s*[,)]", style.get("transform", ""))
    )


def _colour(value: str) -> tuple[float, float, float] | str | None:
    """Red, green and blue from 0 to 1; "nothing" where it is transparent; None where it is no colour."""
    from tinycss2.color3 import parse_color

    made = parse_color(value)
    if made is None or isinstance(made, str):
        return None
    return "nothing" if made.alpha < NEAR else (made.red, made.green, made.blue)


def _pieces(
    tree: Tag, styled: Mapping[int, dict[str, str]]
) -> Iterator[tuple[int, str | None, bool]]:
    """Words, and None where a line ends; each with its depth of quoting, and whether it is seen.

    Tags nest deeply, so it keeps a stack of its own; below a tag its colours hold, and what is behind them.
    """
    from bs4 import NavigableString, Tag

    stack: list[tuple[PageElement | None, int, bool, Any, Any]] = [
        (tree, 0, True, BLACK, WHITE)
    ]
    while stack:
        node, depth, seen, ink, paper = stack.pop()
        if node is None:
            yield depth, None, seen
        elif isinstance(node, Tag):
            style = _together(
                styled.get(id(node), {}), _declared(str(node.get("style") or ""))
            )
            written = style.get("-webkit-text-fill-color") or style.get("color")
            ink = _colour(written or str(node.get("color") or "")) or ink
            behind = (
                style.get("background-color")
                or style.get("background")
                or str(node.get("bgcolor") or "")
            )
            own = (
                next(filter(None, map(_colour, behind.split())), None)
                if "(" not in behind
                else _colour(behind)
            )
            if "url(" in behind or "gradient" in behind:
                own = GREY  # a picture: nobody knows
            paper = paper if own in (None, "nothing") else own
            inner = depth + (node.name == "blockquote")
            inside = seen and not node.has_attr("hidden") and not _out_of_sight(style)
            if node.name in BLOCKS:
                yield inner, None, seen
                stack.append((None, depth, seen, ink, paper))
            stack += [
                (child, inner, inside, ink, paper) for child in reversed(node.contents)
            ]
        elif type(node) is NavigableString:
            alike = (
                ink == "nothing"
                or max(abs(a - b) for a, b in zip(ink, paper, strict=True)) < NEAR
            )
            yield depth, str(node), seen and not alike
