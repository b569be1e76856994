"""Views of oblique slices."""
