"""Free text: answers grouped by what they mean, each group with its own words.

A grouping by embeddings orders the reading, it does not replace it: themes have no names but their central quotes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys
from support.analysis.surveys.sources import need_answers
from support.errors import InvalidInput

COLUMNS = ("respondent", "item", "text", "source")
LEAST = 0.05
"""The mean silhouette from which a division counts as one. A dozen short comments reached 0.23."""
MOST = 8
"""Themes that are looked for."""


class Encodes(Protocol):
    """Texts in, unit vectors out: `support.analysis.embeddings.Encoder`, or a fake one."""

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors of shape (texts, dimensions)."""
        ...


class Themes(NamedTuple):
    """What was written, grouped.

    Attributes
    ----------
    sizes : DataFrame
        source, item, theme (from 1, the largest first), size, silhouette (of the division; NaN where there is one
        theme), central (the most central quote).
    quotes : DataFrame
        source, item, theme, rank (1 is the most central), respondent, text, closeness (cosine to the theme's mean).
    left_out : DataFrame
        source, item, blank: texts without a letter or digit, which have no meaning to group.
    """

    sizes: pd.DataFrame
    quotes: pd.DataFrame
    left_out: pd.DataFrame


def themes(texts: pd.DataFrame, encoder: Encodes, k: int | None = None, quotes: int | None = None) -> Themes:
    """Group the free text of each item and source by meaning.

    Average-linkage clustering on cosine distances; the number of themes is `k`, or that with the largest mean
    silhouette (Rousseeuw 1987) from 2 to `MOST`, or one theme where none reaches `LEAST` or there are fewer than
    three texts.

    Parameters
    ----------
    texts : DataFrame
        respondent, item, text, source; an empty text, or one without a letter or digit, is left out and counted.
    k : int, optional
        At most as many themes as there are different texts are made.
    quotes : int, optional
        Quotes to keep for each theme, the most central first; by default all.

    Raises
    ------
    InvalidInput
        A missing column, reconstructions, k or quotes below 1, or nothing written at all.
    """
    need_answers(texts)
    need_columns(texts, COLUMNS, "the texts")
    need_keys(texts, ["respondent", "item", "source"], "the texts")
    for name, value in (("k", k), ("quotes", quotes)):
        if value is not None and value < 1:
            raise InvalidInput(f"{name} is {value!r}; expected 1 or more.")
    clean = texts.assign(text=texts["text"].fillna("").astype(str).str.strip())
    blank = ~clean["text"].str.contains(r"\w", regex=True)
    if blank.all():
        raise InvalidInput(f"all {len(texts)} texts are empty; there is nothing to group.")
    found = [_grouped(part, encoder, k) for _, part in clean[~blank].groupby(["source", "item"], sort=False)]
    kept = pd.concat(found, ignore_index=True)
    left = clean.assign(blank=blank).groupby(["source", "item"], sort=False, as_index=False).agg({"blank": "sum"})
    return Themes(_sizes(kept), _quotes(kept, quotes), left)


def _grouped(part: pd.DataFrame, encoder: Encodes, k: int | None) -> pd.DataFrame:
    """The rows of one item with theme, closeness and rank, the largest theme first."""
    vectors = np.asarray(encoder.encode(list(part["text"])), dtype=float)
    labels, silhouette = _labels(vectors, k)
    closeness = np.empty(len(part))
    for label in set(labels):
        members = labels == label
        closeness[members] = _cosine(vectors[members], vectors[members].mean(axis=0))
    rows = part[["source", "item", "respondent", "text"]].assign(
        label=labels, closeness=closeness, silhouette=silhouette
    )
    rows["size"] = rows.groupby("label")["label"].transform("size")
    rows = rows.sort_values(["closeness", "respondent"], ascending=[False, True])
    rows["lead"] = rows.groupby("label")["text"].transform("first")  # orders themes of one size
    rows = rows.sort_values(["size", "lead", "label"], ascending=[False, True, True], kind="stable")
    rows["theme"] = pd.factorize(rows["label"])[0] + 1
    rows["rank"] = rows.groupby("theme").cumcount() + 1
    return rows


def _labels(vectors: np.ndarray, k: int | None) -> tuple[np.ndarray, float]:
    distances = np.clip(1 - _unit(vectors) @ _unit(vectors).T, 0, 2)
    np.fill_diagonal(distances, 0)
    different = len(np.unique(np.round(distances, 6), axis=0))
    if k is not None:
        labels = _cut(distances, min(k, different))
        return labels, _silhouette(distances, labels)
    tries = [_cut(distances, count) for count in range(2, min(MOST, different, len(vectors) - 1) + 1)]
    scored = [(_silhouette(distances, labels), labels) for labels in tries]
    best, labels = max(scored, key=lambda pair: pair[0], default=(-1.0, np.zeros(0)))
    return (labels, best) if best >= LEAST else (np.zeros(len(vectors), dtype=int), np.nan)


def _cut(distances: np.ndarray, k: int) -> np.ndarray:
    if k == 1 or len(distances) == 1:
        return np.zeros(len(distances), dtype=int)
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(k, metric="precomputed", linkage="average").fit_predict(distances)


def _silhouette(distances: np.ndarray, labels: np.ndarray) -> float:
    if not 2 <= len(set(labels)) < len(labels):
        return float("nan")
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(distances, labels, metric="precomputed"))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _cosine(vectors: np.ndarray, centre: np.ndarray) -> np.ndarray:
    return _unit(vectors) @ _unit(centre[None])[0]


def _sizes(rows: pd.DataFrame) -> pd.DataFrame:
    first: Any = rows[rows["rank"] == 1].rename(columns={"text": "central"})
    return first[["source", "item", "theme", "size", "silhouette", "central"]].reset_index(drop=True)


def _quotes(rows: pd.DataFrame, most: int | None) -> pd.DataFrame:
    kept = rows if most is None else rows[rows["rank"] <= most]
    return kept[["source", "item", "theme", "rank", "respondent", "text", "closeness"]].reset_index(drop=True)
