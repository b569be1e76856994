"""Compile the kernels of a stored response before a run needs them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.core.backend import Backend
from engine.modalities.kernel_steps import Steps

if TYPE_CHECKING:
    from engine.data.layered_response import StoredResponse
    from engine.geometry.dual_head import DualHead

FEW_POINTS = 512


def of_response(response: StoredResponse, *, on: Backend, scatter: bool = False) -> Steps:
    """Return calls that compile the kernels of projections with a response.

    Parameters
    ----------
    response
        response of the scanner
    on
        device
    scatter
        True if scatter is simulated

    Returns
    -------
    response
        includes the photon tracking for the edges of blocks
    """
    from engine.core.profiling import Profiler
    from engine.data.layered_response import LayeredResponse
    from engine.operators.crystal_edges import edge_efficiencies
    from engine.operators.matrix.device import DeviceResponse
    from engine.operators.matrix.projector import MatrixProjector

    edges = partial(edge_efficiencies, response.scanner, n_photons=1)
    photons: Steps = [edges, *_of_scatter(response.scanner, on, scatter=scatter)]
    # All pairs of layers use the same kernels.
    if isinstance(response, LayeredResponse):
        response = response.matrices[0, 0]  # all go through the same kernels
    if on.gpu is not None:
        stored = partial(DeviceResponse, response, on.gpu, Profiler(on))
        return [*photons, stored, lambda: stored().grouped(np.arange(1))]
    A = MatrixProjector(response, on=on, orientations=np.arange(1))
    image, values = np.zeros(A.in_shape, np.float32), np.zeros(A.out_shape, np.float32)
    return [*photons, lambda: A(image), lambda: A.T(values)]


def _of_scatter(scanner: DualHead, on: Backend, *, scatter: bool) -> Steps:
    from engine.modalities.ring_scatter.warm_up import of_scatter
    from engine.operators.panel_energies import relative_efficiency

    tracked = partial(relative_efficiency, scanner, np.zeros(1), n_photons=1)
    return [tracked, *of_scatter(on, None, scatter=True, twice=False)] if scatter else []


def compute_and_project(on: Backend) -> None:
    """Compute a small response, and project with it.

    Parameters
    ----------
    on
        device
    """
    from engine.geometry.dual_head import DualHead, DualHeadSettings
    from engine.modalities.dual_head_pet.response.building import build_analytic
    from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

    panels = DualHeadSettings(
        name="few", n_rows=2, n_columns=2, pitch_mm=2, crystal_mm=2, thickness_mm=10,
        separation_mm=10, n_planes=2, plane_mm=2,
    )  # fmt: skip
    few = AnalyticResponse(n_points=FEW_POINTS)
    response = build_analytic(DualHead(panels), few, threads=on.threads)
    for step in of_response(response, on=on):
        step()
