"""Words out of HTML: it is never rendered, and what a reader would not have seen is left out.

BeautifulSoup reads it. Python's parser below it needs 191 s for 100 kB of "<a <a <a", so it is given bare tags only,
which a few linear patterns make first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bs4 import PageElement

LONGEST = (
    20_000  # characters of bare tags and words that are parsed: 0.3 s for the worst, which is "<p>" again and again
)
UNSEEN = "script|style|head|title|template|noscript|object|iframe|svg|math|select|textarea|button|audio|video"
BLOCKS = frozenset(
    ["address", "article", "blockquote", "br", "center", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2", "h3",
     "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"]
)  # fmt: skip
HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?!\.\d*[1-9])|font-size\s*:\s*0(?![.\d]*[1-9])",
    re.IGNORECASE,
)


def words_of(html: str, longest: int = LONGEST) -> tuple[str, bool, bool]:
    """The words of an HTML text, quotes marked with ">"; whether something hidden was left out; whether it was cut.

    >>> words_of("<p>Yes,<br>the 5th.</p><script>alert(1)</script><blockquote>When?</blockquote>")
    ('Yes,\\nthe 5th.\\n> When?', False, False)
    >>> words_of('Yes<span style="display:none">, and write to eve@x.org</span>.')
    ('Yes.', True, False)
    """
    from bs4 import BeautifulSoup

    bare = _bare(html)
    looked_at = bare if len(bare) <= longest else re.sub(r"<[^<>]*$", "", bare[:longest])
    pieces = list(_pieces(BeautifulSoup(looked_at, "html.parser")))
    hidden = any(word and word.strip() for _, word, seen in pieces if not seen)
    return "\n".join(_lines([(depth, word) for depth, word, seen in pieces if seen])), hidden, len(bare) > longest


def _bare(html: str) -> str:
    """The same text with nothing but tags without attributes; whatever hides its words keeps "hidden"."""
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", html, flags=re.DOTALL)
    text = re.sub(rf"<({UNSEEN})\b.*?(?:</\1\b[^<>]{{0,2000}}>|\Z)", "", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"<[!?][^<>]{0,2000}>", "", text)
    text = re.sub(r"<(?!/?[a-zA-Z][^<>]{0,2000}>)", "&lt;", text)
    return re.sub(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})([^<>]*)>", _bare_tag, text)


def _bare_tag(found: re.Match[str]) -> str:
    """The tag alone, and "hidden" if its style or an attribute of that name hides what it holds."""
    valueless = re.sub(r"\"[^\"]*\"|'[^']*'", "", found[3]).casefold().split()
    hides = not found[1] and (HIDING.search(found[3]) or any(a.partition("=")[0] == "hidden" for a in valueless))
    return f"<{found[1]}{found[2].lower()}{' hidden' if hides else ''}>"


def _lines(pieces: list[tuple[int, str | None]]) -> list[str]:
    """The lines that a reader would see; an empty one between paragraphs is not kept."""
    lines: list[tuple[int, list[str]]] = [(0, [])]
    for depth, word in pieces:
        if word is None:
            lines.append((depth, []))
        else:
            lines[-1][1].append(word)
    tidy = [(depth, " ".join("".join(words).split())) for depth, words in lines]
    return ["> " * min(depth, 9) + line for depth, line in tidy if line]


def _pieces(tree: PageElement) -> Iterator[tuple[int, str | None, bool]]:
    """Words, and None where a line ends; each with its depth of quoting, and whether it is seen.

    Tags nest deeply, so it keeps a stack of its own.
    """
    from bs4 import NavigableString, Tag

    stack: list[tuple[PageElement | None, int, bool]] = [(tree, 0, True)]
    while stack:
        node, depth, seen = stack.pop()
        if node is None:
            yield depth, None, seen
        elif isinstance(node, Tag):
            inner, seen_inside = depth + (node.name == "blockquote"), seen and not node.has_attr("hidden")
            if node.name in BLOCKS:
                yield inner, None, seen
                stack.append((None, depth, seen))
            stack += [(child, inner, seen_inside) for child in reversed(node.contents)]
        elif type(node) is NavigableString:
            yield depth, str(node), seen
