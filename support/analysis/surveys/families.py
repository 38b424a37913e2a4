"""Several tests, one question: Holm's correction within families of p-values."""

from __future__ import annotations

import numpy as np
import pandas as pd


def with_holm(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Add `p_holm`, Holm's adjusted p (1979), within each group of rows that agree in `by`; NaN stays NaN."""
    adjusted = table.groupby(by, sort=False, observed=True, dropna=False)["p"].transform(_holm)
    place = list(table.columns).index("p") + 1
    result = table.copy()
    result.insert(place, "p_holm", adjusted)
    return result


def _holm(p: pd.Series) -> np.ndarray:
    adjusted = p.to_numpy(dtype=float, copy=True)
    tested = ~np.isnan(adjusted)
    if tested.any():
        # A second to import, and only needed here.
        from statsmodels.stats.multitest import multipletests

        adjusted[tested] = multipletests(adjusted[tested], method="holm")[1]
    return adjusted
