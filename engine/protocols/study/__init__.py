"""Studies and protocols: the values of a study file, and their fields."""
