"""Dialogue acts (001, section 4.3, appendix C.5): what they are, how people's labels map to them, and trust in labels.

A frame that `annotate` made carries in its `attrs` what is known of each annotator (see `trust_in`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import pandas as pd

from support.corpora import ami
from support.errors import InvalidInput

ACTS = (
    "inform",
    "request",
    "confirm",
    "summarize",
    "evaluate",
    "propose",
    "compromise",
    "defend",
    "accept",
    "decline",
)
OTHERS = "others"
LABELS = (*ACTS, OTHERS)
START, END = "start", "end"

Labels = tuple[str, ...]
"""The acts of one message in the order of `LABELS`; empty when the annotator could not label it."""

MEANINGS: Mapping[str, str] = {
    "inform": "gives a fact that the others did not have",
    "request": "asks for a fact or an opinion that the speaker lacks",
    "confirm": "asks whether something already said or agreed is right",
    "summarize": "gathers the main points of what was said so far",
    "evaluate": "judges or weighs information or an offer",
    "propose": "brings a new solution to the table",
    "compromise": "offers a middle way that takes in what several sides want",
    "defend": "holds on to an idea after it was considered or challenged",
    "accept": "agrees to an idea or a solution",
    "decline": "refuses an idea or a solution, or disagrees with it",
    "others": "none of these: small talk, noise, an unfinished phrase",
}
"""What each label means, in our words; annotators, people and models, get these."""

# AMI labels every segment of speech with one of fifteen acts (Carletta 2007), DeliData a chat message by what it does
# for the deliberation (Karadzhov et al. 2023). Neither was made for our ten acts: what follows is an argument, and
# `None` stands where we have none.
AMI_TO_ACTS: Mapping[str, tuple[str, str]] = {
    "inf": (
        "inform",
        "gives information: the same act, without our demand that it be new",
    ),
    "el.inf": ("request", "asks for information"),
    "el.sug": ("request", "asks for suggestions or offers, which the speaker lacks"),
    "sug": ("propose", "suggests what the group may do or make"),
    "ass": (
        "evaluate",
        "judges what is talked about. A bare 'yeah' that agrees is in it too, not told apart",
    ),
    "el.ass": (
        "confirm",
        "asks to judge what already lies on the table ('right?'); 'what do you think?' is in it too",
    ),
    "el.und": ("confirm", "asks whether what was said got through"),
    "off": (
        OTHERS,
        "says what the speaker will do, mostly to run the meeting: no solution to the group's question",
    ),
    "und": (OTHERS, "shows that something was understood, without a judgement"),
    "be.pos": (OTHERS, "thanks, jokes, praises a person"),
    "be.neg": (OTHERS, "complains, or shows ill feeling towards a person"),
    "bck": (OTHERS, "listens aloud"),
    "stl": (OTHERS, "keeps the floor while the speaker thinks"),
    "fra": (OTHERS, "was broken off"),
    "oth": (OTHERS, "fits none of AMI's own labels"),
}
"""AMI label to (our act, why)."""
AMI_ACTS = tuple(
    label for label in LABELS if label in {act for act, _ in AMI_TO_ACTS.values()}
)
UNCOVERED: Mapping[str, str] = {
    "summarize": "AMI files a summary under inf",
    "compromise": "AMI files a middle way under sug",
    "defend": "AMI files an argument under inf or ass",
    "accept": "AMI files consent under ass, beside every other judgement",
    "decline": "AMI files refusal under ass, beside every other judgement",
}
"""Acts that an annotator trained on AMI can never give, and where AMI hides them."""

DELIDATA_TO_ACTS: Mapping[tuple[str, str], tuple[str | None, str]] = {
    ("Probing", "Moderation"): (
        "request",
        "asks the others to speak, or to come to a decision",
    ),
    ("Probing", "Reasoning"): ("request", "asks for reasons"),
    ("Probing", "Solution"): (
        "request",
        "asks which solution; may name one in the question, which we do not count",
    ),
    ("Non-probing-deliberation", "Solution"): (
        "propose",
        "puts a choice of cards forward, not always a new one",
    ),
    ("Non-probing-deliberation", "Agree"): (
        "accept",
        "agrees with a participant or a solution",
    ),
    ("Non-probing-deliberation", "Disagree"): (
        "decline",
        "disagrees with a participant or a solution",
    ),
    ("Non-probing-deliberation", "Reasoning"): (
        None,
        "argues: inform, evaluate or defend, and the label does not say",
    ),
    ("", ""): (OTHERS, "no part of the deliberation: greetings, hesitation, thanks"),
}
"""DeliData (annotation_type, annotation_target) to (our act or none, why)."""
SUMMARY = "solution_summary"
"""DeliData's additional label that we take for summarize, beside the act of the message."""
DELIDATA_ACTS = ("request", "summarize", "propose", "accept", "decline", OTHERS)
"""The only acts on which DeliData can test an annotator."""


