"""X-ray CT: line integrals, a grid and a projector make a linear model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backend import Backend
from engine.data.projections import Projections
from engine.errors import DataError
from engine.geometry.grid import ImageGrid
from engine.model import LinearModel
from engine.operators.xray import Adjoint, XrayTransform
from engine.profiling import Profiler

Tick = Callable[[int, int], None]


def build(
    projections: Projections,
    grid: ImageGrid,
    *,
    on: Backend,
    adjoint: Adjoint = "matched",
    streams: bool | None = None,
    tick: Tick | None = None,
    profiler: Profiler | None = None,
) -> LinearModel:
    """Compose the model of line integrals; `adjoint` and `streams` : see `XrayTransform`.

    On a GPU the projections are copied there, unless it streams.
    """
    expect_integrals(projections)
    A = XrayTransform(
        projections.geometry,
        grid,
        on=on,
        adjoint=adjoint,
        streams=streams,
        tick=tick,
        profiler=profiler,
    )
    values = np.ascontiguousarray(projections.values, np.float32)
    if on.is_cuda and not A.streams:
        with A.span("upload", events=values.size, bytes=values.nbytes, unit="pixels"):
            values = on.to_device(values)
    x, y, z = grid.voxel_mm
    return LinearModel(A, values, spacing_mm=(z, y, x))


def expect_integrals(projections: Projections) -> None:
    """Refuse projections that are not line integrals yet."""
    if projections.kind != "integrals":
        raise DataError(
            f"the projections are {projections.kind}, no line integrals; "
            "switch flat field and logarithm on."
        )


def describe_adjoint(model: LinearModel) -> str:
    """Say which back projection runs, and how far it is from the adjoint of the line integrals."""
    A: Any = model.A  # an XrayTransform
    kind = {"matched": "the exact transpose of the line integrals", "voxel": "voxel-driven"}
    return (
        f"Back projection {A.adjoint_kind}, {kind[A.adjoint_kind]}: ⟨Ax, y⟩ and ⟨x, Aᵀy⟩ differ by "
        f"{A.adjoint_mismatch():.0e} of themselves"
    )


def empty_start(grid: ImageGrid) -> NDArray[np.float32]:
    """Return the image that absorbs nothing."""
    return np.zeros(grid.shape, np.float32)
