"""A seminar whose dates an organiser fills by mail, day after day ("DoubleAgents", 002)."""
