"""Views of slices of any orientation."""
