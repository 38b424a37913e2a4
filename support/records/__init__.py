"""What is said and decided: frozen records that pass between the rooms, a module for each mechanism.

A record holds everything that a later analysis may ask, and nothing that only a running process knows.
"""

from support.records.coordination import Conversation, Coordination, CoordinationRound, Option, Score, Turn
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
    "Ballot",
    "Candidate",
    "Choice",
    "Conversation",
    "Coordination",
    "CoordinationRound",
    "Decision",
    "Feedback",
    "FormatError",
    "Message",
    "Option",
    "Plan",
    "Planning",
    "PlanningRound",
    "Proposal",
    "Round",
    "Score",
    "Transcript",
    "Turn",
    "View",
]
