"""Linear model of X-ray CT from line integrals, a grid and a projector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.profiling import Profiler
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid
from engine.operators.xray.transform import Adjoint, XrayTransform
from engine.recon.filtering.fdk import FilteredBackProjection
from engine.recon.model import LinearModel

OnProgress = Callable[[int, int], None]


def projector(
    projections: Projections,
    grid: ImageGrid,
    *,
    on: Backend,
    adjoint: Adjoint = "matched",
    streams: bool | None = None,
    on_progress: OnProgress | None = None,
    profiler: Profiler | None = None,
) -> XrayTransform:
    """Return the projection operator of a scan.

    Parameters
    ----------
    projections
        line integrals
    grid
        grid of the image
    on
        device
    adjoint
        type of back projection, see `XrayTransform`
    streams
        True to pass data through the GPU in parts; None to decide by the free memory
    on_progress
        called with the work done and in total; None if it is not needed
    profiler
        profiler of the run; None if it is not needed
    """
    expect_integrals(projections)
    return XrayTransform(
        projections.geometry,
        grid,
        on=on,
        adjoint=adjoint,
        streams=streams,
        on_progress=on_progress,
        profiler=profiler,
    )


def build(projections: Projections, A: XrayTransform, *, direct: bool = False) -> LinearModel:
    """Return the linear model of a scan.

    Parameters
    ----------
    projections
        line integrals
    A
        projection operator
    direct
        True if the projections are used only once, so that they are copied to a GPU in chunks
    """
    values = np.ascontiguousarray(projections.values, np.float32)
    # Iterations read the projections again and again, so one copy on the GPU pays off.
    if A.on.is_cuda and not A.streams and not direct:
        with A.span("upload", events=values.size, bytes=values.nbytes, unit="pixels"):
            values = A.on.to_device(values)
    x, y, z = A.grid.voxel_mm
    return LinearModel(A, values, (z, y, x), FilteredBackProjection(A))


def expect_integrals(projections: Projections) -> None:
    """Refuse projections that are not line integrals.

    Parameters
    ----------
    projections
        scan at any stage

    Raises
    ------
    DataError
        if they are counts or transmissions; the message names the missing step
    """
    # Without flat fields, "switch on the flat field" would be useless advice.
    if projections.kind == "counts" and projections.flats is None:
        raise DataError(
            "the projections are counts, but the scan has no flat fields; give the counts of the "
            "open beam (--set steps.flat_field.open_counts=N), or the detector edge that sees "
            "only air: left, right or both (such as --set steps.flat_field.air=both)."
        )
    if projections.kind != "integrals":
        raise DataError(
            f"the projections are of kind {projections.kind!r}, expected 'integrals'; switch on "
            "the flat field and the logarithm."
        )


def describe_adjoint(A: XrayTransform) -> str:
    """Describe the back projection and its deviation from the exact adjoint.

    Parameters
    ----------
    A
        projection operator
    """
    difference = f"{A.adjoint_mismatch():.0e}"
    if A.adjoint_kind == "matched":
        return (
            "Back projection matched: it is the exact transpose of the line integrals. The "
            f"relative difference of ⟨Ax, y⟩ and ⟨x, Aᵀy⟩ is {difference}"
        )
    return (
        "Back projection voxel: it is voxel-driven. The relative difference of ⟨Ax, y⟩ and "
        f"⟨x, Aᵀy⟩ is {difference}"
    )


def empty_start(grid: ImageGrid) -> NDArray[np.float32]:
    """Return an image of zeros.

    Parameters
    ----------
    grid
        grid of the image
    """
    return np.zeros(grid.shape, np.float32)
