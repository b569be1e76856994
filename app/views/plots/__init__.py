"""Plots and histograms."""
