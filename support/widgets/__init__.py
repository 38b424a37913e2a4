"""Thin controls over the other rooms: they ask, show and store; they decide nothing."""
