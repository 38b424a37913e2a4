"""A real browser for the desk."""

from browser import button, chromium, screenshot, served, voila, window  # noqa: F401 (fixtures)
