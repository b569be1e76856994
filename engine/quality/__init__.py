"""Figures of merit of images."""
