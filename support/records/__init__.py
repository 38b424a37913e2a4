"""What is said and decided: frozen records that pass between the rooms, a module for each mechanism.

A record holds everything that a later analysis may ask, and nothing that only a running process knows.
"""

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
from support.records.roundtable import (
    Ballot,
    Candidate,
    Choice,
    Decision,
    FormatError,
    Message,
    Proposal,
    Round,
    Transcript,
    View,
)

__all__ = [
    "Action",
    "Ballot",
    "Candidate",
    "Choice",
    "Decision",
    "Edit",
    "Feedback",
    "Flag",
    "FormatError",
    "Hook",
    "Mail",
    "Message",
    "Organizing",
    "OrganizingDay",
    "Plan",
    "Planning",
    "PlanningRound",
    "Proposal",
    "Round",
    "Transcript",
    "Understood",
    "View",
]
