"""The loops of `support.solvers.mcts_compiled`: the tree in arrays, compiled by numba. Import it only where it is run.

Every number is computed in the order of `support.solvers.mcts`, and every random number is drawn in its order. One
thing is stored otherwise: a branch that was walked once is remembered as the iteration that walked it, and becomes
nodes when it is walked again, so that memory grows with what is revisited.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

UNSEEN = -1
"""No plan went through an edge; below that, -2 - t says that only iteration t did; from 0 up it is a node."""


class Coded(NamedTuple):
    """`Settings` in numbers; `unvisited` and `root` are positions in their tuples of words."""

    c: float
    temperature: float
    top_k: int
    unit: bool
    unvisited: int
    random_ties: bool
    root: int
    again: bool
    redraw: bool
    welfare: bool


class Arrays(NamedTuple):
    """Visits N, worth W, the edge's child and whether it is closed: each of shape (nodes, options)."""

    visits: np.ndarray
    worth: np.ndarray
    child: np.ndarray
    closed: np.ndarray


@njit(cache=True)
def search(gains, iterations, rng, priors, s):  # type: ignore[no-untyped-def]
    """Plans of shape (iterations, decisions) and values; `priors` of the root, one row or one for each iteration."""
    n, m = gains.shape[1], gains.shape[2]
    tree, used = _room(np.int64(64), m), np.int64(1)  # typed, or numba compiles what follows twice
    plans, values = np.zeros((iterations, n), np.int32), np.zeros(iterations)
    path, flat, scores = np.zeros(n, np.int64), np.full(m, 1 / m), np.empty(m)
    low, high = np.inf, -np.inf
    for t in range(iterations):
        if used + n > len(tree.visits):
            tree = _grown(tree)
        root = priors[t if s.redraw else 0]
        used, depth = _descend(tree, used, plans, values, t, path, root, flat, scores, low, high, rng, s)
        values[t] = _value(gains, plans[t], s.welfare)
        _learn(tree, path, depth, plans[t], values[t], t, s.again)
        low, high = min(low, values[t]), max(high, values[t])
    return plans, values


@njit(cache=True)
def _room(nodes, m):  # type: ignore[no-untyped-def]
    shape = (nodes, m)
    child = np.full(shape, np.int64(UNSEEN))
    return Arrays(np.zeros(shape, np.int64), np.zeros(shape), child, np.zeros(shape, np.bool_))


@njit(cache=True)
def _grown(tree):  # type: ignore[no-untyped-def]
    """Twice the room. Loops, for numba takes ten seconds to compile a copy of slices."""
    nodes, m = tree.visits.shape
    larger = _room(2 * nodes, m)
    for node in range(nodes):
        for option in range(m):
            larger.visits[node, option] = tree.visits[node, option]
            larger.worth[node, option] = tree.worth[node, option]
            larger.child[node, option] = tree.child[node, option]
            larger.closed[node, option] = tree.closed[node, option]
    return larger


@njit(cache=True)
def _descend(tree, used, plans, values, t, path, root, flat, scores, low, high, rng, s):  # type: ignore[no-untyped-def]
    """Fill plan t and the path of its nodes; the number of nodes now, and how many of them are on the path."""
    n, node = plans.shape[1], np.int64(0)
    for depth in range(n):
        path[depth] = node
        _score(tree, node, root if depth == 0 else flat, low, high, s, scores)
        sampled = depth == 0 and s.root != 2
        option = _sample(tree, node, scores, rng, s) if sampled else _largest(scores, rng, s.random_ties)
        plans[t, depth] = option
        below = tree.child[node, option]
        if depth + 1 == n:
            break
        if below == UNSEEN:
            _tail(plans[t], depth + 1, len(flat), rng, s.random_ties)
            return used, depth + 1
        if below < 0:
            below = _opened(tree, used, node, option, depth + 1, plans, values, s.again)
            used += 1
        node = below
    return used, n


@njit(cache=True)
def _tail(plan, start, m, rng, random_ties):  # type: ignore[no-untyped-def]
    """In new nodes all scores are equal."""
    for depth in range(start, len(plan)):
        plan[depth] = int(rng.random() * m) if random_ties and m > 1 else 0


@njit(cache=True)
def _opened(tree, new, node, option, depth, plans, values, again):  # type: ignore[no-untyped-def]
    """Make the node that an earlier iteration walked through alone."""
    t = -2 - tree.child[node, option]
    taken, last = plans[t, depth], depth + 1 == plans.shape[1]
    tree.visits[new, taken], tree.worth[new, taken] = 1, values[t]
    tree.child[new, taken] = UNSEEN if last else -2 - t
    tree.closed[new, taken] = last and not again
    tree.child[node, option] = new
    return new


