"""What is said and decided: frozen records that pass between the rooms, a module for each mechanism.

A record holds everything that a later analysis may ask, and nothing that only a running process knows.
"""

from support.play import FormatError
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

__all__ = [
    "Action",
    "Edit",
    "Flag",
    "FormatError",
    "Hook",
    "Mail",
    "Organizing",
    "OrganizingDay",
    "Understood",
]
