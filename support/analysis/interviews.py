"""Themes of interviews that two coders have marked: how well they agree, what both found, and what to talk over.

A table of codings has a row for each excerpt and coder: participant (whose interview it is), excerpt, coder, themes
(names with ";" between them, or blank); further columns, such as text, are kept. Coders work alone first; a merged
codebook comes after they have talked about `disagreements`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from support.analysis.frames import need_columns, need_keys
from support.analysis.stats import percentiles, resampled, weighted_kappa
from support.errors import InvalidInput

KEYS = ["participant", "excerpt"]


def marked(codings: pd.DataFrame) -> pd.DataFrame:
    """Who marked what: participant, excerpt, theme, a column by the name of each coder (bool); every excerpt and theme.

    InvalidInput unless two coders have read every excerpt once, and found some theme.
    """
    need_columns(codings, [*KEYS, "coder", "themes"], "the codings")
    need_keys(codings, [*KEYS, "coder"], "the codings")
    coders = list(dict.fromkeys(codings["coder"]))
    if len(coders) != 2:
        raise InvalidInput(
            f"coder: {', '.join(map(str, coders))} given; expected two, who code the same excerpts"
        )
    times = (
        codings.groupby([*KEYS, "coder"], sort=False)
        .size()
        .unstack(fill_value=0)[coders]
    )
    if not (times == 1).all(axis=None):
        row = times[(times != 1).any(axis=1)].reset_index().iloc[0]
        told = ", ".join(f"{name} {row[name]} times" for name in coders)
        raise InvalidInput(
            f"excerpt {row['excerpt']!r} of {row['participant']!r} is coded by {told}; expected one each"
        )
    split = codings.assign(
        theme=codings["themes"].fillna("").astype(str).str.split(";")
    ).explode("theme")
    split["theme"] = split["theme"].str.strip()
    book = sorted(set(split["theme"]) - {""})
    if not book:
        raise InvalidInput(
            "themes: all are blank; expected the name of a theme somewhere"
        )
    long = (
        split.groupby([*KEYS, "coder"], sort=False)["theme"].agg(set).unstack()[coders]
    )
    rows = [
        (*key, theme, *(theme in found for found in row))
        for theme in book
        for key, *row in long.itertuples()
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "theme", *coders])


def agreement(
    codings: pd.DataFrame, rng: np.random.Generator, draws: int = 2000
) -> pd.DataFrame:
    """Cohen's kappa (1960) of each theme, with a 95 % interval that draws whole interviews: excerpts of one are alike.

    Returns theme, interviews, excerpts, both, one, other (marked by both, by the first coder alone, by the second),
    kappa, low, high; NaN where a theme varies with nobody.
    """
    table = marked(codings)
    rows = []
    for theme, part in table.groupby("theme", sort=False):
        x, y = (part[coder].to_numpy() for coder in part.columns[3:])
        cells = np.stack([x & y, x & ~y, ~x & y, ~x & ~y], axis=1).astype(float)
        times, place = resampled(part["participant"].tolist(), rng, draws)
        low, high = percentiles(
            weighted_kappa((times[:, place] @ cells).reshape(-1, 2, 2))
        )
        both, one, other = cells.sum(axis=0)[:3].astype(int)
        kappa = float(weighted_kappa(cells.sum(axis=0).reshape(2, 2)))
        rows.append(
            (theme, times.shape[1], len(part), both, one, other, kappa, low, high)
        )
    columns = [
        "theme",
        "interviews",
        "excerpts",
        "both",
        "one",
        "other",
        "kappa",
        "low",
        "high",
    ]
    return pd.DataFrame(rows, columns=columns)


def codebook(codings: pd.DataFrame) -> pd.DataFrame:
    """The merged codebook: theme, excerpts and participants where both coders found it, then those where one did."""
    table = marked(codings)
    found = table[table.columns[3:]].sum(axis=1)
    rows = []
    for theme, part in table.groupby("theme", sort=False):
        sure, some = (part[found[part.index] >= least] for least in (2, 1))
        rows.append(
            (
                theme,
                len(sure),
                sure["participant"].nunique(),
                len(some),
                some["participant"].nunique(),
            )
        )
    columns = [
        "theme",
        "excerpts",
        "participants",
        "excerpts, one coder or both",
        "participants, one coder or both",
    ]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values(
        "excerpts", ascending=False, kind="stable", ignore_index=True
    )


def disagreements(codings: pd.DataFrame) -> pd.DataFrame:
    """What to talk over: each excerpt and theme that one coder alone marked, with who did and what else is known."""
    table = marked(codings)
    one, other = table.columns[3:]
    split = table[table[one] != table[other]]
    kept = codings.drop(columns=["coder", "themes"]).drop_duplicates(KEYS)
    told = split.assign(marked_by=np.where(split[one], one, other))[
        [*KEYS, "theme", "marked_by"]
    ]
    return told.merge(kept, on=KEYS).sort_values(KEYS, kind="stable", ignore_index=True)
