"""The seconds of Tables 2 and 3 of the paper, from end to end: their machines, their events.

Van Gendt et al., "Productively Accelerating PET Image Reconstruction on GPUs with Julia".
"""

from __future__ import annotations

from typing import Any

TABLE2_NOTE = (
    "the paper's seconds: other machines, double precision on the GPUs and float on the CPU, "
    "an unknown number of events; not comparable with ours, only with each other"
)
TABLE3_NOTE = (
    "the paper's seconds: other machines, single precision, an unknown number of events, time of "
    "flight and subsets; not comparable with ours, only with each other"
)

TABLE2_SECONDS: dict[str, dict[int, float]] = {
    "QETIR, CPU, 1 thread": {32: 21.52, 128: 109.68, 512: 2455.42},
    "basic, V100": {32: 0.72, 128: 3.05, 512: 57.17},
    "optimised, V100": {32: 1.45, 128: 4.48, 512: 20.03},
    "basic, RTX 2080 Ti": {32: 1.13, 128: 4.88, 512: 71.15},
    "optimised, RTX 2080 Ti": {32: 1.74, 128: 7.14, 512: 33.02},
}
"""20 iterations of MLEM: program and machine to seconds by edge of the image [voxels]."""

TABLE3_CASES = (
    "MLEM",
    "MLEM, sensitivity",
    "OSEM",
    "MLEM, attenuation",
    "MLEM, time of flight",
    "MLEM, median",
    "OSEM with all",
)
TABLE3_SECONDS: dict[str, tuple[float | None, ...]] = {
    "QETIR, CPU, 1 thread": (87.46, 89.65, 43.16, 93.60, None, 120.89, None),
    "V100": (0.97, 0.99, 0.60, 1.31, 1.27, 1.04, 1.17),
    "RTX 2080 Ti": (1.43, 1.44, 0.77, 1.79, 1.58, 1.49, 1.29),
}
"""4 iterations on 133 × 86 × 580 voxels: machine to seconds of `TABLE3_CASES`; None: not given."""


def table2() -> list[dict[str, Any]]:
    """Return the paper's Table 2, a row for each size."""
    return [
        {"who": who, "size": size, "seconds": seconds}
        for who, sizes in TABLE2_SECONDS.items()
        for size, seconds in sizes.items()
    ]


def table3() -> list[dict[str, Any]]:
    """Return the paper's Table 3, a row for each case it gives."""
    return [
        {"who": who, "case": case, "seconds": value}
        for who, values in TABLE3_SECONDS.items()
        for case, value in zip(TABLE3_CASES, values, strict=True)
        if value is not None
    ]
