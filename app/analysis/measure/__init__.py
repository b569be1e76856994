"""Measurements in the displayed image."""
