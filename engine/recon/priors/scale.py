"""Units and weights of a prior for a scan."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array


@dataclass(frozen=True, eq=False)
class PriorScale:
    """Units and weights of a prior for a scan (`engine.recon.priors.even_resolution`).

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    activity : typical activity, in units of the image
    strength : weight of the prior relative to the data, without a unit
    kappa : (n_z, n_y, n_x) κ, on the device of the image; 0 excludes a voxel
    edges : γ, the setting for edge preservation of the relative difference prior
    threads : CPU threads
    """

    spacing_mm: tuple[float, ...]
    activity: float
    strength: float
    kappa: Array
    edges: float = 2.0
    threads: int = 1
