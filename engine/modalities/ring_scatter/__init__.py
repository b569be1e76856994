"""Scatter of ring scans from their own images, whether they are events or sinograms."""
