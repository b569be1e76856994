"""End of the fixed-point iterations, for displays that do not load the kernels."""

SMALL = 0.005
"""Largest change of a component, in standard errors, at which the iteration ends."""
MAX_STEPS = 500
"""Number of steps after which the iteration ends without convergence."""
