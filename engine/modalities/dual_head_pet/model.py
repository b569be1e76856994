"""System model of dual-head PET from a corrected histogram and a response matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.histogram import Histogram, total
from engine.data.layered_response import LayeredResponse, StoredResponse
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head_symmetry import stored_index
from engine.operators.matrix.layered import projector
from engine.operators.prior import Prior
from engine.recon.model import HistogramModel

OnProgress = Callable[[int, int], None]

UNIT = "decays"
"""Unit of the image: photon pairs emitted by each voxel during the frame."""


def usable(data: Histogram) -> tuple[Histogram, float]:
    """Return the histogram without counts on dead lines, and their number.

    Parameters
    ----------
    data
        histogram with its factors
    """
    if data.factors is None:
        return data, 0.0
    # A count on a line that detects nothing has probability 0, which no image explains.
    live = data.factors > 0
    n_dropped = total(data.prompts[~live])
    if not n_dropped:
        return data, 0.0
    return replace(data, prompts=np.where(live, data.prompts, np.float32(0))), n_dropped


def build(
    data: Histogram,
    response: StoredResponse,
    *,
    n_subsets: int,
    on: Backend,
    prior: Prior | None = None,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> HistogramModel:
    """Return the model of `usable` counts.

    With one subset the sensitivity of all lines is computed here. With more, the model computes
    that of each subset.

    Parameters
    ----------
    data
        counts from `usable`, with factors and background
    response
        response of the scanner
    n_subsets
        number of subsets
    on
        device
    prior
        prior of the image; None for none
    on_progress
        called with the work done and in total; None if it is not needed
    profiler
        profiler of the run; None if it is not needed
    """
    A = projector(response, on=on, on_progress=on_progress, profiler=profiler)
    counts, background = np.asarray(data.prompts), _background(data)
    if n_subsets == 1:
        return replace(HistogramModel.of(A, background, counts, data.factors), prior=prior)
    return HistogramModel(A, background, np.zeros((), np.float32), counts, data.factors, prior)


def uniform_start(data: Histogram, response: StoredResponse) -> NDArray[np.float32]:
    """Return the uniform image that explains the counts without the background.

    Parameters
    ----------
    data
        histogram with factors and background
    response
        response of the scanner

    Raises
    ------
    DataError
        if there are no counts on live lines
    """
    counts = data.n_prompts
    background = 0.0 if data.background is None else total(data.background)
    if counts <= 0:
        raise DataError(
            "the histogram has no counts on usable lines of response; check the scanner and the "
            "normalisation."
        )
    # Sums by orientation suffice for a uniform image, without a projection.
    detected = total(sums_of_rows(response) * _factors_of_orientations(data))
    # At least 1 % of the counts: EM cannot leave an image of zeros.
    level = max(counts - background, 0.01 * counts) / detected
    return np.full(response.scanner.grid.shape, np.float32(level), np.float32)


def _background(data: Histogram) -> Array:
    """Return the background relative to the detection factor, g = c / n."""
    if data.background is None:
        return np.zeros((), np.float32)
    if data.factors is None:
        return data.background
    live = data.factors > 0
    return np.divide(data.background, data.factors, out=np.zeros_like(data.factors), where=live)


def sums_of_rows(response: StoredResponse) -> Array:
    """Return the sum of the detection probabilities over all voxels.

    Parameters
    ----------
    response
        response of the scanner

    Returns
    -------
    sums_of_rows
        (n_orientations,) for one line of each; with several layers, by pair of layers
    """
    if not isinstance(response, LayeredResponse):
        return _sums_of_rows(response)
    n, parts = response.scanner.settings.n_layers, []
    for i, k in np.ndindex(n, n):
        sums = _sums_of_rows(response.matrices[min(i, k), max(i, k)])
        # The image has half of the planes of unequal layers, because both halves are equal.
        parts.append(sums if i == k else sums / 2)
    return np.concatenate(parts)


def _sums_of_rows(response: ResponseMatrix) -> Array:
    s, n_planes = response.scanner.settings, response.n_planes_stored
    # The middle plane is its own mirror image, so it is counted once.
    has_middle = s.n_planes % 2
    sums = np.empty(len(response.scales))
    for i, scale in enumerate(response.scales):
        begin, middle, end = response.starts[i * n_planes + np.array([0, n_planes - 1, n_planes])]
        sums[i] = scale * (
            2 * total(response.values[begin:end]) - has_middle * total(response.values[middle:end])
        )
    # Only a ≥ b ≥ 0 is stored; the sum over voxels is the same for all its images.
    a, b = np.abs(response.scanner.orientations.offsets).T
    return sums[stored_index(np.maximum(a, b), np.minimum(a, b), s.n_rows, s.n_columns)]


def _factors_of_orientations(data: Histogram) -> Array:
    """Return the sums of the factors of all lines of each orientation."""
    table, n_pairs = data.scanner.orientations, data.scanner.settings.n_layers**2
    if data.factors is None:
        return np.tile(table.n_shifts, n_pairs)
    starts = np.arange(n_pairs)[:, None] * table.n_pairs + table.starts[:-1]
    return np.add.reduceat(data.factors, starts.ravel(), dtype=np.float64)