@njit(cache=True)
def _learn(tree, path, depth, plan, value, t, again):  # type: ignore[no-untyped-def]
    """Back up along the path; close the plan and what is exhausted with it."""
    n = len(plan)
    for level in range(depth):
        tree.visits[path[level], plan[level]] += 1
        tree.worth[path[level], plan[level]] += value
    if depth < n:
        tree.child[path[depth - 1], plan[depth - 1]] = -2 - t
        return
    level = n - 1
    while level >= 0 and not again:
        tree.closed[path[level], plan[level]] = True
        level = level - 1 if tree.closed[path[level]].all() else -1


@njit(cache=True)
def _value(gains, plan, welfare):  # type: ignore[no-untyped-def]
    least, most, total = np.inf, -np.inf, 0.0
    for i in range(gains.shape[0]):
        mine = 0
        for j in range(len(plan)):
            mine += gains[i, j, plan[j]]
        least, most, total = min(least, mine), max(most, mine), total + mine
    return total if welfare else least - most


@njit(cache=True)
def _score(tree, node, prior, low, high, s, scores):  # type: ignore[no-untyped-def]
    """Q(s, b) + c P(b | s) sqrt(sum N(s, .)) / (1 + N(s, b)); minus infinity for what is closed."""
    visits, worth, closed = tree.visits[node], tree.worth[node], tree.closed[node]
    total = visits.sum()
    root = math.sqrt(total)
    instead = _unvisited(worth, total, root, low, high, s)
    everything = closed.all()
    for option in range(len(scores)):
        if closed[option] and not everything:
            scores[option] = -np.inf
            continue
        n = visits[option]
        q = _scaled(worth[option] / n, low, high, s.unit) if n else instead
        scores[option] = q + s.c * prior[option] * root / (1 + n)


@njit(cache=True)
def _unvisited(worth, total, root, low, high, s):  # type: ignore[no-untyped-def]
    if s.unvisited == 0 or high < low:
        return 0.0
    if s.unvisited == 1:
        return _scaled(worth.sum() / total, low, high, s.unit) if total else 0.0
    if s.unvisited == 2:
        return _scaled(low, low, high, s.unit)
    return _scaled(high, low, high, s.unit) + (s.c * root + 1 if s.unvisited == 4 else 0.0)


@njit(cache=True)
def _scaled(value, low, high, unit):  # type: ignore[no-untyped-def]
    if not unit:
        return value
    return (value - low) / (high - low) if high > low else 0.0


@njit(cache=True)
def _largest(scores, rng, random_ties):  # type: ignore[no-untyped-def]
    most, first, tied = scores[0], 0, 0
    for option in range(len(scores)):
        if scores[option] > most:
            most, first, tied = scores[option], option, 1
        elif scores[option] == most:
            tied += 1
    if tied == 1 or not random_ties:
        return first
    place = int(rng.random() * tied)
    for option in range(first, len(scores)):
        if scores[option] == most:
            place -= 1
            if place < 0:
                return option
    return first


@njit(cache=True)
def _open(keys):  # type: ignore[no-untyped-def]
    count = 0
    for key in keys:
        count += key > -np.inf
    return count


@njit(cache=True)
def _sample(tree, node, scores, rng, s):  # type: ignore[no-untyped-def]
    """Top-K, then by temperature."""
    visits, keys = tree.visits[node], scores.copy()
    if s.root == 0:
        for option in range(len(keys)):
            keys[option] = visits[option] if scores[option] > -np.inf else -np.inf
    kept, count = np.empty(min(s.top_k, len(keys)), np.int64), 0
    for _ in range(min(len(kept), _open(keys))):
        kept[count] = _largest(keys, rng, s.random_ties)
        keys[kept[count]] = -np.inf
        count += 1
    edges, total, first = np.empty(count), 0.0, kept[0]
    for place in range(count):
        option = kept[place]
        if s.root == 0:
            total += ((1 + visits[option]) / (1 + visits[first])) ** (1 / s.temperature)
        else:
            total += math.exp((scores[option] - scores[first]) / s.temperature)
        edges[place] = total
    drawn = rng.random() * total
    for place in range(count):
        if drawn < edges[place]:
            return kept[place]
    return kept[count - 1]
