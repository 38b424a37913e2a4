"""Survey instruments: sections of items, the scenario they are about, and the check of a filled-in form.

Ground floor: widgets, simulated respondents and the file of answers read the same instrument.
"""

from support.instruments.filling import cells_of, check_form, check_section, missing, refusal
from support.instruments.loading import INSTRUMENTS, load
from support.instruments.records import Answer, Choice, Instrument, Item, Section
from support.instruments.scenario import Member, Option, Reason, Scenario

__all__ = [
    "INSTRUMENTS",
    "Answer",
    "Choice",
    "Instrument",
    "Item",
    "Member",
    "Option",
    "Reason",
    "Scenario",
    "Section",
    "cells_of",
    "check_form",
    "check_section",
    "load",
    "missing",
    "refusal",
]
