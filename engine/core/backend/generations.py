"""Generations of NVIDIA cards by compute capability, and the CuPy packages that support them.

NVIDIA, "CUDA GPU Compute Capability". NVRTC of CUDA 13 compiles for 7.5 and newer, that of CUDA 12
for 5.0 and newer. Drivers of CUDA 13 up to R580 still support Maxwell, Pascal and Volta ("CUDA
Toolkit Release Notes", deprecated architectures).
"""

from __future__ import annotations

OLDEST_OF_CUPY = {12: 50, 13: 75}
"""Oldest compute capability of the CuPy package for each CUDA version."""
_FIRST_OF = (
    (120, "Blackwell"),
    (100, "Blackwell"),
    (90, "Hopper"),
    (89, "Ada Lovelace"),
    (80, "Ampere"),
    (75, "Turing"),
    (70, "Volta"),
    (60, "Pascal"),
    (50, "Maxwell"),
    (30, "Kepler"),
)
_NEWEST = 130


def generation(compute_capability: int) -> str:
    """Return the generation of a card: 61 is "Pascal, compute capability 6.1".

    Parameters
    ----------
    compute_capability
        ten times the version, 61 for 6.1

    Returns
    -------
    generation and capability; only the capability for an unknown card
    """
    number = f"compute capability {compute_capability // 10}.{compute_capability % 10}"
    for first, name in _FIRST_OF:
        if first <= compute_capability < _NEWEST:
            return f"{name}, {number}"
    return number
