"""Generations of NVIDIA cards by compute capability, and which CuPy compiles for them.

NVIDIA, "CUDA GPU Compute Capability". NVRTC of CUDA 13 compiles for 7.5 and newer, that of CUDA 12
for 5.0 and newer; drivers of CUDA 13 up to R580 serve Maxwell, Pascal and Volta all the same
("CUDA Toolkit Release Notes", deprecated architectures).
"""

from __future__ import annotations

OLDEST_OF_CUPY = {12: 50, 13: 75}
"""CUDA version of a CuPy package to the oldest compute capability that it compiles for."""
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
    """Return a card's generation in words: 61 is "Pascal, compute capability 6.1"."""
    number = f"compute capability {compute_capability // 10}.{compute_capability % 10}"
    for first, name in _FIRST_OF:
        if first <= compute_capability < _NEWEST:
            return f"{name}, {number}"
    return number
