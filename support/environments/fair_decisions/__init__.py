"""Fair decisions: n decisions of m options, hidden gains, and how fair a plan is."""

from support.environments.fair_decisions.problem import FairDecisions

__all__ = ["FairDecisions"]
