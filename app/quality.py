"""Fast, Standard, Fine: the same protocol with larger or smaller voxels and other iterations."""

from __future__ import annotations

from typing import Literal

from engine.geometry.grid import Point
from engine.geometry.scanner import Scanner
from engine.protocol import Protocol

Quality = Literal["fast", "standard", "fine"]
QUALITIES: tuple[Quality, ...] = ("fast", "standard", "fine")
VOXEL_FACTORS = {"fast": 2.0, "standard": 1.0, "fine": 2 / 3}
ITERATION_FACTORS = {"fast": 0.5, "standard": 1.0, "fine": 2.0}
TEXTS = {
    "fast": "Voxels twice as large, half the iterations: a first look",
    "standard": "As the protocol says",
    "fine": "Voxels two thirds as large, twice the iterations: for sharp, quiet scans",
}


def at_quality(base: Protocol, quality: Quality, scanner: Scanner | None) -> Protocol:
    """Return the protocol `base` at a quality; its voxels need a scanner or a size of their own."""
    if quality == "standard":
        return base
    voxel = base.grid.voxel_mm or (scanner.default_voxel_mm if scanner else None)
    grid = base.grid.model_copy(
        update={"voxel_mm": _scaled(voxel, VOXEL_FACTORS[quality]) if voxel else None}
    )
    n = max(1, round(base.algorithm.n_iterations * ITERATION_FACTORS[quality]))
    algorithm = base.algorithm.model_copy(update={"iterations": n})
    return base.model_copy(update={"grid": grid, "algorithm": algorithm})


def quality_of(protocol: Protocol, base: Protocol, scanner: Scanner | None) -> Quality | None:
    """Return the quality at which `base` gives `protocol`; None if it was changed by hand."""
    matches = (q for q in QUALITIES if at_quality(base, q, scanner) == protocol)
    return next(matches, None)


def _scaled(voxel_mm: Point, factor: float) -> Point:
    x, y, z = (round(edge * factor, 3) for edge in voxel_mm)
    return x, y, z
