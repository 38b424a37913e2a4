"""Can the printed Tables 1 and 2 be? Checks that need no data but the printed numbers (in the manner of GRIM).

bounds     a score against the ratio, a Gini coefficient against the ratio, a ratio against the stated 20 meetings
meetings   how many meetings a printed ratio can be the mean of, and how its interval was computed
joint      whether any meetings at all have the three printed means together

All printed numbers are taken as rounded to two decimals in either direction, ties included (1.7 as 1.70): a number v
stands for the closed interval from v - 0.005 to v + 0.005, and a check fails only when no number of that interval
passes. So no mode of rounding (half up, half to even, of binary fractions) can turn a failure into a pass; cutting
digits off could.
"""

from support.analysis.consistency.bounds import check_table
from support.analysis.consistency.joint import check_jointly
from support.analysis.consistency.meetings import (
    MEETINGS,
    READINGS,
    identified,
    meetings_that_fit,
    readings,
    setting_of,
)

__all__ = [
    "MEETINGS",
    "READINGS",
    "check_jointly",
    "check_table",
    "identified",
    "meetings_that_fit",
    "readings",
    "setting_of",
]
