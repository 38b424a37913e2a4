"""Who reads a reply and says whether somebody has to decide about it, or whether a policy covers it."""
