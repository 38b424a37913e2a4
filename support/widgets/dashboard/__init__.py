"""The dashboard: a seminar from its setup to its last date, on one page; `application.Dashboard` is displayed."""
