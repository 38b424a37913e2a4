"""How the labels that people gave real groups translate to our acts: each step with its reason.

Two corpora, two schemes. AMI labels every segment of speech with one of fifteen acts (Carletta 2007); DeliData labels
a chat message by what it does for the deliberation (Karadzhov et al. 2023). Neither was made for our ten acts: what
follows is an argument, and `None` stands where we have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from support.analysis.dialogue_acts.acts import LABELS, OTHERS
from support.corpora import AMI_LABELS
from support.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

AMI_TO_ACTS: Mapping[str, tuple[str, str]] = {
    "inf": ("inform", "gives information: the same act, without our demand that it be new"),
    "el.inf": ("request", "asks for information"),
    "el.sug": ("request", "asks for suggestions or offers, which the speaker lacks"),
    "sug": ("propose", "suggests what the group may do or make"),
    "ass": ("evaluate", "judges what is talked about. A bare 'yeah' that agrees is in it too, not told apart"),
    "el.ass": ("confirm", "asks to judge what already lies on the table ('right?'); 'what do you think?' is in it too"),
    "el.und": ("confirm", "asks whether what was said got through"),
    "off": (OTHERS, "says what the speaker will do, mostly to run the meeting: no solution to the group's question"),
    "und": (OTHERS, "shows that something was understood, without a judgement"),
    "be.pos": (OTHERS, "thanks, jokes, praises a person"),
    "be.neg": (OTHERS, "complains, or shows ill feeling towards a person"),
    "bck": (OTHERS, "listens aloud"),
    "stl": (OTHERS, "keeps the floor while the speaker thinks"),
    "fra": (OTHERS, "was broken off"),
    "oth": (OTHERS, "fits none of AMI's own labels"),
}
"""AMI label to (our act, why)."""

AMI_ACTS = tuple(label for label in LABELS if label in {act for act, _ in AMI_TO_ACTS.values()})
"""Acts with human training data in AMI; `UNCOVERED` are those without."""

UNCOVERED: Mapping[str, str] = {
    "summarize": "AMI files a summary under inf",
    "compromise": "AMI files a middle way under sug",
    "defend": "AMI files an argument under inf or ass",
    "accept": "AMI files consent under ass, beside every other judgement",
    "decline": "AMI files refusal under ass, beside every other judgement",
}
"""Acts that an annotator trained on AMI can never give, and where AMI hides them."""

DELIDATA_TO_ACTS: Mapping[tuple[str, str], tuple[str | None, str]] = {
    ("Probing", "Moderation"): ("request", "asks the others to speak, or to come to a decision"),
    ("Probing", "Reasoning"): ("request", "asks for reasons"),
    ("Probing", "Solution"): ("request", "asks which solution; may name one in the question, which we do not count"),
    ("Non-probing-deliberation", "Solution"): ("propose", "puts a choice of cards forward, not always a new one"),
    ("Non-probing-deliberation", "Agree"): ("accept", "agrees with a participant or a solution"),
    ("Non-probing-deliberation", "Disagree"): ("decline", "disagrees with a participant or a solution"),
    ("Non-probing-deliberation", "Reasoning"): (None, "argues: inform, evaluate or defend, and the label does not say"),
    ("", ""): (OTHERS, "no part of the deliberation: greetings, hesitation, thanks"),
}
"""DeliData (annotation_type, annotation_target) to (our act or none, why)."""

SUMMARY = "solution_summary"
"""DeliData's additional label that we take for summarize, beside the act of the message."""

DELIDATA_ACTS = ("request", "summarize", "propose", "accept", "decline", OTHERS)
"""The only acts on which DeliData can test an annotator."""


def acts_of_ami(labels: pd.Series) -> list[tuple[str, ...]]:
    """The act of every AMI label, as a tuple of one.

    Raises
    ------
    InvalidInput
        On a label that AMI does not have.
    """
    unknown = sorted(set(labels) - set(AMI_TO_ACTS))
    if unknown:
        raise InvalidInput(f"labels: {unknown[0]!r} given; expected AMI's own: {', '.join(AMI_LABELS)}")
    return [(AMI_TO_ACTS[label][0],) for label in labels]


def acts_of_delidata(messages: pd.DataFrame) -> list[tuple[str, ...]]:
    """The acts that DeliData's labels tell of each message; an empty tuple where they tell of none of our acts.

    `messages` has the columns kind, target and additional of `support.corpora.delidata`.

    Raises
    ------
    InvalidInput
        On a pair of labels that DeliData does not have.
    """
    pairs = list(zip(messages["kind"], messages["target"], strict=True))
    unknown = sorted(set(pairs) - set(DELIDATA_TO_ACTS))
    if unknown:
        raise InvalidInput(f"kind, target: {unknown[0]!r} given; expected some of {list(DELIDATA_TO_ACTS)}")
    acts = [DELIDATA_TO_ACTS[pair][0] for pair in pairs]
    sums = [SUMMARY in extra.split(",") for extra in messages["additional"]]
    return [tuple(x for x in ("summarize" if s else None, act) if x) for s, act in zip(sums, acts, strict=True)]


def team(meeting: str) -> str:
    """The people of a meeting: AMI names their meetings by one number and a letter (ES2002a, ES2002c).

    >>> team("ES2002c"), team("IB4003")
    ('ES2002', 'IB4003')
    """
    return meeting.rstrip("abcd")


def unseen_teams(meetings: pd.Series) -> tuple[str, ...]:
    """The teams whose meetings no training may see: every fourth of those of each site, in the order of their names.

    People meet several times, so that whole teams are set apart, not single meetings.
    """
    sites: dict[str, list[str]] = {}
    for name in sorted({team(m) for m in meetings}):
        sites.setdefault(name[:2], []).append(name)
    return tuple(name for names in sites.values() for name in names[3::4])
