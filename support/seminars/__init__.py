"""A seminar that is being organised, kept in a study's file: its setup, a journal of all that was said, and its run.

`seminar.Seminar` is the door. What a rehearsal is to a study (`support.seminar.study`), this is to a person at the
desk: it may be left in the middle of a day and taken up again after a restart, and its mails may be real ones.
"""
