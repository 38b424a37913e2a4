"""Exact solvers of fair decisions: `solve`, and what it gives back.

`meet` enumerates two halves and meets in the middle, `program` writes the problem as an integer program for the
`backends` HiGHS, CP-SAT and CPLEX, `brute` looks at all plans, `choose` picks among them.
"""

from support.solvers.fair.choose import SOLVERS, solve
from support.solvers.fair.problem import OBJECTIVES, Solution

__all__ = ["OBJECTIVES", "SOLVERS", "Solution", "solve"]
