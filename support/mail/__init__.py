"""Mail in and out: what leaves is exactly what was approved, what arrives is data, and what
may not be its sender's own words is held for a person.

The room knows nothing of seminars. `letters` has its nouns, `journal` what a study's file
keeps; `composing` makes a mail that reaches one recipient only, and the `outbox` sends it
once, to a `mailbox`, of which `live` is the real one, with `credentials`. `reading` makes
words of whatever bytes arrive, `headers` says who sent them, `quoting` cuts what they
quote, `matching` says whom they are from.
"""
