"""Joseph's line integrals and their exact adjoint, and the integrals that textures give."""

from __future__ import annotations

from engine.backend import Backend
from engine.operators.xray import XrayTransform
from engine.selftest.known import TEXTURE_RTOL, Family, Faults, far
from engine.selftest.x_rays import GRID, projections, scans, tall, volume


def _ask(there: Backend, here: Backend) -> Faults:
    for name, geometry in scans().items():
        asked, judge = (XrayTransform(geometry, GRID, on=on) for on in (there, here))
        y = projections(geometry)
        wanted = judge(volume())
        yield from far(f"forward, {name}", there.to_host(asked(volume())), wanted)
        yield from far(f"adjoint, {name}", there.to_host(asked.T(y)), judge.T(y))
        by_texture = XrayTransform(geometry, GRID, on=there, adjoint="voxel")
        got = there.to_host(by_texture(volume()))
        yield from far(f"forward by textures, {name}", got, wanted, TEXTURE_RTOL)
    geometry, grid = tall()
    y = projections(geometry)
    got, wanted = (on.to_host(XrayTransform(geometry, grid, on=on).T(y)) for on in (there, here))
    yield from far("adjoint of many slices", got, wanted)


JOSEPH = Family("line integrals of X-rays", _ask)
