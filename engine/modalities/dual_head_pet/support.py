"""Support of an image: the region that can contain activity, for limited-angle data.

Outside the support the image is 0 from the start, and expectation maximisation keeps it so. Two
panels hardly resolve their normal direction; the support supplies the missing information.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from engine.core.errors import SettingsError
from engine.core.settings import Settings, setting
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point

MATTER_PER_MM = 0.001
"""Attenuation at 511 keV above which a voxel is matter: 10 % of water, less than lung."""


class Support(Settings):
    """Region that can hold activity.

    Examples
    --------
    >>> import engine
    >>> grid = engine.read_scanner("test-panels").grid
    >>> mask = Support(kind="box", size_mm=(4, 6, 8)).mask(grid, None)
    >>> int(mask.sum()), mask.size
    (480, 4224)
    """

    kind: Literal["object", "box", "ellipsoid", "everywhere"] = setting(
        "object",
        "Region that can contain activity: the object in the μ-map (or everywhere if there "
        "is no μ-map), a box, an ellipsoid, or everywhere",
        label="Activity region",
    )
    size_mm: Point | None = setting(
        None, "Size of the box or the ellipsoid (x, y, z)", label="Size", unit="mm"
    )
    centre_mm: Point = setting(
        (0.0, 0.0, 0.0), "Centre of the box or the ellipsoid (x, y, z)", label="Centre", unit="mm"
    )
    margin_mm: float = setting(
        0.5,
        "Activity is allowed up to this distance from the object",
        label="Margin",
        unit="mm",
        ge=0,
        le=50,
    )

    @model_validator(mode="after")
    # pydantic checks fields one by one; that a kind needs a size is a rule of two fields.
    def _has_a_size(self) -> Self:
        if self.kind in ("box", "ellipsoid") and not (self.size_mm and min(self.size_mm) > 0):
            raise ValueError(
                f"size_mm is {self.size_mm}, but the kind {self.kind!r} needs three lengths above "
                "0, such as 100, 100, 100"
            )
        return self

    def mask(self, grid: ImageGrid, mu_map: Volume | None) -> NDArray[np.bool_] | None:
        """Return the voxels whose centres are in the support; None if all are.

        Parameters
        ----------
        grid
            grid of the image
        mu_map
            μ-map in the coordinates of the image; None if there is none

        Raises
        ------
        SettingsError
            if no voxel is in the support
        """
        if self.kind == "everywhere" or (self.kind == "object" and mu_map is None):
            return None
        if mu_map is not None and self.kind == "object":
            found = _of_matter(grid, mu_map, self.margin_mm)
        else:
            found = self._of_shape(grid)
        # An empty support would give an image of zeros without any explanation.
        if not found.any():
            raise SettingsError(
                f"support.kind = {self.kind!r}: the support does not contain any voxel of the "
                f"image ({grid.describe()}); check its position and size, or choose support.kind "
                "= 'everywhere'."
            )
        return found

    def describe(self) -> str:
        """Return the support in words, with its size."""
        if self.size_mm is None or self.kind in ("object", "everywhere"):
            return "the object in the μ-map" if self.kind == "object" else "the whole image"
        return f"{'an' if self.kind == 'ellipsoid' else 'a'} {self.kind} of " + (
            " × ".join(f"{edge:g}" for edge in self.size_mm) + " mm"
        )

    def _of_shape(self, grid: ImageGrid) -> NDArray[np.bool_]:
        # Relative to the half axes, so that box and ellipsoid have the same simple test.
        half = np.array(self.size_mm or (1.0, 1.0, 1.0)) / 2
        z, y, x = (
            (grid.centres_mm(axis) - self.centre_mm[axis]) / half[axis] for axis in (2, 1, 0)
        )
        away = np.abs(z)[:, None, None], np.abs(y)[:, None], np.abs(x)
        if self.kind == "box":
            inside: NDArray[np.bool_] = (away[0] < 1) & (away[1] < 1) & (away[2] < 1)
            return inside
        round_: NDArray[np.bool_] = away[0] ** 2 + away[1] ** 2 + away[2] ** 2 < 1
        return round_


def _of_matter(grid: ImageGrid, mu_map: Volume, margin_mm: float) -> NDArray[np.bool_]:
    """Return voxels whose centre is in matter, or within the margin around it."""
    from scipy import ndimage

    # Nearest voxel: interpolation would blur the surface by a voxel of the map.
    places, known = [], []
    for axis in (2, 1, 0):
        at = (grid.centres_mm(axis) - mu_map.grid.lower_mm[axis]) / mu_map.grid.voxel_mm[axis]
        n = mu_map.grid.shape[2 - axis]
        known.append((at >= 0) & (at < n))
        places.append(np.floor(at).astype(int).clip(0, n - 1))
    inside = mu_map.values[np.ix_(*places)] > MATTER_PER_MM
    # Voxels outside the map are not known to be matter.
    inside &= known[0][:, None, None] & known[1][:, None] & known[2]
    # Distance in mm, because voxels between panels are seldom cubes.
    if margin_mm and inside.any():
        inside = ndimage.distance_transform_edt(~inside, grid.voxel_mm[::-1]) <= margin_mm
    return np.asarray(inside, bool)
