"""The page Prepare: its cards and their column."""
