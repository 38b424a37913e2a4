"""RoundTable (paper 001): agents message, propose and vote, and a social choice rule decides."""
