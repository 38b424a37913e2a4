"""Mails that try something, made by a seeded generator, each with what has to become of it: for tests and studies.

`generating.hostile` is the door; `world` holds what they are made of, `words`, `senders` and `forms` the kinds.
"""
