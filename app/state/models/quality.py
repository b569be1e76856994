"""Fast, Standard, Fine: the same protocol with larger or smaller voxels and other iterations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.language.translation import tr
from engine.core.errors import EngineError
from engine.geometry import Point
from engine.modalities import OpenStudy, Protocol, modality_of

Quality = Literal["fast", "standard", "fine"]
QUALITIES: tuple[Quality, ...] = ("fast", "standard", "fine")
VOXEL_FACTORS = {"fast": 2.0, "standard": 1.0, "fine": 2 / 3}
ITERATION_FACTORS = {"fast": 0.5, "standard": 1.0, "fine": 2.0}
TEXTS = {
    "fast": tr("Voxels twice as large and half the iterations, for a first look"),
    "standard": tr("Voxel size and iterations of the protocol"),
    "fine": tr(
        "Voxels two thirds as large and twice the iterations, for sharp scans with little noise"
    ),
}


SHORT_TEXTS = {
    "fast": tr("2 × voxel size"),
    "standard": tr("protocol unchanged"),
    "fine": tr("⅔ voxel size"),
}
ITERATIVE_TEXTS = {
    "fast": tr("2 × voxel size, ½ × iterations"),
    "standard": SHORT_TEXTS["standard"],
    "fine": tr("⅔ voxel size, 2 × iterations"),
}


def caption_of(quality: Quality | None, base: Protocol) -> str:
    """Return what a quality does to a protocol, in a few words; empty where none is chosen."""
    if quality is None:
        return ""
    return (ITERATIVE_TEXTS if _iterates(base) else SHORT_TEXTS)[quality]


def _iterates(protocol: Protocol) -> bool:
    """Whether there are iterations to change; a direct algorithm has none."""
    return "iterations" in type(protocol.algorithm).model_fields


Fit = Callable[[Point], Point]
"""Returns the voxel nearest to one that the scanner allows."""


def at_quality(
    base: Protocol, quality: Quality, usual_voxel_mm: Point | None, fit: Fit | None = None
) -> Protocol:
    """Return the protocol `base` at a quality.

    Where it leaves the voxels out they become multiples of the usual ones, once these are known.
    """
    if quality == "standard":
        return base
    voxel = base.grid.voxel_mm or usual_voxel_mm
    if voxel is not None:
        voxel = _scaled(voxel, VOXEL_FACTORS[quality])
        voxel = fit(voxel) if fit else voxel
    algorithm = base.algorithm
    if _iterates(base):
        algorithm = algorithm.scaled(ITERATION_FACTORS[quality])
    grid = base.grid.model_copy(update={"voxel_mm": voxel})
    return base.model_copy(update={"grid": grid, "algorithm": algorithm})


def quality_of(
    protocol: Protocol, base: Protocol, usual_voxel_mm: Point | None, fit: Fit | None = None
) -> Quality | None:
    """Return the quality at which `base` gives `protocol`; None if it was changed by hand."""
    if protocol == base:  # which others are, too, while the voxels are not known
        return "standard"
    matches = (q for q in QUALITIES if at_quality(base, q, usual_voxel_mm, fit) == protocol)
    return next(matches, None)


@dataclass(frozen=True)
class Qualities:
    """The qualities of a saved protocol for a scan, of which little or nothing may be known."""

    base: Protocol
    known: OpenStudy

    def at(self, quality: Quality) -> Protocol:
        """Return the protocol at a quality."""
        return at_quality(self.base, quality, self.usual_voxel_mm, self._fitting)

    def of(self, protocol: Protocol) -> Quality | None:
        """Return the quality at which this protocol is given; None if it was changed by hand."""
        return quality_of(protocol, self.base, self.usual_voxel_mm, self._fitting)

    @property
    def usual_voxel_mm(self) -> Point | None:
        """Voxel of the protocol where it does not say; None where that is not known."""
        try:
            usual = modality_of(self.base).default_grid(self.base, self.known)
        except EngineError:
            return None
        return usual[0] if usual else None

    def _fitting(self, voxel_mm: Point) -> Point:
        return modality_of(self.base).fitting_voxel(voxel_mm, self.known)


def _scaled(voxel_mm: Point, factor: float) -> Point:
    x, y, z = (_rounded(edge * factor) for edge in voxel_mm)
    return x, y, z


def _rounded(edge_mm: float) -> float:
    """To a micrometre; edges below a millimetre to three figures."""
    return round(edge_mm, 3) if edge_mm >= 1 else float(f"{edge_mm:.3g}")
