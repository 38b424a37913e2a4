"""What attacks a seminar by mail, made by a seeded generator, with what has to become of it: for tests and a notebook.

`generating.hostile` is the door, and has the kinds; `world` holds what they are made of.
"""
