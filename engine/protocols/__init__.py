"""Protocols: the saved choice of grid, corrections, algorithm and filters for each kind of scan."""
