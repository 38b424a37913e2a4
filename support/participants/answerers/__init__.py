"""Who answers questions about the mail log, always with the mails that the answer rests on."""
