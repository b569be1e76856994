"""Published measurements of the papers on their machines.

PET: Tables 2 and 3 of van Gendt et al., "Productively Accelerating PET Image Reconstruction on GPUs
with Julia", seconds from end to end. CT: Graas et al., "ASTRA KernelKit: GPU-Accelerated Projectors
for Computed Tomography using CuPy", Table 1 and section 4.1.
"""

from __future__ import annotations

from engine.core.json_types import Plain

TABLE2_NOTE = (
    "the paper's seconds: other machines, double precision on the GPUs and float on the CPU, "
    "an unknown number of events; comparable with each other, not with ours"
)
TABLE3_NOTE = (
    "the paper's seconds: other machines, single precision, an unknown number of events, time of "
    "flight and subsets; comparable with each other, not with ours"
)

TABLE2_SECONDS: dict[str, dict[int, float]] = {
    "QETIR, CPU, 1 thread": {32: 21.52, 128: 109.68, 512: 2455.42},
    "basic, V100": {32: 0.72, 128: 3.05, 512: 57.17},
    "optimised, V100": {32: 1.45, 128: 4.48, 512: 20.03},
    "basic, RTX 2080 Ti": {32: 1.13, 128: 4.88, 512: 71.15},
    "optimised, RTX 2080 Ti": {32: 1.74, 128: 7.14, 512: 33.02},
}
"""20 iterations of MLEM: seconds by program and machine, and by the edge of the image [voxels]."""

# In the order of the paper's rows
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
"""4 iterations on 133 × 86 × 580 voxels: seconds of `TABLE3_CASES` by machine, or None."""

CARD = "RTX A6000"
"""GPU of all measurements by Graas et al."""
SLICES_SECONDS: dict[str, dict[str, float]] = {
    "ASTRA": {"FleX-ray": 4.8e-3, "High-speed": 35.8e-3, "Tomobank": 291.7e-3},
    "KernelKit": {"FleX-ray": 0.6e-3, "High-speed": 1.8e-3, "Tomobank": 15.7e-3},
}
"""Three slices from one scan without preparation or upload, by program and scanner."""
PATCH_SECONDS = 0.25e-3
"""Approximate time of a patch of up to 250 × 250 pixels in 1000 views with a CUDA graph."""
TEXTURES_PER_S = {CARD: 605e9, "H100": 1045e9, "H200": 1045e9}
"""Bilinear values per second: 4 per clock and multiprocessor (84 at 1.80 GHz, 132 at 1.98 GHz)."""


def scaled_to(card: str, seconds: float) -> float | None:
    """Scale a time of the paper to another GPU, assuming that textures are the limit.

    Parameters
    ----------
    card
        name of the GPU
    seconds
        time on the paper's GPU

    Returns
    -------
    seconds
        None for an unknown GPU
    """
    # By substring: drivers add "NVIDIA" and the memory size to the name
    for name, per_s in TEXTURES_PER_S.items():
        if name in card:
            return seconds * TEXTURES_PER_S[CARD] / per_s
    return None


DUAL_HEAD_NOTE = (
    "the paper's seconds, Xeon E5620 and Tesla C2070: other machines, another matrix, and lines "
    "without counts skipped; comparable with each other, not with ours"
)
DUAL_HEAD_SECONDS: dict[str, dict[str, tuple[float, float]]] = {
    "Derenzo, CPU": {"forward": (198.78, 14_312.0), "back": (331.57, 23_873.0)},
    "Derenzo, GPU": {"forward": (1.55, 111.38), "back": (9.42, 678.27)},
    "rat, CPU": {"forward": (246.68, 17_761.0), "back": (376.96, 27_141.0)},
    "rat, GPU": {"forward": (2.06, 148.23), "back": (10.55, 759.80)},
}
"""Tables 2 and 3: seconds of a subset and of an iteration, by data and machine."""
ALGORITHMS_SECONDS = {"Algorithm 1": 2417.0, "Algorithm 2": 171.36, "Algorithm 3": 111.38}
"""Table 1: forward projection of an iteration on the GPU without symmetry, with it, and with shared
memory and textures.
"""


def dual_head() -> list[Plain]:
    """Return Tables 2 and 3 of the dual-head paper, a row for each case."""
    return [
        {"who": who, "case": case, "subset_s": subset_s, "iteration_s": iteration_s}
        for who, cases in DUAL_HEAD_SECONDS.items()
        for case, (subset_s, iteration_s) in cases.items()
    ]


def dual_head_algorithms() -> list[Plain]:
    """Return Table 1 of the dual-head paper."""
    return [{"who": who, "iteration_s": value} for who, value in ALGORITHMS_SECONDS.items()]


def table2() -> list[Plain]:
    """Return the paper's Table 2, a row for each size."""
    return [
        {"who": who, "size": size, "seconds": seconds}
        for who, sizes in TABLE2_SECONDS.items()
        # One row per value, in the same form as our measurements
        for size, seconds in sizes.items()
    ]


def table3() -> list[Plain]:
    """Return the paper's Table 3, a row for each case it gives."""
    return [
        {"who": who, "case": case, "seconds": value}
        for who, values in TABLE3_SECONDS.items()
        for case, value in zip(TABLE3_CASES, values, strict=True)
        if value is not None
    ]
