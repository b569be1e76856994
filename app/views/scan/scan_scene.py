"""A scan as lines in space: source path, detector, rays, volume, axis; in mm, without Qt.

A view is drawn by its own vectors, so that tilted, shifted and freely placed detectors show as they
are. The detector of parallel rays may stand anywhere along them: one inside the volume is drawn
behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.geometry import ImageGrid, XrayGeometry

Array = NDArray[np.float64]
BEHIND = 1.5
"""Place of a parallel beam's ends, in radii of the volume."""
_BOX = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]


@dataclass(frozen=True, eq=False)
class ScanScene:
    """A geometry and the volume in it."""

    geometry: XrayGeometry
    grid: ImageGrid | None

    @cached_property
    def radius_mm(self) -> float:
        """Half the diagonal of the volume, or of the detector where there is none."""
        if self.grid is not None:
            return float(np.linalg.norm(self.grid.size_mm)) / 2
        sides = np.array(self.geometry.shape[::-1]) * self.geometry.pixel_size_mm
        return float(np.linalg.norm(sides)) / 2

    @cached_property
    def middle_mm(self) -> Array:
        """(3,) centre of the volume."""
        return np.array(self.grid.centre_mm if self.grid else (0.0, 0.0, 0.0))

    @cached_property
    def detector_path_mm(self) -> Array:
        """(n_views, 3) centre of the detector as it is drawn."""
        g = self.geometry
        if g.beam == "cone":
            return g.detector_mm
        along = np.sum((g.detector_mm - self.middle_mm) * g.source_mm, axis=1)
        short = np.where(along < self.radius_mm, BEHIND * self.radius_mm - along, 0.0)
        return np.asarray(g.detector_mm + short[:, None] * g.source_mm)

    @cached_property
    def source_path_mm(self) -> Array:
        """(n_views, 3) source; of parallel rays a place from which they come."""
        g = self.geometry
        if g.beam == "cone":
            return g.source_mm
        along = np.sum((self.detector_path_mm - self.middle_mm) * g.source_mm, axis=1)
        back = np.maximum(along, 0) + BEHIND * self.radius_mm
        return np.asarray(self.detector_path_mm - back[:, None] * g.source_mm)

    def corners_mm(self, view: int) -> Array:
        """(4, 3) corners of the detector: first pixel, last column, last pixel, last row."""
        g, (n_rows, n_columns) = self.geometry, self.geometry.shape
        across, along = n_columns * g.u_mm[view], n_rows * g.v_mm[view]
        first = self.detector_path_mm[view] - across / 2 - along / 2
        return np.array([first, first + across, first + across + along, first + along])

    def rays_mm(self, view: int) -> Array:
        """(4, 2, 3) ends of the rays to the corners."""
        ends = self.corners_mm(view)
        if self.geometry.beam == "cone":
            starts = np.broadcast_to(self.source_path_mm[view], (4, 3))
        else:
            length = np.linalg.norm(self.detector_path_mm[view] - self.source_path_mm[view])
            starts = ends - length * self.geometry.source_mm[view]
        return np.stack([starts, ends], axis=1)

    def central_mm(self, view: int) -> Array:
        """(2, 3) source and centre of the detector."""
        return np.array([self.source_path_mm[view], self.detector_path_mm[view]])

    def to_axis_mm(self, view: int) -> Array:
        """(2, 3) source and the point of the z axis on a level with it."""
        source = self.source_path_mm[view]
        return np.array([source, [0.0, 0.0, source[2]]])

    def box_mm(self) -> Array:
        """(12, 2, 3) edges of the volume; none where there is no volume."""
        if self.grid is None:
            return np.empty((0, 2, 3))
        ends = np.array([self.grid.lower_mm, self.grid.upper_mm])
        corners = np.array([[ends[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        return np.array([[corners[a], corners[b]] for a, b in _BOX])

    def axis_mm(self) -> Array:
        """(2, 3) the z axis, somewhat longer than what stands around it."""
        heights = [self.source_path_mm[:, 2], self.detector_path_mm[:, 2]]
        if self.grid is not None:
            heights.append(np.array([self.grid.lower_mm[2], self.grid.upper_mm[2]]))
        low = min(float(h.min()) for h in heights)
        high = max(float(h.max()) for h in heights)
        more = 0.35 * self.radius_mm
        return np.array([[0.0, 0.0, low - more], [0.0, 0.0, high + more]])

    def everything_mm(self) -> Array:
        """(n, 3) points between which all of the drawing lies."""
        some = np.unique(np.linspace(0, self.geometry.n_views - 1, 60).astype(int))
        detectors = np.concatenate([self.corners_mm(int(k)) for k in some])
        parts = (self.source_path_mm[some], detectors, self.box_mm().reshape(-1, 3), self.axis_mm())
        return np.concatenate(parts)


@dataclass(frozen=True)
class SceneCamera:
    """Looks at the scan from far away, with +z upwards.

    Attributes
    ----------
    azimuth_deg : where the eye is, from +x towards +y
    elevation_deg : how far above the plane z = 0 the eye is
    """

    azimuth_deg: float = -62.0
    elevation_deg: float = 24.0

    @cached_property
    def axes(self) -> Array:
        """(3, 3) rows: to the right, up, towards the eye."""
        a, e = np.deg2rad(self.azimuth_deg), np.deg2rad(self.elevation_deg)
        right = (-np.sin(a), np.cos(a), 0.0)
        up = (-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e))
        return np.array([right, up, np.cross(right, up)])

    def seen(self, points_mm: Array) -> Array:
        """(..., 3) right, up and nearness [mm] of points (..., 3)."""
        return np.asarray(points_mm @ self.axes.T)

    def turned(self, azimuth_deg: float, elevation_deg: float) -> SceneCamera:
        """Return the camera moved around the scan, at most to straight above or below."""
        elevation = min(max(self.elevation_deg + elevation_deg, -90.0), 90.0)
        return SceneCamera((self.azimuth_deg + azimuth_deg) % 360, elevation)
