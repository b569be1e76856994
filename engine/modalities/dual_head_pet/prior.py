"""Protocol setting for the prior of a dual-head image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.settings import Settings, setting
from engine.data.histogram import Histogram, total
from engine.geometry.grid import ImageGrid

if TYPE_CHECKING:
    from engine.recon.priors.edges import EdgePrior


class PriorSettings(Settings):
    """Edge-preserving smoothing of neighbouring voxels (`engine.recon.priors.edges`).

    Examples
    --------
    >>> PriorSettings().describe(), PriorSettings(strength=0.01).describe()
    ('', 'edge-preserving smoothing, strength 0.01')
    """

    strength: float = setting(
        0.0,
        "Strength of the smoothing between neighbouring voxels that differ by less than the "
        "noise; 0.002 is mild, 0 is off",
        label="Strength",
        ge=0,
        le=10,
    )

    def on(
        self, grid: ImageGrid, data: Histogram, inside: NDArray[np.bool_] | None
    ) -> EdgePrior | None:
        """Return the prior for counts with a known background; None without a prior.

        Parameters
        ----------
        grid
            grid of the image
        data
            corrected histogram
        inside
            (n_z, n_y, n_x) voxels that can contain activity; None for all
        """
        if not self.strength:
            return None
        # Imported here: it needs kernels, and the form of the protocol does not.
        from engine.recon.priors.edges import EdgePrior

        background = 0.0 if data.background is None else total(data.background)
        # The strength is relative to the number of counts, so that one value suits all scans.
        return EdgePrior(self.strength, grid.voxel_mm[::-1], data.n_prompts - background, inside)

    def describe(self) -> str:
        """Return the prior as a clause; empty without one."""
        return f"edge-preserving smoothing, strength {self.strength:g}" * (self.strength > 0)
