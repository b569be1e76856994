"""Help and user's guide."""
