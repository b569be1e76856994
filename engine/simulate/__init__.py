"""Phantoms with exact line integrals, and simulated list-mode and X-ray scans of them."""

from __future__ import annotations

from collections.abc import Callable

from engine.simulate.anatomy import brain, thorax
from engine.simulate.jaw import jaw
from engine.simulate.listmode import simulate_listmode
from engine.simulate.phantom import Phantom, ShapePhantom
from engine.simulate.phantoms import (
    cylinder_with_spheres,
    derenzo,
    point,
    three_line_sources,
    uniform_cylinder,
)
from engine.simulate.voxels import VoxelPhantom, from_volumes, mni_brain
from engine.simulate.xray import Detector, simulate_integrals, simulate_xray
from engine.simulate.xray_phantoms import shepp_logan, tooth

PHANTOMS: dict[str, Callable[[], Phantom]] = {
    "lines": three_line_sources,
    "derenzo": derenzo,
    "spheres": cylinder_with_spheres,
    "cylinder": uniform_cylinder,
    "brain": brain,
    "thorax": thorax,
    "point": point,
}
"""Key on the command line to the function that makes the phantom."""

__all__ = [
    "PHANTOMS",
    "Detector",
    "Phantom",
    "ShapePhantom",
    "VoxelPhantom",
    "brain",
    "cylinder_with_spheres",
    "derenzo",
    "from_volumes",
    "jaw",
    "mni_brain",
    "point",
    "shepp_logan",
    "simulate_integrals",
    "simulate_listmode",
    "simulate_xray",
    "thorax",
    "three_line_sources",
    "tooth",
    "uniform_cylinder",
]
