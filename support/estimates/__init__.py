"""What a sweep will cost, before it runs: `await estimate(sweep, model)`."""

from support.estimates.estimating import estimate
from support.estimates.extent import Estimate, Range
from support.estimates.playing import calls_of

__all__ = ["Estimate", "Range", "calls_of", "estimate"]
