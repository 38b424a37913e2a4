"""Surveys: what people answered, what a printed table can and cannot mean, and how many to ask next time.

Three kinds of numbers stay apart. Answers (`sources.Answers`) were given by people, or by simulated respondents who
say so; printed means (`printed`) come from a paper; reconstructions (`sources.Reconstructed`) are samples that would
print as a paper's mean and spread, and nobody's answers. Every table that leaves this package has a column `source`.

The way from a printed table: `printed.printed_means`, then `grim` (can the mean come from n answers?), `intervals`
(can the interval?), `sprite` (which samples?) and `conclusions` (what do all of them say?), or `summary_tests`.
From answers: `likert`, `reliability`, `rank_tests`, `ordinal`, `free_text`. For the next survey: `power`.
"""
