"""Dialogs that measure a normalisation or a calibration."""