def checked_acts(acts: Iterable[str]) -> Labels:
    """Labels in the order of `LABELS`, each once; a message without any performs "others".

    >>> checked_acts(["propose", "inform", "propose"])
    ('inform', 'propose')
    """
    given = set(acts)
    if unknown := sorted(given - set(LABELS)):
        raise InvalidInput(
            f"acts: {unknown[0]!r} given; expected some of {', '.join(LABELS)}"
        )
    return tuple(label for label in LABELS if label in given) or (OTHERS,)


def union(labels: Iterable[str]) -> Labels:
    """How the labels of segments become those of a message: all acts that any performs; "others" when none does any.

    >>> union(["others", "request", "inform"]), union(["others"])
    (('inform', 'request'), ('others',))
    """
    return checked_acts(set(labels) - {OTHERS})


def indicators(labels: Sequence[Labels], acts: Sequence[str] = LABELS) -> np.ndarray:
    """Whether each message performs each act, bool of shape (messages, acts)."""
    for given in set(labels):
        checked_acts(given)
    return np.array(
        [[act in given for act in acts] for given in labels], dtype=bool
    ).reshape(len(labels), len(acts))


def acts_of_delidata(messages: pd.DataFrame) -> list[Labels]:
    """The acts that DeliData's labels (kind, target, additional) tell of; an empty tuple where they tell of none."""
    found = []
    for kind, target, additional in messages[
        ["kind", "target", "additional"]
    ].itertuples(index=False):
        act, _ = DELIDATA_TO_ACTS[kind, target]
        found.append(
            ("summarize",) * (SUMMARY in additional.split(","))
            + ((act,) if act else ())
        )
    return found


def labelled_ami() -> tuple[pd.DataFrame, pd.DataFrame]:
    """AMI's segments with our acts (tuples of one): those of the training teams, and those that no training sees.

    To the columns of `corpora.ami` come acts, and run: the team (ES2002 meets as ES2002a, ES2002b, …). Every fourth
    team of each site is set apart whole, for people meet several times.
    """
    segments = ami()
    acts = segments["label"].map(
        {label: (act,) for label, (act, _) in AMI_TO_ACTS.items()}
    )
    segments = segments.assign(run=segments["meeting"].str.rstrip("abcd"), acts=acts)
    teams = pd.Series(sorted(set(segments["run"])), dtype=object)
    unseen = segments["run"].isin(
        teams[teams.groupby(teams.str[:2]).cumcount() % 4 == 3]
    )
    return segments[~unseen].reset_index(drop=True), segments[unseen].reset_index(
        drop=True
    )


# -- trust -----------------------------------------------------------------------------------------------------------

GRADES = ((0.2, "near chance"), (0.4, "weak"), (0.6, "moderate"))
"""Upper ends of mean kappa and the words for them; from 0.6 on (Landis and Koch 1977: substantial) none is needed."""
MEAN = "mean of acts"


