"""Two parallel panels of crystals, with the image between them on a grid tied to their pitch.

The normal of the panels is y: panel 0 is at −y, panel 1 at +y. Rows of crystals follow z, columns
follow x: crystal = ((panel · n_layers + layer) · n_rows + row) · n_columns + column. With D voxels
per pitch and planes of t mm, a voxel is pitch/D × t × pitch/D. The image has the length and width
of the panels: n_rows D × n_planes × n_columns D, [z, y, x].

Chou et al., PLoS ONE 7 (2012) e50540, use x, y, z for our y, z, x.
"""

from __future__ import annotations

from functools import cached_property
from math import expm1
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.line_efficiency import CrystalDepth
from engine.geometry.orientations import Orientations
from engine.geometry.scanner import Scanner


class DualHeadSettings(Settings):
    """A dual-head scanner, as stored in its TOML file.

    Examples
    --------
    >>> import engine
    >>> panels = engine.DualHeadSettings(
    ...     name="Small panels", n_rows=6, n_columns=4, pitch_mm=2.4, crystal_mm=2.1,
    ...     thickness_mm=20, separation_mm=12, n_planes=11, plane_mm=1,
    ... )
    >>> panels.voxels_per_pitch
    4
    """

    kind: Literal["dual-head"] = "dual-head"
    name: str = setting(..., "Name shown to the user", min_length=1, max_length=80)
    source: str = setting("", "Source of these values", max_length=2000)
    n_rows: int = setting(..., "Rows of crystals, along z", ge=1, le=500)
    n_columns: int = setting(..., "Columns of crystals, along x", ge=1, le=500)
    n_layers: int = setting(1, "Layers of crystals in depth", ge=1, le=4)
    pitch_mm: float = setting(..., "Distance between crystals", unit="mm", gt=0, le=100)
    crystal_mm: float = setting(..., "Width of a crystal, without the gap", unit="mm", gt=0, le=100)
    thickness_mm: float = setting(
        ..., "Total thickness of all crystal layers", unit="mm", gt=0, le=200
    )
    separation_mm: float = setting(
        ..., "Distance between the front faces of the panels", unit="mm", gt=0, le=2000
    )
    attenuation_per_mm: float = setting(
        0.087, "Attenuation of the crystals at 511 keV", unit="1/mm", gt=0, le=1
    )
    photo_fraction: float = setting(
        0.34,
        "Photoelectric fraction of the attenuation at 511 keV; the rest is scatter",
        gt=0,
        le=1,
    )
    energy_window_kev: tuple[float, float] = setting(
        (350.0, 750.0), "Energy window of the detected photons", unit="keV"
    )
    energy_fwhm: float = setting(
        0.15, "Energy resolution at 511 keV (FWHM), as a fraction", ge=0, lt=1
    )
    block_crystals: int = setting(
        1, "Crystals along the edge of a block that is read out as one; 1: no blocks", ge=1, le=500
    )
    place: Literal["mean", "largest"] = setting(
        "mean",
        "Crystal assigned to a photon: at the energy-weighted mean, or with the largest energy",
    )
    voxels_per_pitch: int = setting(4, "Voxels per crystal pitch", ge=1, le=16)
    n_planes: int = setting(..., "Planes of voxels between the panels", ge=1, le=1000)
    plane_mm: float = setting(..., "Thickness of a plane", unit="mm", gt=0, le=50)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.crystal_mm > self.pitch_mm:
            raise ValueError(
                f"crystal_mm is {self.crystal_mm:g}, expected at most pitch_mm ({self.pitch_mm:g})"
            )
        # A window without the photopeak would count only scatter, which the model does not
        # describe.
        low, high = self.energy_window_kev
        if not 0 <= low < 511 < high:
            raise ValueError(
                f"energy_window_kev is {low:g} to {high:g}, expected a window that starts at 0 "
                "or above and contains 511 keV"
            )
        # The tolerance accepts planes that fill the gap exactly, such as 119 × 0.1 mm in 11.9 mm.
        if self.n_planes * self.plane_mm > self.separation_mm * (1 + 1e-9):
            raise ValueError(
                f"n_planes × plane_mm is {self.n_planes * self.plane_mm:g} mm, expected at most "
                f"separation_mm ({self.separation_mm:g})"
            )
        return self


