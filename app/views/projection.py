"""Maximum intensity projection of a volume turning about z: numpy only, no Qt.

At angle θ the screen's right is (cos θ, sin θ) in patient (x, y): 0° looks from the front,
like the coronal plane; 90° shows the patient's front at screen left, like the sagittal one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from app.views.planes import Convention, Direction, Edges, Rect
from engine.data.volume import Volume
from engine.geometry.grid import Point

MOST_SAMPLES = 1_200_000  # values read per turned projection: well below 40 ms on one core
SHOWN_LETTER = 0.35  # an axis within about 70° of the screen's right is named


class Projector:
    """The projections of one volume.

    Right angles come from the full volume; the angles between from a coarser copy made of the
    maxima of small blocks, so that a small hot spot survives.
    """

    def __init__(self, volume: Volume) -> None:
        self._volume = volume
        self._coarse: NDArray[np.float32] | None = None
        self._block = _block_length(volume.grid.shape)
        self._air = float(np.nanmin(volume.values)) if volume.unit == "HU" else 0.0

    @property
    def radius_mm(self) -> float:
        """Half the width of a projection: half the diagonal of an axial slice."""
        return radius_mm(self._volume)

    def project(self, degrees: float, convention: Convention) -> tuple[NDArray[np.float32], Rect]:
        """Values (n_z, n_u), head on top, and their place [mm] about the grid's axis."""
        turned = degrees % 360
        values = self._straight(round(turned / 90) % 4) if turned % 90 == 0 else self._turn(turned)
        if convention == "neurological":
            values = values[:, ::-1]
        grid = self._volume.grid
        v = -float(grid.upper_mm[2])
        height = values.shape[0] * grid.voxel_mm[2]
        if turned % 90:
            height *= self._block[0]
            v -= height - float(grid.size_mm[2])  # the last block may reach beyond the head
        width = 2 * self._half_width(turned, values.shape[1])
        return np.ascontiguousarray(values), Rect(-width / 2, v, width, height)

    def _half_width(self, degrees: float, n_columns: int) -> float:
        if degrees % 90:
            return self.radius_mm
        return n_columns * self._volume.grid.voxel_mm[_axis(degrees)] / 2

    def _straight(self, quarter: int) -> NDArray[np.float32]:
        """The exact maximum along y (quarters 0, 2) or x (1, 3), padded to the full width."""
        across = quarter % 2
        image = _maximum(self._volume.values, axis=1 if across == 0 else 2)[::-1]
        if quarter in (2, 3):
            image = image[:, ::-1]
        grid = self._volume.grid
        lacking = self.radius_mm - float(grid.size_mm[across]) / 2
        n_pad = math.ceil(lacking / grid.voxel_mm[across] - 1e-6)
        return np.pad(image, ((0, 0), (n_pad, n_pad)), constant_values=self._air)

    def _turn(self, degrees: float) -> NDArray[np.float32]:
        """The maximum along lines at any angle, bilinear in (x, y)."""
        coarse = self._coarse_rows()
        n_y, n_x, n_z = coarse.shape
        radius = self.radius_mm
        steps = [
            size * block for size, block in zip(self._voxel_xy(), self._block[:0:-1], strict=True)
        ]
        n_u = math.ceil(2 * radius / min(steps))
        along = (np.arange(n_u) + 0.5) / n_u * 2 * radius - radius
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        half = np.array(self._volume.grid.size_mm[:2], float) / 2
        rows = coarse.reshape(n_y * n_x, n_z)
        image = np.full((n_u, n_z), -np.inf, np.float32)
        for depth in along:
            x = (along * cosine - depth * sine + half[0]) / steps[0] - 0.5
            y = (along * sine + depth * cosine + half[1]) / steps[1] - 0.5
            inside = np.flatnonzero((x > -0.5) & (x < n_x - 0.5) & (y > -0.5) & (y < n_y - 0.5))
            if inside.size:
                seen = _bilinear(rows, (n_y, n_x), x[inside], y[inside])
                span = slice(inside[0], inside[-1] + 1)  # a line crosses a box once
                np.maximum(image[span], seen, out=image[span])
        image[np.isneginf(image)] = self._air
        return image.T[::-1]

    def _voxel_xy(self) -> tuple[float, float]:
        return self._volume.grid.voxel_mm[:2]

    def _coarse_rows(self) -> NDArray[np.float32]:
        """(n_y, n_x, n_z) block maxima, z running fastest."""
        if self._coarse is None:
            pooled = self._volume.values
            for axis, block in enumerate(self._block):
                pooled = _pool(pooled, axis, block)
            pooled = np.nan_to_num(pooled, nan=0.0)
            self._coarse = np.ascontiguousarray(pooled.transpose(1, 2, 0))
        return self._coarse


