"""Forms created from settings classes."""
