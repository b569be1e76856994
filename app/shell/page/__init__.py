"""The two pages of the window and their content."""
