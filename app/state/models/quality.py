"""Fast, Standard and Fine: one protocol with other voxel sizes and iteration numbers."""

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
    "fast": tr("Twice the voxel size, for a first look"),
    "standard": tr("Voxel size from the protocol"),
    "fine": tr("Two-thirds the voxel size, for high-resolution scans with little noise"),
}
ITERATIVE_TIPS = {
    "fast": tr("Twice the voxel size and half the iterations, for a first look"),
    "standard": tr("Voxel size and iterations from the protocol"),
    "fine": tr(
        "Two-thirds the voxel size and twice the iterations, for high-resolution scans with "
        "little noise"
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
    """Return a short description of a quality level.

    Parameters
    ----------
    quality
        the level; None gives an empty text
    base
        the saved protocol
    """
    if quality is None:
        return ""
    return (ITERATIVE_TEXTS if _sets_iterations(base) else SHORT_TEXTS)[quality]


def tip_of(quality: Quality, base: Protocol) -> str:
    """Return the tooltip of a quality level.

    Parameters
    ----------
    quality
        the level
    base
        the saved protocol
    """
    return (ITERATIVE_TIPS if _sets_iterations(base) else TEXTS)[quality]


def _sets_iterations(protocol: Protocol) -> bool:
    """Return True if the level sets the iterations; some algorithms end by themselves."""
    algorithm = protocol.algorithm
    return "iterations" in type(algorithm).model_fields and algorithm.scaled(2) != algorithm


Fit = Callable[[Point], Point]
"""Returns the nearest voxel size that the scanner allows [mm]."""


def at_quality(
    base: Protocol, quality: Quality, base_voxel_mm: Point | None, fit: Fit | None = None
) -> Protocol:
    """Return a protocol at a quality level.

    If the protocol does not state a voxel size, the level scales the default size once it is known.

    Parameters
    ----------
    base
        the saved protocol
    quality
        the level
    base_voxel_mm
        default voxel size for the scan [mm]; None if it is not known yet
    fit
        rounds a voxel size to one that the scanner allows; None keeps it
    """
    # Standard must be the saved protocol itself, or it would count as changed.
    if quality == "standard":
        return base
    voxel = base.grid.voxel_mm or base_voxel_mm
    if voxel is not None:
        voxel = _scaled_voxel(voxel, VOXEL_FACTORS[quality])
        # Some scanners allow only voxels that divide their crystal pitch.
        voxel = fit(voxel) if fit else voxel
    algorithm = base.algorithm
    if _sets_iterations(base):
        algorithm = algorithm.scaled(ITERATION_FACTORS[quality])
    grid = base.grid.model_copy(update={"voxel_mm": voxel})
    return base.model_copy(update={"grid": grid, "algorithm": algorithm})


def quality_of(
    protocol: Protocol, base: Protocol, base_voxel_mm: Point | None, fit: Fit | None = None
) -> Quality | None:
    """Return the quality level that turns `base` into `protocol`.

    Parameters
    ----------
    protocol
        protocol in use
    base
        the saved protocol
    base_voxel_mm, fit
        see `at_quality`

    Returns
    -------
    None if the user edited the protocol
    """
    # Before the voxel size is known, all levels of a direct algorithm are equal to the protocol.
    if protocol == base:  # other levels are equal too while the voxel size is unknown
        return "standard"
    matches = (q for q in QUALITIES if at_quality(base, q, base_voxel_mm, fit) == protocol)
    return next(matches, None)


@dataclass(frozen=True)
class Qualities:
    """The quality levels of a saved protocol for a scan that may not be known completely."""

    base: Protocol
    known: OpenStudy

    def at(self, quality: Quality) -> Protocol:
        """Return the protocol at a quality level.

        Parameters
        ----------
        quality
            "fast", "standard" or "fine"
        """
        return at_quality(self.base, quality, self.base_voxel_mm, self._fitting_voxel)

    def of(self, protocol: Protocol) -> Quality | None:
        """Return the quality level of a protocol.

        Parameters
        ----------
        protocol
            protocol in use

        Returns
        -------
        None if the user edited it
        """
        return quality_of(protocol, self.base, self.base_voxel_mm, self._fitting_voxel)

    @property
    def base_voxel_mm(self) -> Point | None:
        """Default voxel size if the protocol does not state one [mm]; None if it is not known."""
        try:
            default = modality_of(self.base).default_grid(self.base, self.known)
        # Settings that allow no grid are reported elsewhere; here the size is just unknown.
        except EngineError:
            return None
        return default[0] if default else None

    def _fitting_voxel(self, voxel_mm: Point) -> Point:
        return modality_of(self.base).fitting_voxel(voxel_mm, self.known)


def _scaled_voxel(voxel_mm: Point, factor: float) -> Point:
    x, y, z = (_rounded(edge * factor) for edge in voxel_mm)
    return x, y, z


def _rounded(edge_mm: float) -> float:
    """Round to a micrometre, and edges below a millimetre to three digits."""
    return round(edge_mm, 3) if edge_mm >= 1 else float(f"{edge_mm:.3g}")
