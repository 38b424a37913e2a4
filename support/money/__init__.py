"""Money: what calls cost, and a budget that is never passed."""

from support.money.budget import Budget
from support.money.meter import Meter
from support.money.prices import Price, Prices

__all__ = ["Budget", "Meter", "Price", "Prices"]
