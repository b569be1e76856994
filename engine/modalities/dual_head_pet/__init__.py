"""Dual-head PET: counts on the lines of two panels, and their stored response."""
