"""A scan as lines in space: source path, detector, rays, volume, axis; in mm, without Qt.

Each view is drawn by its own vectors, so tilted, shifted and freely placed detectors are shown
correctly. With parallel rays the position of the detector along the rays has no meaning. A detector
inside the volume is drawn behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.geometry import ImageGrid, XrayGeometry

Array = NDArray[np.float64]
BEHIND = 1.5
"""Distance of the ends of a parallel beam, in radii of the volume."""
_BOX = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]


@dataclass(frozen=True, eq=False)
class ScanScene:
    """A geometry and the volume in it.

    Attributes
    ----------
    geometry : source and detector of each view
    grid : the volume; None if it is not known
    """

    geometry: XrayGeometry
    grid: ImageGrid | None

    @cached_property
    def radius_mm(self) -> float:
        """Half the diagonal of the volume; of the detector without a volume."""
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
        """Centre (n_views, 3) of the detector as it is drawn."""
        g = self.geometry
        if g.beam == "cone":
            return g.detector_mm
        # For parallel rays `source_mm` is their unit direction.
        along = np.sum((g.detector_mm - self.middle_mm) * g.source_mm, axis=1)
        short = np.where(along < self.radius_mm, BEHIND * self.radius_mm - along, 0.0)
        return np.asarray(g.detector_mm + short[:, None] * g.source_mm)

    @cached_property
    def source_path_mm(self) -> Array:
        """Source (n_views, 3); for parallel rays a point from which they come."""
        g = self.geometry
        if g.beam == "cone":
            return g.source_mm
        along = np.sum((self.detector_path_mm - self.middle_mm) * g.source_mm, axis=1)
        # Never inside the volume, whichever side the detector is on.
        back = np.maximum(along, 0) + BEHIND * self.radius_mm
        return np.asarray(self.detector_path_mm - back[:, None] * g.source_mm)

    def corners_mm(self, view: int) -> Array:
        """Return the corners of the detector.

        Parameters
        ----------
        view
            index of the view

        Returns
        -------
        (4, 3) first pixel, last column, last pixel, last row [mm]
        """
        g, (n_rows, n_columns) = self.geometry, self.geometry.shape
        across, along = n_columns * g.u_mm[view], n_rows * g.v_mm[view]
        first = self.detector_path_mm[view] - across / 2 - along / 2
        return np.array([first, first + across, first + across + along, first + along])

    def rays_mm(self, view: int) -> Array:
        """Return the ends (4, 2, 3) of the rays to the corners.

        Parameters
        ----------
        view
            index of the view
        """
        ends = self.corners_mm(view)
        if self.geometry.beam == "cone":
            starts = np.broadcast_to(self.source_path_mm[view], (4, 3))
        else:
            # Parallel rays have no source point, so they start at the drawn end of the beam.
            length = np.linalg.norm(self.detector_path_mm[view] - self.source_path_mm[view])
            starts = ends - length * self.geometry.source_mm[view]
        return np.stack([starts, ends], axis=1)

    def central_mm(self, view: int) -> Array:
        """Return the source and the centre of the detector (2, 3).

        Parameters
        ----------
        view
            index of the view
        """
        return np.array([self.source_path_mm[view], self.detector_path_mm[view]])

    def to_axis_mm(self, view: int) -> Array:
        """Return the source and the point of the z axis at its height (2, 3).

        Parameters
        ----------
        view
            index of the view
        """
        source = self.source_path_mm[view]
        return np.array([source, [0.0, 0.0, source[2]]])

    def box_mm(self) -> Array:
        """Return the edges (12, 2, 3) of the volume; none without a volume."""
        if self.grid is None:
            return np.empty((0, 2, 3))
        ends = np.array([self.grid.lower_mm, self.grid.upper_mm])
        corners = np.array([[ends[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        return np.array([[corners[a], corners[b]] for a, b in _BOX])

    def axis_mm(self) -> Array:
        """Return the ends (2, 3) of the z axis, longer than everything around it."""
        heights = [self.source_path_mm[:, 2], self.detector_path_mm[:, 2]]
        if self.grid is not None:
            heights.append(np.array([self.grid.lower_mm[2], self.grid.upper_mm[2]]))
        low = min(float(h.min()) for h in heights)
        high = max(float(h.max()) for h in heights)
        # The axis must remain visible beyond the source path and the volume.
        more = 0.35 * self.radius_mm
        return np.array([[0.0, 0.0, low - more], [0.0, 0.0, high + more]])

    def everything_mm(self) -> Array:
        """Return points (n, 3) that enclose the whole drawing."""
        # Sixty views outline any orbit well enough for the scale.
        some = np.unique(np.linspace(0, self.geometry.n_views - 1, 60).astype(int))
        detectors = np.concatenate([self.corners_mm(int(k)) for k in some])
        parts = (self.source_path_mm[some], detectors, self.box_mm().reshape(-1, 3), self.axis_mm())
        return np.concatenate(parts)


@dataclass(frozen=True)
class SceneCamera:
    """A camera at infinity, with +z upwards.

    Attributes
    ----------
    azimuth_deg : direction of the camera, from +x to +y
    elevation_deg : angle above the plane z = 0
    """

    azimuth_deg: float = -62.0
    elevation_deg: float = 24.0

    @cached_property
    def axes(self) -> Array:
        """Rows (3, 3): to the right, up, towards the camera."""
        a, e = np.deg2rad(self.azimuth_deg), np.deg2rad(self.elevation_deg)
        # `up` is never horizontal, so +z points upwards at every azimuth.
        right = (-np.sin(a), np.cos(a), 0.0)
        up = (-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e))
        return np.array([right, up, np.cross(right, up)])

    def seen(self, points_mm: Array) -> Array:
        """Project points.

        Parameters
        ----------
        points_mm
            (..., 3) [mm]

        Returns
        -------
        (..., 3) right, up and towards the camera [mm]
        """
        return np.asarray(points_mm @ self.axes.T)

    def turned(self, azimuth_deg: float, elevation_deg: float) -> SceneCamera:
        """Return the camera moved around the scan.

        Parameters
        ----------
        azimuth_deg, elevation_deg
            angles to add; the elevation is limited to ±90°
        """
        # Beyond the pole the drawing would be upside down.
        elevation = min(max(self.elevation_deg + elevation_deg, -90.0), 90.0)
        return SceneCamera((self.azimuth_deg + azimuth_deg) % 360, elevation)
