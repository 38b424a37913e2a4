"""What stored records mean: metrics, statistics and tests, never a call to a model."""
