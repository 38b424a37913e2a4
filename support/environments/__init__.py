"""What a group decides about. Nothing in here reads the clock, the network or the environment variables."""
