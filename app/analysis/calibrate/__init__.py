"""Dialogs that create a normalisation or a calibration."""
