"""Bins of the sinograms of a ring scanner, and the central line of response of each.

View v and tangential bin t correspond to places on the ring as in `RingScanner.places`. The line of
a bin has the direction φ of its view, at the distance s from the axis:

    φ = φ_0 + 2π (m v + (m − 1) / 2) / n − (π / n where t is odd),    s = R sin(π t / n),

with n crystals on a ring of radius R and m views mashed. Arc-corrected bins have s = t Δ instead,
and no odd bins. A segment sums rings with a difference (second minus first) in a range. Its planes
are one ring apart if the range is a single difference, else half a ring, symmetric about the
middle. The ends of a line with mean difference δ are δ / 2 rings before and behind the middle of
its plane.

After Fahey, J Nucl Med Technol 30 (2002) 39; Michelogram: Defrise & Kinahan, in Bendriem & Townsend
(eds), The Theory and Practice of 3D PET (1998), ch. 1. Numbering as in STIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.core.visible_text import amount
from engine.geometry.ring import RingScanner

PER_PITCH = 4
"""Units per ring pitch: ends of lines are at quarters, because middles and means are at halves."""


@dataclass(frozen=True)
class Segment:
    """Planes of similar obliqueness.

    Attributes
    ----------
    min_difference, max_difference : range of ring differences that are summed
    n_planes : number of planes
    """

    min_difference: int
    max_difference: int
    n_planes: int

    @property
    def mean_difference(self) -> float:
        """Mean ring difference of the lines."""
        return (self.min_difference + self.max_difference) / 2


def _n_planes(min_difference: int, max_difference: int, n_rings: int) -> int:
    """Return the planes of a segment with all ring pairs of its differences."""
    nearest = (
        0
        if min_difference <= 0 <= max_difference
        else min(abs(min_difference), abs(max_difference))
    )
    return n_rings - nearest if min_difference == max_difference else 2 * (n_rings - nearest) - 1


@dataclass(frozen=True)
class SinogramLayout:
    """Bins of sinograms; values have the order (plane, view, tangential bin).

    Attributes
    ----------
    scanner : the ring scanner
    segments : segments, in the order of their planes
    n_views, n_tangential : bins of each plane
    bin_mm : distance of arc-corrected bins; None: bins follow the crystals

    Examples
    --------
    >>> import engine
    >>> engine.SinogramLayout.of(engine.read_scanner("demo-ring")).n_bins
    19869696
    """

    scanner: RingScanner
    segments: tuple[Segment, ...]
    n_views: int
    n_tangential: int
    bin_mm: float | None = None

    def __post_init__(self) -> None:
        s = self.scanner.settings
        for each in self.segments:
            # Readers create layouts from headers, which can be inconsistent; kernels do not check
            # bounds.
            far = max(abs(each.min_difference), abs(each.max_difference))
            is_range = each.max_difference > each.min_difference
            max_planes = 2 * s.n_rings - 1 if is_range else s.n_rings - far
            is_possible = each.min_difference <= each.max_difference and far < s.n_rings
            if not is_possible or not 1 <= each.n_planes <= max_planes:
                raise GeometryError(
                    f"sinogram: a segment with ring differences {each.min_difference} to "
                    f"{each.max_difference} and "
                    f"{each.n_planes} planes is not possible with {s.n_rings} rings; choose the "
                    "scanner that recorded this file."
                )
        if self.bin_mm is None and self.scanner.n_views % self.n_views:
            raise GeometryError(
                f"sinogram: there are {self.n_views} views, expected {self.scanner.n_views} (half "
                "the crystals per ring) or a divisor of this number."
            )
        if not abs(self._offsets_mm()).max() < s.radius_mm:
            raise GeometryError(
                f"sinogram: {self.n_tangential} tangential bins reach "
                f"{abs(self._offsets_mm()).max():.0f} mm from the axis, but the ring radius is "
                f"{s.radius_mm:g} mm; use fewer bins."
            )

    @classmethod
    def of(
        cls,
        scanner: RingScanner,
        *,
        span: int = 1,
        mashed: int = 1,
        max_difference: int | None = None,
    ) -> SinogramLayout:
        """Return a layout; by default each line of response has its own bin.

        Parameters
        ----------
        scanner
            the ring scanner
        span
            ring differences that a segment sums, an odd number (STIR)
        mashed
            views that are summed
        max_difference
            maximum ring difference; None: that of the scanner

        Raises
        ------
        GeometryError
            if the scanner has no such bins
        """
        s = scanner.settings
        max_difference = s.max_ring_difference if max_difference is None else max_difference
        if span < 1 or span % 2 == 0 or not 0 <= max_difference <= s.max_ring_difference:
            raise GeometryError(
                f"sinogram: got span {span} and ring differences up to {max_difference}; "
                f"expected an odd span and ring differences up to {s.max_ring_difference}."
            )
        if mashed < 1 or scanner.n_views % mashed:
            raise GeometryError(
                f"sinogram: {scanner.n_views} views cannot be mashed by {mashed}; choose a "
                "number that divides them."
            )
        # Segments on each side of segment 0, rounded up so that the last one may be incomplete.
        n_sides = max(0, -(-(max_difference - span // 2) // span))
        middles = [k * span for k in range(-n_sides, n_sides + 1)]
        # The outermost segments can be narrower, because the ring difference is limited.
        ranges = [
            (max(m - span // 2, -max_difference), min(m + span // 2, max_difference))
            for m in middles
        ]
        segments = tuple(Segment(a, b, _n_planes(a, b, s.n_rings)) for a, b in ranges)
        return cls(scanner, segments, scanner.n_views // mashed, s.n_tangential)

    @property
    def n_planes(self) -> int:
        """Number of planes in all segments."""
        return sum(each.n_planes for each in self.segments)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(planes, views, tangential bins)."""
        return self.n_planes, self.n_views, self.n_tangential

    @property
    def n_bins(self) -> int:
        """Total number of bins."""
        return self.n_planes * self.n_views * self.n_tangential

    @property
    def n_mashed(self) -> int:
        """Number of views of the scanner that a view sums."""
        return max(self.scanner.n_views // self.n_views, 1) if self.bin_mm is None else 1

    @property
    def is_whole(self) -> bool:
        """True if each bin is exactly one line of response."""
        spans = all(each.min_difference == each.max_difference for each in self.segments)
        return spans and self.bin_mm is None and self.n_mashed == 1

    @property
    def identity(self) -> tuple[object, ...]:
        """Values that are equal for two files with the same bins."""
        s = self.scanner.settings
        # Rounded: headers of the same scanner state lengths with different precision.
        lengths = (s.radius_mm, s.ring_pitch_mm, s.first_angle_deg)
        rings = (s.n_rings, s.n_crystals_per_ring, *(round(n, 2) for n in lengths))
        return rings, self.segments, self.n_views, self.n_tangential, self.bin_mm

    def describe(self) -> str:
        """Return one line about the bins."""
        widest = max(each.max_difference - each.min_difference + 1 for each in self.segments)
        bins = f"{self.n_planes:,} planes × {self.n_views} views × {self.n_tangential} bins"
        segments = amount(len(self.segments), "segment")
        span = f"{segments} of up to {amount(widest, 'ring difference')}"
        return f"{bins}, {span}{', arc-corrected' if self.bin_mm else ''}"

    @cached_property
    def plane_ends(self) -> NDArray[np.int32]:
        """Axial ends of each plane's lines, (n_planes, 2), in quarters of the ring pitch."""
        ends = []
        for each in self.segments:
            spacing = PER_PITCH if each.min_difference == each.max_difference else PER_PITCH // 2
            middle = (np.arange(each.n_planes) - (each.n_planes - 1) / 2) * spacing
            half = each.mean_difference * PER_PITCH / 2
            ends.append(np.stack([middle - half, middle + half], -1))
        # The values are whole in these units; rint removes the rounding of the division.
        return np.rint(np.concatenate(ends)).astype(np.int32)

    def _offsets_mm(self) -> NDArray[np.float64]:
        """Return the distance of each bin's lines from the axis, (n_tangential,)."""
        t, s = self.tangential, self.scanner.settings
        if self.bin_mm is not None:
            return np.asarray(t * self.bin_mm, np.float64)
        return np.asarray(s.radius_mm * np.sin(np.pi * t / s.n_crystals_per_ring), np.float64)

    @property
    def tangential(self) -> NDArray[np.int64]:
        """Numbers of the tangential bins, (n_tangential,), 0 in the middle."""
        return np.arange(self.n_tangential) - self.n_tangential // 2

    @cached_property
    def _across(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Transaxial end points (m, 2) on the ring [mm], and the two points of each (view, bin)."""
        view, t = np.meshgrid(np.arange(self.n_views), self.tangential, indexing="ij")
        # Without mashing the ends are crystals, with exactly the bits of list mode.
        if self.bin_mm is None and self.n_mashed == 1:
            n = self.scanner.settings.n_crystals_per_ring
            pairs = np.stack(self.scanner.places(view, t), -1)
            return self.scanner.positions_mm[:n, :2], pairs.astype(np.int32)
        s = self.scanner.settings
        step = 2 * np.pi / s.n_crystals_per_ring
        if self.bin_mm is None:
            turned = (self.n_mashed * view + (self.n_mashed - 1) / 2) * step - t % 2 * step / 2
        else:
            turned = view * np.pi / self.n_views
        # The direction of a view is perpendicular to its normal, hence 90° from the first crystal.
        phi = np.deg2rad(s.first_angle_deg + 90) + turned
        off = np.broadcast_to(self._offsets_mm(), phi.shape)
        along = np.sqrt(s.radius_mm**2 - off**2)
        normal = np.stack([np.cos(phi), np.sin(phi)], -1) * off[..., None]
        offset = np.stack([-np.sin(phi), np.cos(phi)], -1) * along[..., None]
        points = np.stack([normal - offset, normal + offset], -2).reshape(-1, 2)
        return points, np.arange(len(points), dtype=np.int32).reshape(*phi.shape, 2)

    @cached_property
    def points_mm(self) -> NDArray[np.float64]:
        """End points of all lines, (m, 3) x, y, z [mm]."""
        across, _ = self._across
        first, last = int(self.plane_ends.min()), int(self.plane_ends.max())
        z = np.arange(first, last + 1) * self.scanner.settings.ring_pitch_mm / PER_PITCH
        points = np.empty((len(z), len(across), 3))
        points[..., :2], points[..., 2] = across, z[:, None]
        return points.reshape(-1, 3)

    def ends_of(self, bins: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the end points of bins.

        Parameters
        ----------
        bins
            (n,) numbers of bins

        Returns
        -------
        (n, 2) rows of `points_mm`
        """
        across, pairs = self._across
        plane, rest = np.divmod(bins, self.n_views * self.n_tangential)
        # `points_mm` has one set of transaxial points for each axial level.
        level = self.plane_ends[plane] - int(self.plane_ends.min())
        joined = pairs.reshape(-1, 2)[rest]
        return (level * len(across) + joined).astype(np.int32)

    def crystals_of(self, bins: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the crystals of bins that are one line each.

        Parameters
        ----------
        bins
            (n,) numbers of bins

        Returns
        -------
        (n, 2) int32
        """
        plane, rest = np.divmod(bins, self.n_views * self.n_tangential)
        view, t = np.divmod(rest, self.n_tangential)
        places = np.stack(self.scanner.places(view, t - self.n_tangential // 2), -1)
        s = self.scanner.settings
        # Ends of a span-1 segment are at whole rings, so the division is exact.
        rings = (self.plane_ends[plane] + (s.n_rings - 1) * PER_PITCH // 2) // PER_PITCH
        return (rings * s.n_crystals_per_ring + places).astype(np.int32)

    def bins_of(self, crystals: Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the bin of each crystal pair.

        Parameters
        ----------
        crystals
            (n, 2)

        Returns
        -------
        number of the bin (0 if there is none), and a mask of the pairs with a bin
        """
        return self.placed(crystals)[:2]

    def placed(
        self, crystals: Array
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the bin of each crystal pair, and the order of its ends.

        Parameters
        ----------
        crystals
            (n, 2)

        Returns
        -------
        number of the bin, mask of the pairs with a bin, and mask of the pairs in reversed order
        """
        s = self.scanner.settings
        n = s.n_crystals_per_ring
        ring, place = np.divmod(np.asarray(crystals, np.int64), n)
        t = (place[:, 0] - place[:, 1]) % n - n // 2
        view = (place[:, 0] - (t >> 1)) % n
        turned = view >= self.scanner.n_views  # pair of the opposite view, in reversed order
        t, view = np.where(turned, -t, t), np.where(turned, view - self.scanner.n_views, view)
        first = np.where(turned, ring[:, 1], ring[:, 0])
        second = np.where(turned, ring[:, 0], ring[:, 1])
        plane, inside = self.plane_of(first, second)
        bin_ = t + self.n_tangential // 2
        inside &= (bin_ >= 0) & (bin_ < self.n_tangential)
        number = (plane * self.n_views + view // self.n_mashed) * self.n_tangential + bin_
        return np.where(inside, number, 0), inside, turned

    def plane_of(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the plane of each ring pair.

        Parameters
        ----------
        first
            ring of the first crystal
        second
            ring of the second crystal

        Returns
        -------
        number of the plane, and a mask of the ring pairs with a plane
        """
        n_rings = self.scanner.settings.n_rings
        # A table of all ring pairs: a lookup costs less than a search through the segments.
        table = np.full((n_rings, n_rings), -1, np.int64)
        a, b = np.indices(table.shape)
        start = 0
        for each in self.segments:
            spacing = 2 if each.min_difference == each.max_difference else 1
            # The sum of both rings is the axial position, in half rings from the middle.
            place = a + b - (n_rings - 1) + (each.n_planes - 1) * spacing // 2
            fits = (
                (b - a >= each.min_difference)
                & (b - a <= each.max_difference)
                & (place % spacing == 0)
            )
            fits &= (place >= 0) & (place < each.n_planes * spacing)
            table[fits] = start + place[fits] // spacing
            start += each.n_planes
        plane = table[first, second]
        return plane, plane >= 0
