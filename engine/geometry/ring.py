"""Cylindrical scanners: rings of crystals, with gaps.

    crystal id = ring · n_crystals_per_ring + place, place angle θ = first_angle + 2π place / n,
    x = R cos θ, y = R sin θ, z = (ring − (n_rings − 1)/2) · pitch.

A line of response has a view v, a tangential bin t and an ordered pair of rings (r1, r2):

        place1 = (v + ⌊t/2⌋) mod n,  place2 = (v − ⌊(t+1)/2⌋ + n/2) mod n,  |r1 − r2| ≤ maximum

(the numbering of Siemens 32-bit list mode, which contains each unordered pair once).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.geometry.crystal_gaps import CrystalRing, gap_factor
from engine.geometry.energy import EnergySettings, EnergyWindow
from engine.geometry.grid import Point
from engine.geometry.line_efficiency import LSO, CrystalDepth
from engine.geometry.scanner import Scanner, pair_product
from engine.geometry.tof import TofBins, TofSettings


class RingSettings(Settings):
    """A ring scanner, as stored in its TOML file.

    Examples
    --------
    >>> import engine
    >>> ring = engine.RingSettings(
    ...     name="Small ring", n_rings=4, n_crystals_per_ring=64, radius_mm=60, ring_pitch_mm=4,
    ...     max_ring_difference=3, n_tangential=40, fov_mm=(60, 16),
    ... )
    >>> ring.gap_places
    ()
    """

    kind: Literal["ring"] = "ring"
    name: str = setting(..., "Name shown to the user", min_length=1, max_length=80)
    source: str = setting("", "Source of these values", max_length=2000)
    n_rings: int = setting(..., "Rings of crystals", ge=1, le=2000)
    n_crystals_per_ring: int = setting(
        ..., "Crystal positions on a ring, including gaps", ge=8, le=20000
    )
    radius_mm: float = setting(
        ..., "Distance from the axis to the mean depth of detection", unit="mm", ge=10, le=1000
    )
    crystal_depth_mm: float = setting(
        LSO.depth_mm, "Radial length of a crystal", unit="mm", gt=0, le=200
    )
    crystal_width_mm: float | None = setting(
        None, "Tangential width of crystals that each face the axis", unit="mm", gt=0, le=100
    )
    attenuation_per_mm: float = setting(
        LSO.attenuation_per_mm, "Attenuation of the crystals at 511 keV", unit="1/mm", gt=0, le=1
    )
    photo_fraction: float = setting(
        LSO.photo_fraction,
        "Photoelectric fraction of the attenuation at 511 keV; default: LSO",
        gt=0,
        le=1,
    )
    ring_pitch_mm: float = setting(..., "Distance between rings", unit="mm", gt=0, le=100)
    first_angle_deg: float = setting(
        0.0, "Angle of crystal position 0", unit="deg", ge=-360, le=360
    )
    max_ring_difference: int = setting(..., "Maximum ring difference", ge=0, le=2000)
    n_tangential: int = setting(..., "Tangential bins of a view", ge=2, le=20000)
    gap_places: tuple[int, ...] = setting((), "Crystal positions without a crystal (gaps)")
    gap_rings: tuple[int, ...] = setting((), "Rings without crystals")
    block_rings: int = setting(1, "Rings of one detector block", ge=1, le=2000)
    block_places: int = setting(1, "Crystal positions of one detector block", ge=1, le=20000)
    tof: TofSettings | None = setting(None, "Time of flight; None: not measured")
    energy: EnergySettings | None = setting(None, "Energy window and resolution; None: unknown")
    voxel_mm: Point = setting((2.0, 2.0, 2.0), "Voxel size of the default image", unit="mm")
    fov_mm: tuple[float, float] = setting(
        ..., "Diameter and length of the default image", unit="mm"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        n = self.n_crystals_per_ring
        # Opposite crystals and n / 2 views exist only for an even number.
        if n % 2:
            raise ValueError(f"n_crystals_per_ring must be even, got {n}")
        if self.n_tangential >= n:
            raise ValueError(
                f"n_tangential is {self.n_tangential}, expected less than n_crystals_per_ring ({n})"
            )
        if self.max_ring_difference >= self.n_rings:
            raise ValueError(
                f"max_ring_difference is {self.max_ring_difference}, expected less than n_rings "
                f"({self.n_rings})"
            )
        for gaps, end in (("gap_places", n), ("gap_rings", self.n_rings)):
            for gap in getattr(self, gaps):
                if not 0 <= gap < end:
                    raise ValueError(f"{gaps} contains {gap}, expected 0 to {end - 1}")
        if min(*self.voxel_mm, *self.fov_mm) <= 0:
            raise ValueError(
                f"voxel_mm is {self.voxel_mm} and fov_mm is {self.fov_mm}, expected sizes above 0"
            )
        if self.crystal_width_mm is not None:
            # The width is used only by the gap model, which traces single boxes that face the axis.
            fits = 2 * math.pi * self.radius_mm / n
            if self.block_places > 1:
                raise ValueError(
                    f"block_places is {self.block_places}, but crystal_width_mm needs "
                    "block_places = 1"
                )
            if self.crystal_width_mm > fits:
                raise ValueError(
                    f"crystal_width_mm is {self.crystal_width_mm:g}, expected at most {fits:.4g}"
                )
        return self


@checked_class()
class RingScanner(Scanner):
    """Rings of crystals round the z axis.

    Parameters
    ----------
    settings
        sizes and places, as in a scanner file

    Examples
    --------
    >>> import engine
    >>> engine.RingScanner(engine.read_scanner("safir").settings).n_crystals
    16380
    """

    def __init__(self, settings: RingSettings) -> None:
        self.settings = settings
        self.name = settings.name
        t = settings.tof
        self.tof = TofBins(t.fwhm_ps, t.bin_ps, t.n_bins) if t else None

    @property
    def n_crystals(self) -> int:
        return self.settings.n_rings * self.settings.n_crystals_per_ring

    @cached_property
    def positions_mm(self) -> NDArray[np.float64]:
        s = self.settings
        place = np.arange(s.n_crystals_per_ring)
        angle = np.deg2rad(s.first_angle_deg) + 2 * np.pi * place / s.n_crystals_per_ring
        z = (np.arange(s.n_rings) - (s.n_rings - 1) / 2) * s.ring_pitch_mm
        points = np.empty((s.n_rings, s.n_crystals_per_ring, 3))
        points[..., 0] = s.radius_mm * np.cos(angle)
        points[..., 1] = s.radius_mm * np.sin(angle)
        points[..., 2] = z[:, None]
        return points.reshape(-1, 3)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        s = self.settings
        alive = np.ones((s.n_rings, s.n_crystals_per_ring), bool)
        alive[:, list(s.gap_places)] = False
        # Gap rings count in the ring numbers of the scanner's files, but have no crystals.
        alive[list(s.gap_rings), :] = False
        return alive.ravel()

    @cached_property
    def ring_pairs(self) -> NDArray[np.int32]:
        """Ordered pairs of rings in coincidence, (n, 2)."""
        ring = np.arange(self.settings.n_rings, dtype=np.int32)
        pairs = np.stack(np.meshgrid(ring, ring, indexing="ij"), -1).reshape(-1, 2)
        close = np.abs(pairs[:, 0] - pairs[:, 1]) <= self.settings.max_ring_difference
        return pairs[close]

    @property
    def n_views(self) -> int:
        """Number of views (angles of lines): half the crystals of a ring."""
        return self.settings.n_crystals_per_ring // 2

    @property
    def n_lors(self) -> int:
        return self.n_views * self.settings.n_tangential * len(self.ring_pairs)

    def places(self, view: Array, tangential: Array) -> tuple[Any, Any]:
        """Return the places on the ring of both crystals of a line.

        Parameters
        ----------
        view
            view v
        tangential
            tangential bin t, 0 in the middle
        """
        n = self.settings.n_crystals_per_ring
        # The shift rounds towards −∞, also for negative bins, as the formula requires.
        first = (view + (tangential >> 1)) % n
        second = (view - ((tangential + 1) >> 1) + n // 2) % n
        return first, second

    def lors(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        s = self.settings
        xp = module_of(numbers)
        # The pair of rings varies fastest: neighbouring numbers are lines of one transaxial
        # position.
        transaxial, pair = xp.divmod(xp.asarray(numbers, np.int64), len(self.ring_pairs))
        view, t = xp.divmod(transaxial, s.n_tangential)
        first, second = self.places(view, t - s.n_tangential // 2)
        rings = self._tables.like(numbers, self.ring_pairs)[pair].astype(np.int64)
        n = s.n_crystals_per_ring
        crystals = xp.stack([rings[:, 0] * n + first, rings[:, 1] * n + second], -1)
        return crystals.astype(np.int32)

    def in_coincidence(self, crystals: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        s = self.settings
        xp = module_of(crystals)
        ring, place = xp.divmod(crystals, s.n_crystals_per_ring)
        close = xp.abs(ring[:, 0] - ring[:, 1]) <= s.max_ring_difference
        n = s.n_crystals_per_ring
        turn = (place[:, 0].astype(np.int64) - place[:, 1]) % n
        inside = self._is_bin(place[:, 0], turn - n // 2)
        return close & inside & pair_product(self._tables.like(crystals, self.alive), crystals)

    def facing(self) -> tuple[Array, Array]:
        """Return the places on a ring that are in coincidence with each place, gaps included.

        Returns
        -------
        first, last
            (n_crystals_per_ring,) NumPy arrays: place p faces `first[p]` to `last[p]`, modulo the
            number of places
        """
        n, outermost = self.settings.n_crystals_per_ring, self.settings.n_tangential // 2
        place = np.arange(n)
        # For even numbers of bins, only one of the outermost bins exists.
        lowest = -outermost + ~self._is_bin(place, np.full(n, -outermost))
        highest = outermost - ~self._is_bin(place, np.full(n, outermost))
        return place - n // 2 - highest, place - n // 2 - lowest

    def _is_bin(self, place: Array, t: Array) -> Array:
        """Return True for bins t that exist, seen from the places of their first crystals."""
        s = self.settings
        # bins t and −t of opposite views are the same pair of places in reversed order
        view = (place - (t >> 1)) % s.n_crystals_per_ring
        t = module_of(t).where(view < self.n_views, t, -t)
        low = s.n_tangential // 2
        return (t >= -low) & (t < s.n_tangential - low)

    @cached_property
    def crystal_pitch_mm(self) -> tuple[float, float]:
        s = self.settings
        return 2 * math.pi * s.radius_mm / s.n_crystals_per_ring, s.ring_pitch_mm

    @property
    def block_mm(self) -> tuple[float, float] | None:
        s, (across, along) = self.settings, self.crystal_pitch_mm
        if s.crystal_width_mm is None and s.block_places * s.block_rings == 1:
            return None
        return s.block_places * across, s.block_rings * along

    @property
    def n_classes(self) -> tuple[int, int]:
        """Number of ring differences, and of distances |t| of tangential bins from the middle."""
        return self.settings.max_ring_difference + 1, self.settings.n_tangential // 2 + 1

    def line_classes(self, crystals: Array) -> tuple[Array, Array, Array]:
        """Return the class of each line: properties that rotations and shifts do not change.

        Parameters
        ----------
        crystals
            (n, 2) NumPy or GPU array; pairs without a line get the outermost class

        Returns
        -------
        ring difference, |t|, and the place in its block of the crystal on the side of positive t;
        (n,) each
        """
        n = self.settings.n_crystals_per_ring
        xp = module_of(crystals)
        ring, place = xp.divmod(crystals, n)
        t = (place[:, 0] - place[:, 1]) % n - n // 2
        n_differences, n_off = self.n_classes
        difference = xp.minimum(xp.abs(ring[:, 0] - ring[:, 1]), n_differences - 1)
        # For t = 0 both crystals are equivalent; the lower place decides, so that the result is
        # unique.
        from_first = (t > 0) | ((t == 0) & (place[:, 0] < place[:, 1]))
        near = xp.where(from_first, place[:, 0], place[:, 1])
        return difference, xp.minimum(xp.abs(t), n_off - 1), near % self.settings.block_places

    @property
    def energy(self) -> EnergyWindow | None:
        e = self.settings.energy
        return EnergyWindow(*e.window_kev, e.resolution) if e else None

    @property
    def crystal_depth(self) -> CrystalDepth:
        s = self.settings
        size = s.crystal_depth_mm, s.attenuation_per_mm
        # Scanner files without a window get the usual lower bound of clinical scanners.
        lowest = self.energy.lowest_kev if self.energy else LSO.lowest_kev
        return CrystalDepth(*size, photo_fraction=s.photo_fraction, lowest_kev=lowest)

    @cached_property
    def _geometric_factors(self) -> NDArray[np.float32]:
        """Geometric factors by ring and place difference, (n_rings, n_crystals_per_ring)."""
        s = self.settings
        # Rotations and shifts do not change the factor, so a table of differences covers all lines.
        ring, place = np.indices((s.n_rings, s.n_crystals_per_ring)).reshape(2, -1)
        pairs = np.stack([np.zeros_like(ring), ring * s.n_crystals_per_ring + place], -1)
        found = super().geometric_factor(pairs).reshape(s.n_rings, -1)
        if s.crystal_width_mm is not None:
            n_differences, n_off = self.n_classes
            turn = s.n_crystals_per_ring // 2 - np.arange(n_off)
            size = s.n_crystals_per_ring, s.crystal_width_mm, s.radius_mm
            gaps = CrystalRing(*size, self.crystal_depth)
            distance_mm = np.arange(n_differences) * s.ring_pitch_mm
            # Gaps matter only for scanners whose file states a crystal width.
            found[:n_differences, turn] *= gap_factor(gaps, distance_mm, n_off)
        return found

    @property
    def geometry_of_classes(self) -> NDArray[np.float32]:
        """Geometric factor of each class of lines, (n_ring_differences, n_tangential // 2 + 1)."""
        n_differences, n_off = self.n_classes
        turn = self.settings.n_crystals_per_ring // 2 - np.arange(n_off)
        return self._geometric_factors[:n_differences, turn]

    def geometric_factor(self, crystals: Array) -> Array:
        n = self.settings.n_crystals_per_ring
        xp = module_of(crystals)
        ring, place = xp.divmod(crystals, n)
        difference = xp.abs(ring[:, 0] - ring[:, 1])
        turn = xp.abs(place[:, 0] - place[:, 1])
        table = self._tables.like(crystals, self._geometric_factors)
        # The difference of places counts the shorter way round the ring.
        return table[difference, xp.minimum(turn, n - turn)]

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        s = self.settings
        across = -(-s.n_crystals_per_ring // s.block_places)
        ring = np.arange(s.n_rings) // s.block_rings
        place = np.arange(s.n_crystals_per_ring) // s.block_places
        return (ring[:, None] * across + place).astype(np.int32).ravel()

    @property
    def bore_radius_mm(self) -> float:
        return self.settings.radius_mm

    @property
    def default_voxel_mm(self) -> Point:
        return self.settings.voxel_mm

    @property
    def default_fov_mm(self) -> tuple[float, float]:
        return self.settings.fov_mm

    def fingerprint(self) -> Plain:
        # Image defaults and the origin of the numbers do not change the lines.
        like = {"voxel_mm", "fov_mm", "source", "energy"}
        settings = self.settings.model_dump(mode="json", exclude=like)
        return {**settings, "lowest_kev": self.crystal_depth.lowest_kev}  # it affects tilted lines

    def describe(self) -> str:
        s = self.settings
        text = f"{s.n_crystals_per_ring} × {s.n_rings} crystals, radius {s.radius_mm:g} mm"
        return f"{text}, TOF {s.tof.fwhm_ps:g} ps" if s.tof else f"{text}, no TOF"
