"""Scatter estimate of ring scanners from their own images, for events and sinograms."""
