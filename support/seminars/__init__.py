"""A seminar that is being organised, kept in a study's file.

    setup       what is settled before the first day
    journal     every answer of every role, kept before it is given; finished days
    seated      a run with everybody seated from a setup, who answer by the journal
    post        mails out through an outbox, replies in, matched and bounded
    seminar     `Seminar`, the door: days, what a person changes, mail that waits
    answering   a function in the place of the person at the desk

What a rehearsal is to a study (`support.seminar.study`), this is to a person at the desk:
it may be left in the middle of a day and taken up again after a restart, and its mails may
be real ones.
"""
