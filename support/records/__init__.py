"""What is said and decided: frozen records that pass between the rooms, a module for each mechanism.

A record holds everything that a later analysis may ask, and nothing that only a running process knows.
"""

from support.play import FormatError
from support.records.coordination import Conversation, Coordination, CoordinationRound, Option, Score, Turn
from support.records.organizing import (
    Action,
    Edit,
    Flag,
    Hook,
    Mail,
    Organizing,
    OrganizingDay,
    Understood,
)
from support.records.planning import Feedback, Plan, Planning, PlanningRound

__all__ = [
    "Action",
    "Conversation",
    "Coordination",
    "CoordinationRound",
    "Edit",
    "Feedback",
    "Flag",
    "FormatError",
    "Hook",
    "Mail",
    "Option",
    "Organizing",
    "OrganizingDay",
    "Plan",
    "Planning",
    "PlanningRound",
    "Score",
    "Turn",
    "Understood",
]
