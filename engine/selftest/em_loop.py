"""Loop of expectation maximisation: as a recorded graph, and in chunks through a second stream."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.operators.rays import RayProjector
from engine.recon.model import ListModeModel
from engine.recon.model.counts import EmLoop
from engine.selftest.list_mode import GRID, TOF, N, image, rays, values
from engine.selftest.reference_answers import Family, Faults, far, other

_N_SUBSETS = 2
# Not a divisor of the number of events: the last chunk is shorter.
_CHUNK = 130


def _ask(there: Backend, here: Backend) -> Faults:
    model = _model(here)
    wanted, likelihood = _result(model.em_loop(image(), _N_SUBSETS))
    # Free memory decides between both ways, so they must give the same bits.
    for words, chunk in (("events in memory", None), ("events in chunks", _CHUNK)):
        on = _model(there)
        loop = on.A.em_loop(image(), on.background, on.sensitivity, _N_SUBSETS, chunk=chunk)
        got, found = _result(loop)
        yield from other(f"image, {words}", got, wanted)
        yield from far(f"likelihood, {words}", np.array([found]), np.array([likelihood]))


def _model(on: Backend) -> ListModeModel:
    A = RayProjector(rays(is_timed=True), GRID, on=on, tof=TOF, reproducible=True)
    sensitivity = np.full(GRID.shape, 30.0, np.float32)
    sensitivity[0] = 0  # a slice outside all lines, where the result must be 0 and not NaN
    return ListModeModel(A, values(N), sensitivity)


def _result(loop: EmLoop) -> tuple[NDArray[np.float32], float]:
    figures = (0.0, 0)
    for _ in range(2):
        for k in range(_N_SUBSETS):
            loop.update(k)
        figures = loop.figures(figures)
    return loop.snapshot()(), figures[0]


EM_LOOP = Family("EM loop", _ask)