def trust_in(messages: pd.DataFrame, column: str) -> str:
    """What is known of the labels in a column on talk of these environments; "" of acts true by construction."""
    known: Mapping[str, str] = messages.attrs.get("trust", {}).get(column, {})
    there = set(messages["environment"]) if known else ()
    return "; ".join(
        dict.fromkeys(
            line for kind, line in known.items() if line and kind.split(",")[0] in there
        )
    )


def kinds(messages: pd.DataFrame) -> pd.Series:
    """The kind of talk that each message is of: its environment, and whether a rule-based agent speaks."""
    return messages["environment"].where(
        messages["acts"].map(len) == 0, messages["environment"] + ", rule-based agents"
    )


def warning(agreement: pd.DataFrame, name: str, against: str) -> str:
    """The line that every figure has to show which rests on an annotator that is not good; "" for a good one.

    `agreement` is one annotator's frame of `agreement.evaluate`; `against` says whose labels it was measured by.
    """
    row = agreement[(agreement["act"] == MEAN) & (agreement["measure"] == "kappa")]
    [(value, low, high)] = row[["value", "low", "high"]].to_numpy(dtype=float)
    grade = next((word for end, word in GRADES if not value >= end), "")
    blind = sorted(set(agreement.loc[agreement["covered"].eq(False), "act"]))
    parts = (
        [
            f"{name}: mean kappa {value:.2f} ({low:.2f} to {high:.2f}) against {against}: {grade}"
        ]
        if grade
        else []
    )
    return "; ".join(
        [*parts, f"{name} cannot see: {', '.join(blind)}"] if blind else parts
    )


def _trust(
    annotator: Annotator, messages: pd.DataFrame, measured: pd.DataFrame | None
) -> dict[str, str]:
    """What is known of an annotator on each kind of talk."""
    name, blind = (
        annotator.name,
        [act for act in LABELS if act not in annotator.covered],
    )
    known = {}
    for kind, talk in messages.groupby(kinds(messages), sort=False):
        said = []
        if measured is not None:
            here = measured[
                (measured["annotator"] == name) & (measured["kind"] == kind)
            ]
            said = [
                warning(rows, name, str(test))
                for test, rows in here.groupby("test", sort=False)
            ]
        if not said:
            said = [
                f"{name} was never measured on {kind}",
                f"{name} cannot see: {', '.join(blind)}" if blind else "",
            ]
        if (
            getattr(annotator, "marked", False)
            and not talk["text"].str.contains("?", regex=False).any()
        ):
            said.append(f"{name} knows questions by their mark, and no message has one")
        known[str(kind)] = "; ".join(filter(None, said))
    return known


# -- annotators ------------------------------------------------------------------------------------------------------


class Annotator(Protocol):
    """Whoever labels messages: `covered` are the labels that it can give at all, `problems` says of the latest call
    which messages it could not label (their place) and why."""

    name: str
    covered: Labels
    problems: dict[int, str]

    async def label(self, messages: pd.DataFrame) -> list[Labels]:
        """The acts of each message of a frame as `conversation.messages_of` gives it."""


async def annotate(
    messages: pd.DataFrame,
    annotators: Sequence[Annotator],
    measured: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The messages with one more column of labels for each annotator, under its name, and what is known of it.

    `measured` is a frame of `agreement.scores`; without a test on talk of this kind every figure says so.
    """
    made, noted = messages.copy(), dict(messages.attrs.get("trust", {}))
    for annotator in annotators:
        if annotator.name in made:
            raise InvalidInput(
                f"annotators: {annotator.name!r} is there twice, or is a column already"
            )
        made[annotator.name] = pd.Series(
            await annotator.label(messages), index=messages.index, dtype=object
        )
        noted[annotator.name] = _trust(annotator, messages, measured)
    made.attrs["trust"] = noted
    return made
