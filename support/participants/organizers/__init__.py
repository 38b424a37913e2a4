"""Who organises: reads replies, sums up, selects policies, plans the day, writes the mails."""
