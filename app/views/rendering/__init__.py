"""The three-dimensional view: rays through a volume on OpenGL."""
