"""Views of orthogonal slices and projections."""
