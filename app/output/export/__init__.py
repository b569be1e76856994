"""Writing an image of the run to a file."""
