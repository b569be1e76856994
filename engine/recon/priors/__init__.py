"""Priors: penalties with their proximal maps."""
