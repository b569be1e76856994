"""Projections that a settings file describes."""
