"""One SQLite file holds a study; this room is the only place that opens it, and says what goes wrong with it."""

from support.database.looking import STUDY, foreign_tables, read_only
from support.database.opening import open_database
from support.database.trouble import guarded, transaction

__all__ = ["STUDY", "foreign_tables", "guarded", "open_database", "read_only", "transaction"]
