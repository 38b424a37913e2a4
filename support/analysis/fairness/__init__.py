"""Fair decisions in numbers ("Investigating Language Models for Supporting Complex Group Decisions", 003, section 5).

runs        records in, one row for each run out: how fair the chosen plan is, and what it took
rounds      one row for each round; what quality a number of participants' evaluations buys; one run's trajectory
instances   what every instance allows: its optimum, a random plan, the best of k random plans; regret
comparing   means with intervals, paired comparisons on the same instances
contrasts   all comparisons in one table, as the checks of the paper's statements read it
reading     how well words are read: coverage, rank correlation and error, on texts of other authors
estimating  how like the truth are the totals that estimators make of words
people      the deals that people reached in CaSiNo, beside the fairest and the efficient ones
"""

from support.analysis.fairness.comparing import means, paired
from support.analysis.fairness.contrasts import results
from support.analysis.fairness.estimating import estimates
from support.analysis.fairness.instances import references, regret, with_references
from support.analysis.fairness.people import against_solver, frontier, possible, who_is_content
from support.analysis.fairness.reading import heard, read_well, told, wordings
from support.analysis.fairness.rounds import at_budget, budget, rounds_of, trajectory
from support.analysis.fairness.runs import QUALITY, instance_key, run_columns, runs_of

__all__ = [
    "QUALITY",
    "against_solver",
    "at_budget",
    "budget",
    "estimates",
    "frontier",
    "heard",
    "instance_key",
    "means",
    "paired",
    "possible",
    "read_well",
    "references",
    "regret",
    "results",
    "rounds_of",
    "run_columns",
    "runs_of",
    "told",
    "trajectory",
    "who_is_content",
    "with_references",
    "wordings",
]
