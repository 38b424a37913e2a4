"""Figures of the studies, one module for each kind of question; `support.figures` saves them."""