def radius_mm(volume: Volume) -> float:
    """Half the diagonal of an axial slice [mm]."""
    width, depth, _ = volume.grid.size_mm
    return math.hypot(float(width), float(depth)) / 2


def cursor_uv(
    volume: Volume, point_mm: Point, degrees: float, convention: Convention
) -> tuple[float, float]:
    """Where a patient point appears in the projection [mm]."""
    angle = math.radians(degrees)
    dx, dy = (point_mm[axis] - volume.grid.centre_mm[axis] for axis in (0, 1))
    u = dx * math.cos(angle) + dy * math.sin(angle)
    return (u if convention == "radiological" else -u), -point_mm[2]


def edges(degrees: float, convention: Convention) -> Edges:
    """Orientation letters: one where an axis lies across the screen, two between."""
    mirrored = 1 if convention == "radiological" else -1
    angle = math.radians(degrees)
    parts = ((0, mirrored * math.cos(angle)), (1, mirrored * math.sin(angle)))
    strongest = sorted(parts, key=lambda part: -abs(part[1]))
    ways = [Direction(axis, 1 if p > 0 else -1) for axis, p in strongest if abs(p) > SHOWN_LETTER]
    return Edges(
        left="".join(way.opposite.letter for way in ways),
        right="".join(way.letter for way in ways),
        top=Direction(2, 1).letter,
        bottom=Direction(2, -1).letter,
    )


def _axis(degrees: float) -> int:
    return round(degrees / 90) % 2


def _block_length(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """How many voxels (z, y, x) go into one coarse one."""
    block = 1
    while math.prod(math.ceil(n / block) for n in shape) * 2 > MOST_SAMPLES:
        block += 1
    return block, block, block


def _maximum(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    image = values.max(axis=axis)
    if np.isnan(image).any():
        image = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf).max(axis=axis)
    return image


def _pool(values: NDArray[np.float32], axis: int, block: int) -> NDArray[np.float32]:
    """Maxima of `block` neighbours along an axis; a last, shorter block counts too."""
    if block == 1:
        return values
    return np.fmax.reduceat(values, np.arange(0, values.shape[axis], block), axis=axis)


def _bilinear(
    rows: NDArray[np.float32],
    shape: tuple[int, int],
    x: NDArray[np.floating],
    y: NDArray[np.floating],
) -> NDArray[np.float32]:
    """Rows (n, n_z) of a plane of `shape` (n_y, n_x) at positions in voxels, clamped at the rim."""
    n_y, n_x = shape
    left = np.clip(np.floor(x).astype(np.intp), 0, max(n_x - 2, 0))
    top = np.clip(np.floor(y).astype(np.intp), 0, max(n_y - 2, 0))
    right, bottom = np.minimum(left + 1, n_x - 1), np.minimum(top + 1, n_y - 1)
    wx = np.clip(x - left, 0, 1).astype(np.float32)[:, None]
    wy = np.clip(y - top, 0, 1).astype(np.float32)[:, None]
    above = rows[top * n_x + left] * (1 - wx) + rows[top * n_x + right] * wx
    below = rows[bottom * n_x + left] * (1 - wx) + rows[bottom * n_x + right] * wx
    return above * (1 - wy) + below * wy
