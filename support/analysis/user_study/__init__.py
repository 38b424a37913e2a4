"""The user study of a coordinating agent: two questionnaires, given two or three times to the same people.

`points` gets the forms out of a book of answers, one row an answer. From there: `paired` (two points: t, Wilcoxon,
effect sizes), `mixed` (all points at once) and `correlations` (what goes with reliance). `printed` has the means that
the paper's text prints, and which numbers of answers can give them. Sources are never pooled: people, simulated
respondents and printed numbers stay apart, and every table has a column `source`.
"""
