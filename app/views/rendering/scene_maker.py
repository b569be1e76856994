"""From the display settings to the scene of a three-dimensional image."""

from __future__ import annotations

import weakref

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from app.views.colour.colour_maps import colour_map, lookup_table
from app.views.rendering.packed_volume import PackedVolume
from app.views.rendering.packing import PackedParts
from app.views.rendering.ray_scene import RayLayer, RayScene
from app.views.rendering.rendering_state import RenderingState
from app.views.rendering.turning import to_patient_axes
from app.views.scan.scan_scene import SceneCamera
from app.views.slices import projection
from app.views.slices.projection import Projector
from app.views.state import ViewState
from app.views.volume_kind import is_anatomical
from engine.data import Volume

OPACITY = 14.0
"""Opacity of the upper limit of the window along the radius of the volume: 1 − exp(−OPACITY)."""
IVORY, AMBER = (0.93, 0.88, 0.78), (0.96, 0.55, 0.16)
"""Colours of the surfaces of anatomy, and of activity in grey."""
SKIN_COLOUR = 0.7
"""Place in the colour map of the colour of a surface."""


class SceneMaker:
    """Makes scenes of the displayed volumes.

    Parameters
    ----------
    state : display settings of both volumes
    rendering : mode, levels and regions
    """

    def __init__(self, state: ViewState, rendering: RenderingState) -> None:
        self._state, self._rendering = state, rendering
        self._gains: dict[bool, tuple[weakref.ref[Volume], float]] = {}

    def scene(self, parts: PackedParts | None, camera: SceneCamera) -> RayScene | None:
        """Return the content of the view; None until the volumes are packed.

        Parameters
        ----------
        parts
            the packed volumes
        camera
            the viewing direction
        """
        state = self._state
        if parts is None or parts.packed_lower is None:
            return None
        # During a run the newest image may still be packed, so the last one stays.
        mode = self._rendering.mode
        fusion, has_upper = state.fusion, parts.packed_upper is not None
        is_below = has_upper and fusion.is_below
        share = fusion.opacity if has_upper else 1.0
        weights = (share, 1 - share) if is_below else (1 - share, share)
        if not has_upper:
            weights = (1.0, 1.0)
        elif mode == "projection":
            weights = (share, 1.0) if is_below else (1.0, share)
        elif mode == "volume":
            weights = (min(2 * weights[0], 1.0), min(2 * weights[1], 1.0))
        else:
            # The surface of the anatomy is transparent, so that the activity is visible.
            weights = (1.0, weights[1]) if is_below else (weights[0], 1.0)
        radius = max(parts.packed_lower.size_mm) / 2
        lower = self._layer(parts.packed_lower, parts.lower, weights[0], radius, upper=False)
        upper = None
        if parts.packed_upper is not None and parts.upper is not None:
            upper = self._layer(parts.packed_upper, parts.upper, weights[1], radius, upper=True)
        ground_layer = upper if is_below and upper is not None else lower
        canvas = QColor(state.colours.canvas)
        red, green, blue = canvas.redF(), canvas.greenF(), canvas.blueF()
        if mode != "surface":
            # The lowest colour of the map: values at the lower limit are not visible.
            red, green, blue = (float(part) for part in ground_layer.table[0, :3])
        turn = to_patient_axes(state.axes)
        centre = np.mean(extent_mm(parts.lower, parts, state.axes), axis=0) @ turn
        return RayScene(
            mode, lower, centre, state.axes, upper, parts.placing, is_below, parts.masks,
            (red, green, blue), camera,
        )  # fmt: skip

    def _layer(
        self, packed: PackedVolume, volume: Volume, weight: float, radius_mm: float, *, upper: bool
    ) -> RayLayer:
        shown = self._rendering.appearance(upper=upper)
        colours = rgb_table(shown.colour_map)
        share = np.linspace(0, 1, len(colours), dtype=np.float32)[:, None]
        anatomical = is_anatomical(volume)
        # Most of a CT is soft tissue in the middle of the window, so bone needs a steeper curve.
        depth = share ** (3 if anatomical else 2)
        # Of a part of the radius: in a volume of micrometres all of a millimetre is opaque.
        table = np.hstack([colours, 1 - np.exp(-depth)]).astype(np.float32)
        chosen = colour_map(shown.colour_map)
        skin = colours[round(SKIN_COLOUR * (len(colours) - 1))]
        if anatomical:
            skin = np.array(IVORY)
        elif chosen.source is None:
            skin = np.array(AMBER)
        red, green, blue = (float(part) for part in skin)
        low, high = shown.window
        if self._rendering.mode == "projection":
            high = low + self.projection_gain(upper=upper) * (high - low)
        level = self._rendering.level(upper=upper)
        return RayLayer(
            packed,
            table,
            (low, high),
            level,
            (red, green, blue),
            weight,
            is_lit=anatomical,
            unit_mm=radius_mm / OPACITY,
        )

    def projection_gain(self, *, upper: bool) -> float:
        """Return the width of the window of a projection relative to that of the slices.

        Parameters
        ----------
        upper
            True for the second volume
        """
        shown = self._rendering.appearance(upper=upper)
        volume = shown.volume
        if volume is None or not shown.is_pinned:
            return 1.0
        known = self._gains.get(upper)
        if known is None or known[0]() is not volume:
            found = projection.gain_of(Projector(volume), self._state.convention)
            known = self._gains[upper] = weakref.ref(volume), found
        return known[1]


def rgb_table(key: str) -> NDArray[np.float32]:
    """Return the colours of a map.

    Parameters
    ----------
    key
        key of the colour map

    Returns
    -------
    (256, 3) float32 RGB, 0 to 1
    """
    table = lookup_table(key)
    parts = [(table >> shift & 0xFF) for shift in (16, 8, 0)]
    return np.asarray(np.stack(parts, axis=1) / 255, np.float32)


def extent_mm(
    volume: Volume, parts: PackedParts | None, axes: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper corner of the object without air, in patient axes.

    Parameters
    ----------
    volume
        the first volume; its whole grid counts until it is packed
    parts
        the packed volumes; None until then
    axes
        patient sides of the axes of the volume

    Returns
    -------
    two points (3,) [mm, LPS]
    """
    corners = np.array([volume.grid.lower_mm, volume.grid.upper_mm])
    if parts is not None and parts.corners_mm is not None:
        corners = parts.corners_mm
    turned = corners @ to_patient_axes(axes).T
    return turned.min(axis=0), turned.max(axis=0)
