"""Who is invited, and answers mails: rule-based from a persona, played by a language model, or a person."""
