"""Interfile headers, images and sinograms."""
