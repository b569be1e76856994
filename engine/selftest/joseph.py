"""Joseph's line integrals, their exact adjoint, and the integrals from textures."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.operators.xray.transform import XrayTransform
from engine.selftest.reference_answers import TEXTURE_RTOL, Family, Faults, far
from engine.selftest.x_rays import GRID, projections, scans, tall, volume


def _ask(there: Backend, here: Backend) -> Faults:
    for name, geometry in scans().items():
        asked, judge = (XrayTransform(geometry, GRID, on=on) for on in (there, here))
        y = projections(geometry)
        wanted = judge(volume())
        yield from far(f"forward, {name}", there.to_host(asked(volume())), wanted)
        yield from far(f"adjoint, {name}", there.to_host(asked.T(y)), judge.T(y))
        # Textures have 8-bit fractions, so this variant has a wider tolerance.
        by_texture = XrayTransform(geometry, GRID, on=there, adjoint="voxel")
        got = there.to_host(by_texture(volume()))
        yield from far(f"forward by textures, {name}", got, wanted, TEXTURE_RTOL)
    # A tall volume selects another kernel, in which voxels gather from rays.
    geometry, grid = tall()
    y = projections(geometry)
    wanted = XrayTransform(geometry, grid, on=here).T(y)
    for name, streams in (("", False), (", transferred in parts", True)):
        asked = XrayTransform(geometry, grid, on=there, streams=streams)
        yield from far(f"adjoint of many slices{name}", there.to_host(asked.T(y)), wanted)


JOSEPH = Family("line integrals of X-rays", _ask)