@checked_class()
class DualHead(Scanner):
    """Two panels of crystals that face each other across y = 0.

    Parameters
    ----------
    settings
        sizes and places, as in a scanner file

    Examples
    --------
    >>> import engine
    >>> panels = engine.read_scanner("test-panels")
    >>> panels.grid.describe()
    '0.6 × 1 × 0.6 mm, 16 × 11 × 24'
    """

    tof = None

    @property
    def blurred_axis(self) -> int:
        """Axis y, the normal of the panels: no line of response is parallel to the panels."""
        return 1

    @property
    def caution(self) -> str:
        return (
            "Limited angle: two panels see no line that runs along them, so the image is blurred "
            "along y, their normal. Judge details in the coronal slices."
        )

    def __init__(self, settings: DualHeadSettings) -> None:
        self.settings = settings
        self.name = settings.name

    @property
    def n_crystals(self) -> int:
        return 2 * self.settings.n_layers * self.n_per_layer

    @property
    def n_per_layer(self) -> int:
        """Number of crystals in one layer of one panel."""
        return self.settings.n_rows * self.settings.n_columns

    @cached_property
    def orientations(self) -> Orientations:
        """Numbering of the pairs between one layer of each panel."""
        return Orientations(self.settings.n_rows, self.settings.n_columns)

    @property
    def grid(self) -> ImageGrid:
        """Grid of the image, which has the symmetries of the panels."""
        s = self.settings
        n, edge = s.voxels_per_pitch, s.pitch_mm / s.voxels_per_pitch
        return ImageGrid((s.n_rows * n, s.n_planes, s.n_columns * n), (edge, s.plane_mm, edge))

    def depth_mm(self, layer: int) -> float:
        """Return the mean depth of detection in a layer for perpendicular photons [mm].

        Parameters
        ----------
        layer
            number of the layer, 0 at the front

        Returns
        -------
        depth from the front face of the panel
        """
        s = self.settings
        thickness, mu = s.thickness_mm / s.n_layers, s.attenuation_per_mm
        # Mean of an exponential distribution truncated at the thickness of the layer.
        return layer * thickness + 1 / mu - thickness / expm1(mu * thickness)

    @property
    def crystal_depth(self) -> CrystalDepth:
        s = self.settings
        return CrystalDepth(s.thickness_mm / s.n_layers, s.attenuation_per_mm)

    @cached_property
    def crystal_normals(self) -> NDArray[np.float64]:
        normals = np.zeros((self.n_crystals, 3))
        normals[:, 1] = np.repeat((-1.0, 1.0), self.n_crystals // 2)
        return normals

    @cached_property
    def positions_mm(self) -> NDArray[np.float64]:
        s = self.settings
        points = np.empty((2, s.n_layers, s.n_rows, s.n_columns, 3))
        points[..., 0] = _centred(s.n_columns, s.pitch_mm)
        points[..., 2] = _centred(s.n_rows, s.pitch_mm)[:, None]
        for layer in range(s.n_layers):
            # Positions are mean points of detection, not the centres of the crystals: they define
            # the lines.
            y = s.separation_mm / 2 + self.depth_mm(layer)
            points[0, layer, ..., 1], points[1, layer, ..., 1] = -y, y
        return points.reshape(-1, 3)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        return np.ones(self.n_crystals, bool)

    @property
    def n_lors(self) -> int:
        return self.settings.n_layers**2 * self.orientations.n_pairs

    def lors(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the crystals of lines, (n, 2), crystal of panel 0 first.

        The pair of layers (layer0, layer1) varies slowest.
        """
        xp, n_layers = module_of(numbers), self.settings.n_layers
        layers, pair = xp.divmod(xp.asarray(numbers, np.int64), self.orientations.n_pairs)
        layer0, layer1 = xp.divmod(layers, n_layers)
        row0, column0, row1, column1 = self.orientations.places(pair)
        first = self._crystal(layer0, row0, column0)
        second = self._crystal(n_layers + layer1, row1, column1)
        return xp.stack([first, second], -1).astype(np.int32)

    def numbers(self, crystals: Array) -> Array:
        """Return the numbers of lines of response.

        Parameters
        ----------
        crystals
            (n, 2) crystals in either order, one of each panel

        Returns
        -------
        (n,) int64
        """
        xp, s = module_of(crystals), self.settings
        # Crystals of panel 0 have the lower numbers, so sorting puts them first.
        ordered = xp.sort(xp.asarray(crystals, np.int64), axis=1)
        slab, place = xp.divmod(ordered, self.n_per_layer)
        row, column = xp.divmod(place, s.n_columns)
        # Layers are numbered through both panels, so those of panel 1 begin at n_layers.
        layers = slab[:, 0] * s.n_layers + slab[:, 1] - s.n_layers
        pair = self.orientations.numbers(row[:, 0], column[:, 0], row[:, 1], column[:, 1])
        return layers * self.orientations.n_pairs + pair

    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        # Any crystal of one panel is in coincidence with any crystal of the other one, in all
        # layers.
        on_panel_1 = crystals >= self.settings.n_layers * self.n_per_layer
        return on_panel_1[:, 0] != on_panel_1[:, 1]

    def _crystal(self, slab: Array, row: Array, column: Array) -> Array:
        """Return the crystal at a row and column of a layer, counted through both panels."""
        return (slab * self.settings.n_rows + row) * self.settings.n_columns + column

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        s = self.settings
        across = -(-s.n_columns // s.block_crystals)
        row = np.arange(s.n_rows) // s.block_crystals
        column = np.arange(s.n_columns) // s.block_crystals
        # Blocks at the edge can be incomplete; they still have their own number.
        block = (row[:, None] * across + column).ravel()
        slab = np.arange(2 * s.n_layers)[:, None] * (block[-1] + 1)
        return (slab + block).astype(np.int32).ravel()

    @property
    def bore_radius_mm(self) -> float:
        return self.settings.separation_mm / 2

    def from_middle_mm(self, x: Array, y: Array) -> Array:
        return abs(y) + 0 * x  # objects can be wider than the distance of the panels

    @property
    def default_voxel_mm(self) -> Point:
        return self.grid.voxel_mm

    @property
    def default_fov_mm(self) -> tuple[float, float]:
        x, y, z = self.default_size_mm
        return max(x, y), z

    @property
    def default_size_mm(self) -> Point:
        x, y, z = (float(v) for v in self.grid.size_mm)
        return x, y, z

    def fingerprint(self) -> Plain:
        # The image grid does not change the lines, so it is not part of the scanner's identity.
        image = {"voxels_per_pitch", "n_planes", "plane_mm"}
        return self.settings.model_dump(mode="json", exclude={"source"} | image)

    def describe(self) -> str:
        s = self.settings
        layers = f" in {s.n_layers} layers" if s.n_layers > 1 else ""
        return (
            f"two panels of {s.n_rows} × {s.n_columns} crystals{layers}, "
            f"{s.separation_mm:g} mm apart, no TOF"
        )


def _centred(n: int, pitch_mm: float) -> NDArray[np.float64]:
    return (np.arange(n, dtype=np.float64) - (n - 1) / 2) * pitch_mm
