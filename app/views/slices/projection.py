"""Maximum intensity projection of a volume rotated about z: numpy only, no Qt.

At angle θ the right of the screen is (cos θ, sin θ) in (x, y) of the patient. 0° looks from the
front, like the coronal plane. 90° shows the patient's front on the left, like the sagittal plane.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.views.colour.windows import auto_window, largest_along
from app.views.volume_facts import facts_of
from engine.data import Volume
from engine.geometry import Convention, Direction, Edges, Point, Rect, orientation

MAX_VOXELS = 2_000_000  # of the rotated copy: well below 40 ms on one core
DEPTH_STEP = 0.4  # voxels; shorter than any chord that must not be missed
MAX_GAIN = 5.0
SHOWN_LETTER = 0.35  # an axis within about 70° of the screen's right is named


class Projector:
    """The projections of one volume.

    Multiples of 90° use the full volume. Other angles use a coarser copy of block maxima, so that a
    small hot spot is not lost.
    """

    def __init__(self, volume: Volume) -> None:
        self.volume = volume
        self._coarse: NDArray[np.float32] | None = None
        self._block = _block_length(volume.grid.shape)
        width, depth, _ = volume.grid.size_mm
        self._radius_mm = math.hypot(float(width), float(depth)) / 2  # half a slice's diagonal
        # Outside the volume is air: 0 for activity, the lowest value for CT.
        self._air = float(np.nanmin(volume.values)) if volume.unit == "HU" else 0.0

    def project(self, degrees: float, convention: Convention) -> tuple[NDArray[np.float32], Rect]:
        """Return the projection at an angle.

        Parameters
        ----------
        degrees
            angle about z
        convention
            patient sides on the screen

        Returns
        -------
        (n_z, n_u) values, head on top, and their rectangle about the axis of the grid [mm]
        """
        turned = degrees % 360
        values = (
            self._project_along_axis(round(turned / 90) % 4)
            if turned % 90 == 0
            else self._project_at_angle(turned)
        )
        if convention == "neurological":
            values = values[:, ::-1]
        grid = self.volume.grid
        v = -float(grid.upper_mm[2])
        height = values.shape[0] * grid.voxel_mm[2]
        if turned % 90:
            height *= self._block[0]
            v -= height - float(grid.size_mm[2])  # the last block may reach beyond the head
        width = 2 * self._half_width(turned, values.shape[1])
        return np.ascontiguousarray(values), Rect(-width / 2, v, width, height)

    def _half_width(self, degrees: float, n_columns: int) -> float:
        if degrees % 90:
            return self._radius_mm
        return n_columns * self.volume.grid.voxel_mm[_axis(degrees)] / 2

    def _project_along_axis(self, quarter: int) -> NDArray[np.float32]:
        """Return the exact maximum along y (quarters 0, 2) or x (1, 3), padded to full width."""
        across = quarter % 2
        if across == 0:
            image = facts_of(self.volume).front[::-1]
        else:
            image = largest_along(self.volume.values, axis=2)[::-1]
        if quarter in (2, 3):
            image = image[:, ::-1]
        grid = self.volume.grid
        # All angles have the width of the diagonal, so the image does not change its size.
        lacking = self._radius_mm - float(grid.size_mm[across]) / 2
        n_pad = math.ceil(lacking / grid.voxel_mm[across] - 1e-6)
        return np.pad(image, ((0, 0), (n_pad, n_pad)), constant_values=self._air)

    def _project_at_angle(self, degrees: float) -> NDArray[np.float32]:
        """Return the maximum along lines at any angle."""
        coarse = self._coarse_rows()
        n_y, n_x, n_z = coarse.shape
        rows = coarse.reshape(n_y * n_x, n_z)
        pitch_x, pitch_y = self._pitch_mm()
        radius, pitch = self._radius_mm, min(pitch_x, pitch_y)
        n_u, n_depth = (math.ceil(2 * radius / step) for step in (pitch, DEPTH_STEP * pitch))
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        half_x, half_y = (float(size) / 2 for size in self.volume.grid.size_mm[:2])
        u = _part_centres(n_u, radius)
        image = np.full((n_u, n_z), -np.inf, np.float32)
        # One depth at a time: the gathered rows stay in the cache, and z is contiguous.
        for depth in _part_centres(n_depth, radius):
            i_x = np.floor((u * cosine - depth * sine + half_x) / pitch_x).astype(np.intp)
            i_y = np.floor((u * sine + depth * cosine + half_y) / pitch_y).astype(np.intp)
            inside = np.flatnonzero((i_x >= 0) & (i_x < n_x) & (i_y >= 0) & (i_y < n_y))
            if inside.size:
                span = slice(inside[0], inside[-1] + 1)  # a line crosses a box in one piece
                seen = rows[i_y[span] * n_x + i_x[span]]
                np.maximum(image[span], seen, out=image[span])
        image[np.isneginf(image)] = self._air
        return image.T[::-1]

    def _pitch_mm(self) -> tuple[float, float]:
        """Edges of a coarse voxel along x and y [mm]."""
        x, y, _ = self.volume.grid.voxel_mm
        return x * self._block[2], y * self._block[1]

    def _coarse_rows(self) -> NDArray[np.float32]:
        """(n_y, n_x, n_z) block maxima, z running fastest."""
        if self._coarse is None:
            values, (n_z, _, _) = self.volume.values, self._block
            highest = np.fmax if np.isnan(values.sum()) else np.maximum  # fmax is far slower
            slabs = (values[i : i + n_z] for i in range(0, len(values), n_z))
            pooled = np.stack([self._pool_slab(slab, highest) for slab in slabs], axis=-1)
            self._coarse = np.nan_to_num(pooled, nan=0.0)
        return self._coarse

    def _pool_slab(self, slab: NDArray[np.float32], highest: np.ufunc) -> NDArray[np.float32]:
        """(n_y, n_x) maxima of the blocks of one coarse slice, small enough for the cache."""
        # Along z first: this removes most values with contiguous reads.
        plane = highest.reduce(slab, axis=0)
        return _pool(_pool(plane, 0, self._block[1], highest), 1, self._block[2], highest)


def gain_of(projector: Projector, convention: Convention) -> float:
    """Return the ratio of bright values of the projection and of the slices, at most `MAX_GAIN`.

    Parameters
    ----------
    projector
        projections of the volume
    convention
        patient sides on the screen
    """
    volume = projector.volume
    front = projector.project(0.0, convention)[0]
    top = auto_window(np.nan_to_num(front), volume.unit)[1]
    gain = top / facts_of(volume).auto_window(diverging=False)[1]
    return float(np.clip(round(gain, 1), 1.0, MAX_GAIN))


def turned_over(rect: Rect) -> Rect:
    """Return a rectangle with reversed z, for a volume with z towards the feet."""
    return Rect(rect.u, -(rect.v + rect.height), rect.width, rect.height)


@lru_cache(maxsize=256)
def scanner_degrees(degrees: float, axes: str) -> float:
    """Convert an angle about the patient to one about z of the volume.

    0° shows the patient's front and 90° the left side, for any directions of x and y. If z is not
    the long axis of the patient, "LPS" is assumed.

    Parameters
    ----------
    degrees
        angle about the patient
    axes
        directions of x, y and z, such as "LPS"
    """
    front, side = (orientation(plane, axes=axes) for plane in ("coronal", "sagittal"))
    if front.down.axis != 2:
        return degrees
    left, back = np.zeros(2), np.zeros(2)
    left[front.right.axis], back[side.right.axis] = front.right.sign, side.right.sign
    begin = math.degrees(math.atan2(left[1], left[0]))
    turning = left[0] * back[1] - left[1] * back[0]  # 1, or −1 where the axes are left-handed
    return float(begin + turning * degrees)


def cursor_uv(
    volume: Volume, point_mm: Point, degrees: float, convention: Convention
) -> tuple[float, float]:
    """Return the position of a point in the projection.

    Parameters
    ----------
    volume
        the projected volume
    point_mm
        the point [mm]
    degrees
        angle about z of the volume
    convention
        patient sides on the screen

    Returns
    -------
    (u, v) [mm]
    """
    angle = math.radians(degrees)
    dx, dy = (point_mm[axis] - volume.grid.centre_mm[axis] for axis in (0, 1))
    u = dx * math.cos(angle) + dy * math.sin(angle)
    return (u if convention == "radiological" else -u), -point_mm[2]


def edges(degrees: float, convention: Convention) -> Edges:
    """Return the orientation letters: one if an axis is parallel to the screen, two between.

    Parameters
    ----------
    degrees
        angle about z
    convention
        patient sides on the screen
    """
    mirrored = 1 if convention == "radiological" else -1
    angle = math.radians(degrees)
    parts = ((0, mirrored * math.cos(angle)), (1, mirrored * math.sin(angle)))
    strongest = sorted(parts, key=lambda part: -abs(part[1]))
    suitable = [
        Direction(axis, 1 if p > 0 else -1) for axis, p in strongest if abs(p) > SHOWN_LETTER
    ]
    return Edges(
        left="".join(direction.opposite.letter for direction in suitable),
        right="".join(direction.letter for direction in suitable),
        top=Direction(2, 1).letter,
        bottom=Direction(2, -1).letter,
    )


def _axis(degrees: float) -> int:
    return round(degrees / 90) % 2


def _block_length(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the number of voxels (z, y, x) of a block."""
    block = 1
    while math.prod(math.ceil(n / block) for n in shape) > MAX_VOXELS:
        block += 1
    return block, block, block


def _pool(
    values: NDArray[np.float32], axis: int, block: int, highest: np.ufunc
) -> NDArray[np.float32]:
    """Return maxima of `block` neighbours along an axis, including a shorter last block."""
    if block == 1:
        return values
    parts = [values[(slice(None),) * axis + (slice(k, None, block),)] for k in range(block)]
    pooled = parts[0].copy()
    for part in parts[1:]:
        within = pooled[(slice(None),) * axis + (slice(0, part.shape[axis]),)]
        highest(within, part, out=within)
    return pooled


def _part_centres(n: int, radius: float) -> NDArray[np.floating]:
    """Return the centres of `n` equal parts of −radius … radius."""
    return (np.arange(n) + 0.5) * (2 * radius / n) - radius
