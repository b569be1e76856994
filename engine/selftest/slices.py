"""Slices of any orientation that are moved and get new projections."""

from __future__ import annotations

import numpy as np

from engine.core.backend import Backend
from engine.geometry.plane import Plane, orthogonal
from engine.operators.xray.slices import Slices
from engine.selftest.reference_answers import TEXTURE_RTOL, Family, Faults, far
from engine.selftest.x_rays import projections, scans

_HALF = float(np.sqrt(0.5))
_OBLIQUE = Plane((9, 9), 1.1, (0.3, -1.0, 0.7), (_HALF, _HALF, 0.0), (0.0, 0.0, -1.0))


def _ask(there: Backend, here: Backend) -> Faults:
    for name, geometry in scans().items():
        planes = orthogonal((9, 9), 1.1, (-1.0, 2.0, 0.5))
        asked, judge = (Slices(geometry, planes, on=on) for on in (there, here))
        y = projections(geometry)
        for words in ("first", "moved, new projections"):
            for each in (asked, judge):
                each.update(y)
            for number, (got, wanted) in enumerate(
                zip(asked.values(), judge.values(), strict=True), 1
            ):
                what = f"slice {number}, {words}, {name}"
                yield from far(what, there.to_host(got), wanted, TEXTURE_RTOL)
            # New projections and planes on the same object: nothing of the first pass may remain.
            y = np.ascontiguousarray(y[::-1] + 0.25)
            for each in (asked, judge):
                each.place([planes[2], _OBLIQUE, planes[0]])


SLICES = Family("slices", _ask)
