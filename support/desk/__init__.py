"""The desk of a seminar: one application for rehearsals, dry runs and live mail, in a notebook or by `make app`.

`application.Desk` is what a notebook shows; `views` are its boards as escaped HTML, and stand by themselves as well.
"""
