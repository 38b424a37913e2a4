"""Figures of the studies, one module for each kind of question; `support.draw` saves them."""
