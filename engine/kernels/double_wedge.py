"""Amplitude of a sinogram outside its double wedge, to find the axis of parallel rays.

    sum(c) = Σ_(n, ω)  | F(n, ω) + G(n, ω) exp(-2 i ω c) |

F and G are the transforms of half a turn and of its mirror image, n periods per turn and ω rad per
column (`engine.corrections.preprocess.axis_search`). The terms of a frequency ω are side by side.
All axes c are processed before the next ω, so that its terms stay in the cache.
"""

from __future__ import annotations

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit
from engine.kernels.processor import LANES
from engine.kernels.vectors.registers import every, read, root, write

_KERNEL = cached_njit(fastmath={"contract"}, error_model="numpy")


@_KERNEL
def add_amplitudes(starts: Array, waves: Array, phases: Array, sums: Array) -> None:
    """Add the amplitudes of all terms to the sums of each axis.

    Parameters
    ----------
    starts
        (n_frequencies + 1,) first term of each frequency, and the number of terms; multiples of
        `LANES`
    waves
        (4, n_terms) float64: real and imaginary parts of F, then of G
    phases
        (n_frequencies, n_axes, 2) float64: real and imaginary part of exp(-2 i ω c)
    sums
        (n_axes, LANES) float64, one sum for each lane, which are added to
    """
    n_terms = waves.shape[1]
    for k in range(len(starts) - 1):
        for axis in range(phases.shape[1]):
            real, imaginary = every(phases[k, axis, 0]), every(phases[k, axis, 1])
            total = read(sums, axis * LANES)
            for i in range(starts[k], starts[k + 1], LANES):
                x, y = read(waves, i + 2 * n_terms), read(waves, i + 3 * n_terms)
                one = read(waves, i) + real * x - imaginary * y
                other = read(waves, i + n_terms) + real * y + imaginary * x
                total = total + root(one * one + other * other)
            write(total, sums, axis * LANES)
