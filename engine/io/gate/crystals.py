"""Find the scanner crystals of GATE photons, from volume IDs and positions.

GATE numbers crystals by repeaters, which differ from system to system, so the IDs alone do not give
a position. The mean position of all photons of one ID is the point of detection of a crystal, and
the nearest crystal of the scanner is assigned to it. Without IDs, the position of each photon
decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner

MAX_NUMBERS = 1 << 24
"""Maximum number of ID combinations; no scanner has more crystals."""
CANDIDATES = 8
"""Number of nearby crystals that are tried in turn."""
PITCHES = 1.5
"""Maximum distance of a mean position from its crystal, in pitches."""
BETWEEN = 0.4
"""Maximum RMS distance of photons from the centres of their crystals, in pitches."""
ENOUGH, USED_FRACTION = 20, 0.9
"""Photons per crystal above which this part of all crystals must have detected some."""


class MoreNumbersError(Exception):
    """A later part of the file has larger IDs than the first."""


@dataclass
class CrystalNumbers:
    """Volume IDs packed into one number each, with the positions of their photons.

    Attributes
    ----------
    sizes : number of values of each ID
    name : file name for messages
    """

    sizes: tuple[int, ...]
    name: str
    counts: NDArray[np.float64] = field(init=False)
    sums_mm: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        n = int(np.prod(self.sizes, dtype=np.float64))
        if n > MAX_NUMBERS:
            raise FileFormatError(
                f"{self.name}: the volume IDs allow {n:,} crystals, expected at most "
                f"{MAX_NUMBERS:,}; mask the unused ID branches in GATE."
            )
        self.counts, self.sums_mm = np.zeros(n), np.zeros((3, n))

    @staticmethod
    def sizes_of(numbers: Array) -> tuple[int, ...]:
        """Return the number of values of each ID in (n, k) rows; an absent level is −1."""
        # One more for the value 0, and one for −1.
        return tuple(int(most) + 2 for most in numbers.max(axis=0, initial=-1))

    def add(self, numbers: Array, places_mm: Array) -> NDArray[np.int64]:
        """Count photons, and add up their positions.

        Parameters
        ----------
        numbers
            (n, k) volume IDs
        places_mm
            (n, 3) positions [mm]

        Returns
        -------
        packed
            one number for each photon

        Raises
        ------
        MoreNumbersError
            if an ID is larger than `sizes` allow
        """
        shifted = numbers.astype(np.int64) + 1
        if (shifted < 0).any() or (shifted >= self.sizes).any():
            raise MoreNumbersError
        packed = np.zeros(len(shifted), np.int64)
        # Mixed radix: the last ID varies fastest, as in `numpy.ravel_multi_index`.
        for column, size in zip(shifted.T, self.sizes, strict=True):
            packed = packed * size + column
        n = len(self.counts)
        # bincount adds all photons of a part in one pass.
        self.counts += np.bincount(packed, minlength=n)
        for total, values in zip(self.sums_mm, places_mm.T, strict=True):
            total += np.bincount(packed, weights=values, minlength=n)
        return packed

    def crystals(self, scanner: Scanner) -> NDArray[np.int32]:
        """Return the scanner crystal of each packed number, −1 if it is not used.

        Parameters
        ----------
        scanner
            scanner that was simulated

        Raises
        ------
        GeometryError
            if the photons do not fit its crystals
        """
        used = np.flatnonzero(self.counts)
        means = (self.sums_mm[:, used] / self.counts[used]).T
        n_alive = int(np.count_nonzero(scanner.alive))
        self._refuse_other_scanner(len(used), n_alive, scanner)
        table = np.full(len(self.counts), -1, np.int32)
        found = _one_each(means, self.counts[used], scanner, self.name)
        _refuse_between(means, self.counts[used], found, scanner, self.name)
        table[used] = found
        return table

    def _refuse_other_scanner(self, n_used: int, n_alive: int, scanner: Scanner) -> None:
        # Many photons but few crystals: the simulated scanner is smaller. Short simulations may
        # miss some.
        short = n_used < USED_FRACTION * n_alive and self.counts.sum() > ENOUGH * n_alive
        if n_used > n_alive or short:
            raise GeometryError(
                f"{self.name}: photons were detected in {n_used:,} crystals, but {scanner.name!r} "
                f"has {n_alive:,} crystals; choose the scanner that was simulated."
            )


def _one_each(places_mm: Array, counts: Array, scanner: Scanner, name: str) -> NDArray[np.int32]:
    """Return a different crystal for each position; those with many photons choose first."""
    from scipy.spatial import KDTree

    alive = np.flatnonzero(scanner.alive)
    tree = KDTree(scanner.positions_mm[alive])
    k = min(CANDIDATES, len(alive))
    found_there = tree.query(_at_depth(places_mm, scanner), k=list(range(1, k + 1)))
    distances, near = (np.asarray(each) for each in found_there)
    max_mm = farthest_mm(scanner)
    if float(distances[:, 0].max(initial=0.0)) > max_mm:
        worst = int(distances[:, 0].argmax())
        raise _too_far(name, distances[worst, 0], places_mm[worst], scanner)
    # The normal case: every position has its own nearest crystal.
    if len(np.unique(near[:, 0])) == len(near):
        return np.asarray(alive[near[:, 0]], np.int32)
    used = np.zeros(len(alive), bool)
    found = np.empty(len(near), np.int32)
    # Means of few photons are uncertain, so they get the remaining crystals.
    for i in np.argsort(-counts, kind="stable"):
        free = near[i][(distances[i] <= max_mm) & ~used[near[i]]]
        if not len(free):
            x, y, z = places_mm[i]
            raise GeometryError(
                f"{name}: the simulation has several crystals near ({x:.1f}, {y:.1f}, {z:.1f}) mm, "
                f"but {scanner.name!r} has only one there; choose the scanner that was simulated."
            )
        found[i] = alive[free[0]]
        used[free[0]] = True
    return found


def _refuse_between(
    places_mm: Array, counts: Array, crystals: Array, scanner: Scanner, name: str
) -> None:
    """Refuse a scanner whose crystals are between the simulated ones.

    Photons are 0.29 pitches (RMS) from the centre of their crystal; with crystals turned by half a
    pitch
    they are 0.5.
    """
    away = _at_depth(places_mm, scanner) - scanner.positions_mm[crystals]
    normals = scanner.crystal_normals[crystals]
    # Distances along the normal are depths of interaction, which say nothing about the pitch.
    away = away - (away * normals).sum(axis=1, keepdims=True) * normals
    across = away[:, 0] ** 2 + away[:, 1] ** 2
    across_mm, along_mm = (
        float(np.sqrt(np.average(squares, weights=counts))) for squares in (across, away[:, 2] ** 2)
    )
    pitch_across_mm, pitch_along_mm = scanner.crystal_pitch_mm
    if across_mm > BETWEEN * pitch_across_mm or along_mm > BETWEEN * pitch_along_mm:
        raise GeometryError(
            f"{name}: detected photons are on average {across_mm:.2f} mm (transverse) and "
            f"{along_mm:.2f} mm (axial) from the crystal centres of {scanner.name!r}, but its "
            f"crystal pitch is {pitch_across_mm:.2f} mm (transverse) and {pitch_along_mm:.2f} mm "
            "(axial). Correct the angles and lengths in the scanner file (such as "
            "first_angle_deg), or choose the scanner that was simulated."
        )


def nearest(places_mm: Array, scanner: Scanner, name: str) -> NDArray[np.int32]:
    """Return the crystal nearest to each position, −1 in gaps.

    Parameters
    ----------
    places_mm
        (n, 3) positions [mm]
    scanner
        scanner that was simulated
    name
        file name for messages

    Raises
    ------
    GeometryError
        if a position is far from all crystals
    """
    if isinstance(scanner, RingScanner):
        return _on_ring(places_mm, scanner, name)
    from scipy.spatial import KDTree

    found = KDTree(scanner.positions_mm).query(places_mm)
    distances, near = (np.asarray(each) for each in found)
    if len(distances) and float(distances.max()) > farthest_mm(scanner):
        worst = int(distances.argmax())
        raise _too_far(name, distances[worst], places_mm[worst], scanner)
    return np.where(scanner.alive[near], near, -1).astype(np.int32)


def _on_ring(places_mm: Array, scanner: RingScanner, name: str) -> NDArray[np.int32]:
    s = scanner.settings
    n = s.n_crystals_per_ring
    # Arithmetic is much faster than a search tree, and it is enough for a regular ring.
    turn = np.arctan2(places_mm[:, 1], places_mm[:, 0]) - np.deg2rad(s.first_angle_deg)
    place = np.rint(turn * n / (2 * np.pi)).astype(np.int64) % n
    ring = np.rint(places_mm[:, 2] / s.ring_pitch_mm + (s.n_rings - 1) / 2).astype(np.int64)
    ring = np.clip(ring, 0, s.n_rings - 1)
    crystals = ring * n + place
    away = _at_depth(places_mm, scanner) - scanner.positions_mm[crystals]
    off_mm = np.linalg.norm(away, axis=1)
    if len(off_mm) and float(off_mm.max()) > farthest_mm(scanner):
        worst = int(off_mm.argmax())
        raise _too_far(name, off_mm[worst], places_mm[worst], scanner)
    return np.where(scanner.alive[crystals], crystals, -1).astype(np.int32)


def _at_depth(places_mm: Array, scanner: Scanner) -> Array:
    """Return positions on a ring at the mean depth of detection; other positions unchanged."""
    if not isinstance(scanner, RingScanner):
        return places_mm
    radius, depth_mm = scanner.settings.radius_mm, scanner.settings.crystal_depth_mm
    there = np.hypot(places_mm[:, 0], places_mm[:, 1])
    # Positions far from the ring stay, so that they are refused with their true distance.
    near = np.abs(there - radius) <= depth_mm
    scale = np.where(near, radius / np.maximum(there, 1e-9), 1.0)
    return np.asarray(places_mm * np.stack([scale, scale, np.ones_like(scale)], -1))


def farthest_mm(scanner: Scanner) -> float:
    """Return the maximum distance of a photon from its crystal [mm]."""
    reach = PITCHES * max(scanner.crystal_pitch_mm)
    return reach if isinstance(scanner, RingScanner) else reach + scanner.crystal_depth.depth_mm / 2


def _too_far(name: str, off_mm: float, place_mm: Array, scanner: Scanner) -> GeometryError:
    x, y, z = place_mm
    return GeometryError(
        f"{name}: photons were detected at ({x:.1f}, {y:.1f}, {z:.1f}) mm, {off_mm:.1f} mm from "
        f"any crystal of {scanner.name!r}; choose the simulated scanner."
    )
