"""Measurements in the image on show."""
