"""Measurements in images: quality, regions, registration."""
