"""Mail in and out: what leaves is exactly what was approved, what arrives is data and never an instruction.

The room knows nothing of seminars. `letters` has its nouns, `journal` what a study's file keeps; `composing` makes a
mail that reaches one recipient only, and the `outbox` sends it once. `reading` makes words of whatever bytes arrive,
`quoting` cuts what they quote, `matching` says whom they are from, `suspicion` points at what reads like a command.
"""
