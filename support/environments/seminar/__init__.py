"""A seminar whose dates an organiser fills by mail: programmes, people, policies, and what is known on a day."""
