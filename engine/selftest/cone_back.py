"""Voxel-driven back projection, of a whole volume and of a box, for several geometries."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.operators.xray.scene import Region
from engine.operators.xray.transform import XrayTransform
from engine.selftest.reference_answers import TEXTURE_RTOL, Family, Faults, far
from engine.selftest.x_rays import GRID, projections, scans

# A box inside the volume with edges that are not aligned to thread blocks.
_BOX: Region = (slice(2, 9), slice(5, 30), slice(1, 20))


def _ask(there: Backend, here: Backend) -> Faults:
    for name, geometry in scans().items():
        asked, judge = (XrayTransform(geometry, GRID, on=on) for on in (there, here))
        y = projections(geometry)
        # The same kernel with two weights; the FDK weight contains the squared distance from the
        # source.
        for weighting in ("fdk", "adjoint"):
            got = there.to_host(asked.back_project(y, weighting=weighting))
            wanted = judge.back_project(y, weighting=weighting)
            yield from far(f"{weighting} weights, {name}", got, wanted, TEXTURE_RTOL)
        got = there.to_host(asked.back_project(y, weighting="fdk", region=_BOX))
        wanted = judge.back_project(y, weighting="fdk", region=_BOX)
        yield from far(f"a box, {name}", got, wanted, TEXTURE_RTOL)


CONE_BACK = Family("back projection of X-rays", _ask)
