"""What to reconstruct and how: the values of a study file, and their fields."""
