"""The desk of whoever fills the dates of a seminar by mail, in a notebook.

`desk.Desk` is what a notebook shows; `boards` are its parts as escaped HTML, and stand
by themselves as well.
"""
