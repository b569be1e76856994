"""The technician's mode."""
