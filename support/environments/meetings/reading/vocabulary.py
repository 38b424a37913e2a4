"""The words the reader knows: numbers, weekdays, months, parts of the day with the hours that are taken for granted."""

from __future__ import annotations

from support.environments.meetings.preferences import WEEKDAYS

PARTS = {
    "early morning": (8, 10),
    "mid-morning": (9, 11),
    "late morning": (10, 12),
    "morning": (8, 12),
    "lunch": (12, 13),
    "early afternoon": (13, 15),
    "mid-afternoon": (14, 16),
    "late afternoon": (15, 18),
    "afternoon": (12, 18),
    "evening": (17, 21),
}
"""Hours of a part of the day when a text gives none; they follow an office day from 8 to 18."""

OFFICE = (9, 17)
"""Office hours when a text names them without times."""

DAY = (8, 18)
"""The day that "the rest of the day" fills up."""

NOTICE_HOURS, GAP_MINUTES = 24, 15
"""What "advance notice" and "no back-to-back meetings" mean when a text gives no amount."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_TO_TWELVE = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TO_NINETEEN = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
NUMBERS = {word: n for n, word in enumerate((*_TO_TWELVE, *_TO_NINETEEN), start=2)} | _TENS

SHORT_DAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
DAY_NAMES = {name.lower(): i for i, name in enumerate(WEEKDAYS)} | SHORT_DAYS

GROUPS = {
    r"(?:early in|the start of|start of|the beginning of|beginning of|at the top of) the week": (0, 1),
    r"(?:the )?first half of the week": (0, 1, 2),
    r"(?:mid-?week|(?:the )?middle of the week)": (1, 2, 3),
    r"(?:the )?second half of the week": (2, 3, 4),
    r"(?:late in the week|later in the week|towards? the end of the week)": (3, 4),
    r"weekends?": (5, 6),
    r"weekdays|working days": (0, 1, 2, 3, 4),
}
"""Groups of weekdays by name, as indices from Monday."""
