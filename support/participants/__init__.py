"""Who sits at the table: a room per role; in each, a model-driven kind and rule-based kinds; and a seat for a human."""
