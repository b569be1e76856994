"""Measurements, regions and calibration."""
