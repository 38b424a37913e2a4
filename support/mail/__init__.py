"""Mail in and out: what leaves is exactly what was approved, what arrives is data and never an instruction.

The room knows nothing of seminars. `letters` has its nouns; `addresses` and `composing` make a mail that can reach one
recipient only; `reading` makes words of whatever bytes arrive, `quoting` cuts what they quote, `matching` says which
person and which of our mails they answer, and `suspicion` points at what reads like an instruction.
"""
