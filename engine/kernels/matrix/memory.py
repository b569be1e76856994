"""Memory of projection with a stored response; estimates use it without loading kernels."""

from __future__ import annotations

LANES = 8
"""Mirror images of an orientation, including those across the panels."""
MAX_PLANE_BYTES = 1 << 20
"""Maximum size of a plane with its mirror images that stays in the L2 cache."""
MAX_CACHED_BYTES = 512 << 20
"""Maximum memory of cached decoded rows; others are decoded for each projection."""


def fits_in_lanes(n_bytes: int) -> bool:
    """Return True if a plane and its mirror images fit the L2 cache.

    Parameters
    ----------
    n_bytes
        size of the plane
    """
    return LANES * n_bytes <= MAX_PLANE_BYTES
