"""What section 5.3.2 of RoundTable says about its transition graphs, tested on ours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from support.analysis.claims import CLOSE, NO, UNTESTED, YES
from support.analysis.transitions import Transitions
from support.analysis.transitions_inference import Bootstrap

ECONOMY = "exchange_economy"
STATEMENTS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    f"{ECONOMY}: request and propose form a loop": (ECONOMY, (("request", "propose"), ("propose", "request"))),
    f"{ECONOMY}: inform leads to request": (ECONOMY, (("inform", "request"),)),
    f"{ECONOMY}: confirm leads to request": (ECONOMY, (("confirm", "request"),)),
    f"{ECONOMY}: compromise leads to propose": (ECONOMY, (("compromise", "propose"),)),
    f"{ECONOMY}: accept leads to the end": (ECONOMY, (("accept", "end"),)),
}
"""What section 5.3.2 says of Figure 4(a): edges that are the most probable ones of their sources.

The names are those of `data/inputs/published`."""

CENTRE = "movielens: most acts lead to request"


def check_statements(graphs: Mapping[str, tuple[Transitions, Bootstrap]], margin: float = 0.05) -> pd.DataFrame:
    """Whether the statements of section 5.3.2 hold in our graphs, one for each environment.

    A statement holds when its edges lead in more than 1 - `margin` of the bootstrap draws, and does not when one of
    them leads in less than `margin`; between the two it is too close to call.

    Returns
    -------
    DataFrame
        environment, statement, `holds here`, and `here`: the probabilities, and the edge that leads instead.
    """
    rows = []
    for statement, (environment, edges) in STATEMENTS.items():
        if environment in graphs:
            rows.append(_tested(statement, environment, edges, *graphs[environment], margin))
    if "movielens" in graphs:
        _, boot = graphs["movielens"]
        share = float(boot.centres["request"])
        first = f"{boot.centres.idxmax()} in {boot.centres.max():.0%}"
        shown = f"request is the centre in {share:.0%} of the draws, {first}"
        rows.append(("movielens", CENTRE, _answer([share], margin), shown))
    return pd.DataFrame(rows, columns=["environment", "statement", "holds here", "here"])


def _tested(
    statement: str, environment: str, edges: tuple[tuple[str, str], ...], t: Transitions, boot: Bootstrap, margin: float
) -> tuple[str, str, str, str]:
    p, leads = t.probability.to_numpy(), boot.leads.to_numpy()
    places = [(t.labels.index(source), t.labels.index(target)) for source, target in edges]
    if any(np.isnan(p[place]) for place in places):
        return environment, statement, UNTESTED, "the act does not occur"
    answer = _answer([float(leads[place]) for place in places], margin)
    return environment, statement, answer, "; ".join(_in_words(t.labels, p, *place) for place in places)


def _answer(shares: list[float], margin: float) -> str:
    return NO if min(shares) < margin else YES if min(shares) > 1 - margin else CLOSE


def _in_words(labels: tuple[str, ...], p: np.ndarray, source: int, target: int) -> str:
    others = np.where(np.arange(len(labels)) == source, -1.0, p[source])
    first = int(others.argmax())
    instead = "" if first == target else f", behind {labels[first]} with {others[first]:.2f}"
    return f"{labels[source]} → {labels[target]} {p[source, target]:.2f}{instead}"
