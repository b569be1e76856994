"""Help and user guide."""
