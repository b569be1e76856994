"""What projection with a stored response holds in memory, for forecasts too: without kernels."""

from __future__ import annotations

LANES = 8
"""Mirror images of an orientation, of both halves of the planes."""
MOST_PLANE_BYTES = 1 << 20
"""A plane with all of its mirror images stays in the second cache of a processor up to here."""
MOST_KEPT_BYTES = 512 << 20
"""Memory of decoded rows that are kept; others are decoded again for each projection."""


def fits_in_lanes(n_bytes: int) -> bool:
    """Return whether a plane of so many bytes is small enough for its mirror images beside it."""
    return LANES * n_bytes <= MOST_PLANE_BYTES
