"""How fast `tally_many` is beside `pref_voting` and beside a plain loop, in one run, on the same ballots.

    python benchmarks/bench_choice.py

Three ways to decide 10,000 random profiles of 5 voters over 4 candidates, under plurality and under
harmonic ranked voting. Times are the best of several runs, without the making of ballots: arrays for
`tally_many` (which checks every ballot within its time), lists for the plain loop, and `Profile`
objects, whose building takes longer than the vote, for `pref_voting`. Winners must be the same, here
and on the PrefLib elections in $CONVENE_DATA (an error says how to get them); otherwise the exit status is 1.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pref_voting.profiles import Profile
from pref_voting.scoring_methods import create_scoring_method, plurality
from preflibtools.instances import OrdinalInstance

from support.choice import tally_many
from support.data import files

PROFILES, VOTERS, CANDIDATES, SEED = 10_000, 5, 4, 20_240_501


def main() -> int:
    """Print the table; 0 when all winners agree."""
    rankings = random_rankings()
    profiles = [Profile(profile) for profile in rankings.tolist()]
    print(f"{PROFILES} profiles, {VOTERS} voters, {CANDIDATES} candidates; pref_voting profiles built beforehand\n")
    print(f"{'rule':<11}{'tally_many':>12}{'plain loop':>12}{'pref_voting':>13}{'vs loop':>9}{'vs pref_voting':>16}")
    rows = [compare(rule, rankings, profiles) for rule in METHODS]
    elections = files("preflib")
    different = [f"{path.stem} ({rule})" for path in elections for rule in METHODS if not agrees(path, rule)]
    print(f"\nwinners on the random profiles: {'the same' if all(rows) else 'DIFFERENT'}")
    print(f"winners on {len(elections)} PrefLib elections: {', '.join(different) or 'the same'}")
    return 0 if all(rows) and not different else 1


def random_rankings() -> np.ndarray:
    """Impartial culture: every ranking is as likely as another."""
    shape = (PROFILES, VOTERS, CANDIDATES)
    return np.random.default_rng(SEED).permuted(np.broadcast_to(np.arange(CANDIDATES), shape), axis=2)


def compare(rule: str, rankings: np.ndarray, profiles: Sequence[Profile]) -> bool:
    """Time one rule three ways, print its row, and say whether the winners agree."""
    ballots = ballots_of(rule, rankings)
    listed, method = ballots.tolist(), METHODS[rule]
    ours, mine = best_of(9, lambda: tally_many(rule, ballots, CANDIDATES))
    loop, plain = best_of(3, lambda: LOOPS[rule](listed, CANDIDATES))
    method(profiles[0])  # numba compiles at the first call
    library, theirs = best_of(1, lambda: [method(profile) for profile in profiles])
    times = f"{ours * 1e3:>9.2f} ms{loop * 1e3:>9.1f} ms{library * 1e3:>10.0f} ms"
    print(f"{rule:<11}{times}{loop / ours:>8.1f}x{library / ours:>15.0f}x")
    winners = mine.winner.tolist()
    return winners == plain == [alone(winning) for winning in theirs]


def ballots_of(rule: str, rankings: np.ndarray) -> np.ndarray:
    """A voter with one vote gives it to the first of its ranking."""
    return np.ascontiguousarray(rankings[:, :, 0]) if rule == "plurality" else rankings


def best_of(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest time in seconds, and the result."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def plain_plurality(profiles: list[list[int]], count: int) -> list[int]:
    """The loop that one would write: no checks, whole numbers, built-in types."""
    winners = []
    for votes in profiles:
        scores = [0] * count
        for vote in votes:
            scores[vote] += 1
        top = max(scores)
        winners.append(scores.index(top) if scores.count(top) == 1 else -1)
    return winners


def plain_ranked(profiles: list[list[list[int]]], count: int) -> list[int]:
    """The same with harmonic weights made whole by their least common multiple."""
    weights = whole_weights(count)
    winners = []
    for rankings in profiles:
        scores = [0] * count
        for ranking in rankings:
            for candidate, weight in zip(ranking, weights):  # noqa: B905 (strict costs time)
                scores[candidate] += weight
        top = max(scores)
        winners.append(scores.index(top) if scores.count(top) == 1 else -1)
    return winners


def whole_weights(count: int) -> list[int]:
    """Harmonic weights times lcm(1..count)."""
    whole = math.lcm(*range(1, count + 1))
    return [whole // place for place in range(1, count + 1)]


def alone(winning: Sequence[int]) -> int:
    """The winner, -1 for a tie."""
    return int(winning[0]) if len(winning) == 1 else -1


def agrees(path: Path, rule: str) -> bool:
    """Whether the winner of a PrefLib election is that of pref_voting."""
    election = OrdinalInstance(str(path))
    number = {name: index for index, name in enumerate(election.alternatives_name)}
    rankings = [[number[c] for (c,) in order] for order, times in election.multiplicity.items() for _ in range(times)]
    winner = tally_many(rule, ballots_of(rule, np.array([rankings])), len(number)).winner[0]
    return bool(winner == alone(METHODS[rule](Profile(rankings))))


# Their Dowdall rule adds floats and loses some ties, so theirs is given the whole weights too.
METHODS = {
    "plurality": plurality,
    "ranked": create_scoring_method(lambda count, place: whole_weights(count)[place - 1], "harmonic, whole weights"),
}
LOOPS: dict[str, Callable[[Any, int], list[int]]] = {"plurality": plain_plurality, "ranked": plain_ranked}


if __name__ == "__main__":
    sys.exit(main())
