"""Labs: what a notebook's widgets show and play; each has one figure, its files, and the code that makes it again."""
