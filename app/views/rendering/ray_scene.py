"""The content of a three-dimensional image and the position of its rays, without Qt.

A ray is a line through the view at (u, v) [mm], from the viewer into the screen:

    p(u, v, s) = c + u · right + v · up + (R − s) · towards

c is the centre of the displayed object, R the radius of everything, s the distance along the ray.
The point p is in the axes of the first volume. A texture has coordinates from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.views.planes.placing import VolumePlacing
from app.views.rendering.packed_volume import PackedMasks, PackedVolume
from app.views.rendering.ray_shader import RayProgram, RenderMode
from app.views.rendering.turning import FRONT, to_patient_axes
from app.views.scan.scan_scene import SceneCamera

Array = NDArray[np.float64]
PARALLEL = 1e-9
"""Smallest component of a direction: a ray parallel to a face must not divide by zero."""


@dataclass(frozen=True, eq=False)
class RayLayer:
    """One volume of the image.

    Attributes
    ----------
    packed : the volume as a texture
    table : colours of the window from its lower to its upper limit, (256, 4) RGBA, 0 to 1. A is the
        opacity of a length of `unit_mm`
    window : limits of the window in the unit of the volume
    level : value of the surface
    skin : colour of the surface, RGB, 0 to 1
    weight : opacity of the volume in the image, 0 to 1
    is_lit : True if a volume rendering is lit along the gradient
    unit_mm : length of the opacities [mm]
    """

    packed: PackedVolume
    table: NDArray[np.float32]
    window: tuple[float, float]
    level: float
    skin: tuple[float, float, float]
    weight: float = 1.0
    is_lit: bool = False
    unit_mm: float = 1.0


@dataclass(frozen=True, eq=False)
class RayScene:
    """Content of a three-dimensional image.

    Attributes
    ----------
    mode : method that combines the values along a ray
    lower : the first volume
    axes : patient sides of its axes, such as "LPS"; "xyz" if they are unknown
    upper : the second volume; None without one
    placing : maps points of the first volume to points of the second one
    first_on_top : True if a projection shows the first volume over the second one
    masks : regions on the grid of the first volume; None without regions
    ground : colour behind the volumes, RGB, 0 to 1
    camera : the viewing direction
    centre_mm : point at the centre of the view, in the axes of the first volume [mm]
    """

    mode: RenderMode
    lower: RayLayer
    centre_mm: Array
    axes: str = "LPS"
    upper: RayLayer | None = None
    placing: VolumePlacing = field(default_factory=VolumePlacing)
    first_on_top: bool = False
    masks: PackedMasks | None = None
    ground: tuple[float, float, float] = (0.0, 0.0, 0.0)
    camera: SceneCamera = FRONT

    @property
    def program(self) -> RayProgram:
        """The program that can show the scene."""
        layers = [self.lower] if self.upper is None else [self.lower, self.upper]
        is_volume = self.mode == "volume"
        return RayProgram(
            self.mode,
            is_fused=self.upper is not None,
            # A projection shows values and nothing else.
            has_masks=self.masks is not None and self.mode != "projection",
            first_on_top=self.first_on_top and self.mode == "projection",
            lit=tuple(k for k, layer in enumerate(layers) if layer.is_lit and is_volume),
        )

    def box_of(self, layer: RayLayer) -> tuple[Array, Array]:
        """Return the box in which rays meet a volume or its regions.

        Parameters
        ----------
        layer
            one of the two volumes

        Returns
        -------
        lower and upper corner in coordinates of its texture; equal corners if there is nothing
        """
        packed = layer.packed
        # A surface begins at its level, a volume and a projection at the lower limit.
        value = layer.level if self.mode == "surface" else layer.window[0]
        low, high = packed.box_above(max(packed.level_of(value), 0.0))
        if layer is self.lower and self.masks is not None and self.program.has_masks:
            least, most = self.masks.box()
            if (high > low).all():
                least, most = np.minimum(low, least), np.maximum(high, most)
            low, high = least, most
        return low, high

    @property
    def radius_mm(self) -> float:
        """Distance from the centre to the farthest corner of any volume."""
        corners = [self.lower.packed.corners_mm()]
        if self.upper is not None:
            corners.append(self.placing.to_base(self.upper.packed.corners_mm()))
        every = np.concatenate(corners) - self.centre_mm
        return float(np.linalg.norm(every, axis=1).max())

    @property
    def view_axes(self) -> Array:
        """Rows (3, 3): right, up, towards the viewer, in the axes of the first volume."""
        # Patient coordinates are P times those of the volume, and P is orthogonal.
        return np.asarray(self.camera.axes @ to_patient_axes(self.axes))

    @property
    def min_voxel_mm(self) -> float:
        """Shortest edge of a voxel of any texture [mm]."""
        layers = [self.lower] if self.upper is None else [self.lower, self.upper]
        return min(min(layer.packed.voxel_mm) for layer in layers)


@dataclass(frozen=True, eq=False)
class TextureRays:
    """Rays in the coordinates of one texture.

    Attributes
    ----------
    origin : point of the ray through (0, 0) at s = 0
    right, up, along : change for one millimetre to the right, up, and along the ray
    light : unit direction towards the light, in the axes of the volume
    """

    origin: Array
    right: Array
    up: Array
    along: Array
    light: Array


@dataclass(frozen=True)
class RayFrame:
    """A part of the view, and its resolution.

    Attributes
    ----------
    middle_mm : centre of the image in the view (to the right, up) [mm]
    px_per_mm : pixels of the image per millimetre
    size : width and height of the image [px]
    step : distance of the samples in voxels of the finest texture
    rows : first row and number of rows to draw, from the bottom; None draws all
    """

    middle_mm: tuple[float, float]
    px_per_mm: float
    size: tuple[int, int]
    step: float = 1.0
    rows: tuple[int, int] | None = None


LIGHT = np.array([-0.28, 0.34, 0.9])
"""Direction of the light in the view: from the viewer, a little from the upper left."""


def rays_of(scene: RayScene, packed: PackedVolume, placing: VolumePlacing) -> TextureRays:
    """Return the rays in a texture.

    Parameters
    ----------
    scene
        the image
    packed
        the volume
    placing
        maps points of the first volume to points of this one
    """
    right, up, towards = scene.view_axes
    size = np.array(packed.size_mm)
    start = placing.to_volume(scene.centre_mm + scene.radius_mm * towards)
    turned = (placing.matrix @ np.stack([right, up, -towards], axis=1)) / size[:, None]
    along = turned[:, 2]
    along = np.where(np.abs(along) < PARALLEL, PARALLEL, along)
    light = placing.matrix @ (np.array([right, up, towards]).T @ LIGHT)
    return TextureRays(
        (start - np.array(packed.lower_mm)) / size,
        turned[:, 0],
        turned[:, 1],
        along,
        light / np.linalg.norm(light),
    )
