"""A rehearsal of the organiser's agent, a day at a time: `lab` is what a notebook shows, the others are its parts."""
