"""Scripts of the window: copies of a study, and the Python console."""
