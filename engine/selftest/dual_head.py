"""Projection with a stored response of two panels, and an update from counts."""

from __future__ import annotations

import numpy as np

from engine.core.backend import Backend
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead, DualHeadSettings
from engine.geometry.dual_head_symmetry import box_of, n_stored_planes, stored_orientations
from engine.operators.matrix.projector import MatrixProjector
from engine.recon.model import HistogramModel
from engine.selftest.reference_answers import Family, Faults, far, random_numbers

_PANELS = DualHeadSettings(
    name="panels of the self-test",
    n_rows=6,
    n_columns=4,
    pitch_mm=2.0,
    crystal_mm=1.8,
    thickness_mm=6.0,
    separation_mm=8.0,
    voxels_per_pitch=4,
    n_planes=5,
    plane_mm=1.0,
)


def _response() -> ResponseMatrix:
    """Return rows with non-zeros in a third of the voxels of their boxes."""
    rng, scanner, s = random_numbers(), DualHead(_PANELS), _PANELS
    orientations = stored_orientations(s.n_rows, s.n_columns)
    n_planes = n_stored_planes(s.n_planes)
    starts, windows, places, values = [0], [], [], []
    for a, b in orientations.tolist():
        n_j, n_k = box_of(a, b, s.voxels_per_pitch)
        for _ in range(n_planes):
            plane = rng.uniform(0.1, 1, (n_j, n_k)) * (rng.random((n_j, n_k)) < 1 / 3)
            # The window is the whole box, so that indices reach its last row and column.
            windows.append((0, 0, n_j, n_k))
            places.append(np.flatnonzero(plane))
            values.append(plane[plane > 0])
            starts.append(starts[-1] + len(values[-1]))
    n = len(orientations)
    return ResponseMatrix(
        scanner,
        np.array(starts, np.int64),
        np.array(windows, np.int16).reshape(n, n_planes, 4),
        # The small types of stored response files, so that their conversion in the kernels is
        # tested too.
        np.concatenate(places).astype(np.uint16),
        np.concatenate(values).astype(np.float16),
        rng.uniform(1e-4, 1e-3, n).astype(np.float32),
        np.zeros(n, np.float32),
        np.zeros(n, np.float32),
    )


def _ask(there: Backend, here: Backend) -> Faults:
    response, rng = _response(), random_numbers()
    asked, judge = (MatrixProjector(response, on=on, dtype=np.float32) for on in (there, here))
    x = rng.random(judge.in_shape, np.float32)
    y = rng.random(judge.out_shape, np.float32)
    yield from far("forward", there.to_host(asked(x)), judge(x))
    yield from far("adjoint", there.to_host(asked.T(y)), judge.T(y))
    counts = rng.poisson(1e4 * judge(x)).astype(np.float32)
    got, wanted = (
        HistogramModel.of(A, np.full(A.out_shape, 0.1, np.float32), counts).subset(1, 4).em_step(x)
        for A in (asked, judge)
    )
    # The update divides two sums, each with its own rounding, hence the wider tolerance.
    yield from far("update of a subset", there.to_host(got.numerator), wanted.numerator, 1e-4)


DUAL_HEAD = Family("dual-head PET", _ask)
