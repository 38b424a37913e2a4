"""Coordinators of a group decision: search, solvers on estimates, language model, human."""
