"""An organiser fills the dates of a seminar by mail (002)."""
