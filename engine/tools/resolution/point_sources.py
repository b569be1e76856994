"""Resolution of a ring scanner from the lines of response of point sources.

    var s = r² cos² ψ + t² sin² ψ,    var z = a² + tan² θ (r² sin² ψ + t² cos² ψ)
    log L = Σ w log( (1 − b) N(s) N(z) + b / (2 R)² )

A line passes a source at the distance s in the transaxial plane and at the height z. r, t and a are
the radial, tangential and axial standard deviations of the point spread, ψ is the angle between the
radius of the source and the normal of the line, and θ is the tilt of the line. b is the fraction of
the lines within R that do not come from the source: randoms and scatter. The fit uses no image, so
that neither an algorithm nor voxels change the widths. NEMA NU 2 states the widths of an image from
filtered back projection instead. Both agree for a Gaussian point spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.data.formatting import with_error
from engine.data.listmode import ListMode
from engine.data.sinogram import Sinogram
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread
from engine.geometry.scanner import Scanner
from engine.geometry.tof import FWHM_PER_SIGMA

FIRST_REACH_MM = 20.0
"""Distance from a source within which lines are used at first."""
REACH = 3.0
"""The same in the final fit, in widths."""
MIN_REACH_MM = 4.0
MAX_LINES = 60_000
"""Most lines of a fit: the standard error of a width is then 0.2 to 0.3 %."""
FIRST_LINES = 100_000
"""Lines of the whole scan for the first fit of each source."""
MIN_LINES = 500
SEARCHED_LINES = 40_000
SEARCH_VOXEL_MM, SEARCH_STEPS = 4.0, 12
LOGITS = (-9.0, 9.0)
"""Limits of the logit of the background: 0.01 % and 99.99 % of the lines."""
MIN_DISTANCE_MM = 25.0
"""Least distance between two sources."""
FAINTEST = 0.2
"""Least height of a source, as a fraction of the brightest one."""
ON_AXIS_MM = 3.0
"""Up to this distance from the axis no direction is radial."""
SAME_DISTANCE_MM = 3.0
"""Sources that differ by less in their distance from the axis share a row of the table."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class PointSource:
    """Measured widths at one source.

    Attributes
    ----------
    centre_mm : (3,) position
    radial_mm, tangential_mm, axial_mm : full widths at half maximum [mm]
    errors_mm : standard errors of the three widths [mm]
    n_lines : number of lines in the fit
    """

    centre_mm: Values
    radial_mm: float
    tangential_mm: float
    axial_mm: float
    errors_mm: tuple[float, float, float]
    n_lines: int

    @property
    def radius_mm(self) -> float:
        """Distance from the axis [mm]."""
        return float(np.hypot(*self.centre_mm[:2]))

    def describe(self) -> str:
        """Return position, widths and their standard errors as text."""
        x, y, z = self.centre_mm
        widths = self.radial_mm, self.tangential_mm, self.axial_mm
        names = "radial", "tangential", "axial"
        texts = [
            f"{name} {with_error(width, error)} mm"
            for name, width, error in zip(names, widths, self.errors_mm, strict=True)
        ]
        return f"({x:.1f}, {y:.1f}, {z:.1f}) mm: {', '.join(texts)} ({self.n_lines:,} lines)"


@dataclass(frozen=True)
class Lines:
    """Lines of response with counts.

    Attributes
    ----------
    first_mm, last_mm : (n, 3) ends
    counts : (n,) counts of each line
    """

    first_mm: Values
    last_mm: Values
    counts: Values

    @classmethod
    def of(cls, scan: ListMode | Sinogram) -> Lines:
        """Return the lines with counts of a scan.

        Parameters
        ----------
        scan
            events or sinogram of a ring scanner

        Raises
        ------
        DataError
            if there are fewer lines than a fit needs
        """
        if isinstance(scan, ListMode):
            points, ends = scan.scanner.positions_mm, scan.prompts.crystals
            ends = ends[scan.scanner.in_coincidence(ends)]
            counts = np.ones(len(ends))
        else:
            bins = np.flatnonzero(scan.prompts > 0)
            points, ends = scan.layout.points_mm, scan.layout.ends_of(bins)
            counts = scan.prompts[bins].astype(np.float64)
        if len(ends) < MIN_LINES:
            raise DataError(
                f"the scan has {len(ends):,} lines with counts, expected at least "
                f"{MIN_LINES:,}; scan the sources for longer."
            )
        first, last = (np.asarray(points[ends[:, k]], np.float64) for k in (0, 1))
        return cls(first, last, counts)

    def some(self, max_lines: int) -> Lines:
        """Return at most so many lines, spread over all of them."""
        step = -(-len(self.counts) // max_lines)
        return Lines(self.first_mm[::step], self.last_mm[::step], self.counts[::step])

    def where(self, chosen: NDArray[np.bool_]) -> Lines:
        """Return the chosen lines."""
        return Lines(self.first_mm[chosen], self.last_mm[chosen], self.counts[chosen])

    def passing(self, at_mm: Values) -> Passes:
        """Return the way in which the lines pass a point, (3,) in mm."""
        axis = self.last_mm - self.first_mm
        across = np.maximum(np.hypot(axis[:, 0], axis[:, 1]), 1e-9)
        unit = axis / across[:, None]
        off = at_mm - self.first_mm
        # The normal is the direction of the line, turned by 90° in the transaxial plane.
        normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
        distance = off[:, 0] * normal[:, 0] + off[:, 1] * normal[:, 1]
        along = off[:, 0] * unit[:, 0] + off[:, 1] * unit[:, 1]
        return Passes(distance, off[:, 2] - along * unit[:, 2], normal, unit[:, 2])


@dataclass(frozen=True)
class Passes:
    """Distances of lines from a point.

    Attributes
    ----------
    s_mm, z_mm : (n,) distance in the transaxial plane, and height of the point above the line
    normal : (n, 2) transaxial unit vector across each line
    tilt : (n,) tan θ
    """

    s_mm: Values
    z_mm: Values
    normal: Values
    tilt: Values

    def within(self, reach_mm: float) -> NDArray[np.bool_]:
        """Return which lines pass the point within a distance."""
        return (np.abs(self.s_mm) < reach_mm) & (np.abs(self.z_mm) < reach_mm)


def point_sources(scan: ListMode | Sinogram, *, on: Backend) -> list[PointSource]:
    """Find the point sources of a scan, and measure the resolution at each.

    Parameters
    ----------
    scan
        events or sinogram of sources in air, at least 25 mm apart
    on
        device that searches the sources

    Raises
    ------
    DataError
        if no source is found, or one has too few counts
    """
    lines = Lines.of(scan)
    places = _places(lines, scan.scanner, on)
    if not places:
        raise DataError("no point source was found; scan sources in air, at least 25 mm apart.")
    found = [measured_at(lines, place) for place in places]
    return sorted(found, key=lambda source: source.radius_mm)


def point_spread_of(sources: Sequence[PointSource], *, diameter_mm: float = 0.0) -> PointSpread:
    """Return the resolution by distance from the axis.

    Parameters
    ----------
    sources
        measured sources; those at the same distance are averaged by their errors
    diameter_mm
        diameter D of the sources; their own variance D² / 20 is subtracted [mm]

    Raises
    ------
    DataError
        if a measured width is not larger than that of the source itself
    """
    own = diameter_mm**2 / 20 * FWHM_PER_SIGMA**2
    groups: list[list[PointSource]] = []
    for source in sorted(sources, key=lambda each: each.radius_mm):
        if groups and source.radius_mm - groups[-1][0].radius_mm < SAME_DISTANCE_MM:
            groups[-1].append(source)
        else:
            groups.append([source])
    rows = []
    for group in groups:
        widths = np.array([(g.radial_mm, g.tangential_mm, g.axial_mm) for g in group])
        weights = 1 / np.array([g.errors_mm for g in group]) ** 2
        squares = (weights * widths**2).sum(axis=0) / weights.sum(axis=0) - own
        if not (squares > 0).all():
            raise DataError(
                f"the measured width at {group[0].radius_mm:.0f} mm from the axis is "
                f"{widths.min():.2f} mm, which is too small for a source with a diameter of "
                f"{diameter_mm:g} mm; check the diameter of the sources."
            )
        rows.append([np.mean([g.radius_mm for g in group]), *np.sqrt(squares)])
    table = np.array(rows)
    return PointSpread(table[:, 0], table[:, 1], table[:, 2], float(table[:, 3].mean()))


def _places(lines: Lines, scanner: Scanner, on: Backend) -> list[Values]:
    """Return the positions of the sources, the brightest first, from a coarse image."""
    from engine.operators.rays import RayProjector, Rays

    some = lines.some(SEARCHED_LINES)
    x, y, z = scanner.default_size_mm
    shape = tuple(max(1, round(edge / SEARCH_VOXEL_MM)) for edge in (z, y, x))
    grid = ImageGrid((shape[0], shape[1], shape[2]), (SEARCH_VOXEL_MM,) * 3)
    n = len(some.counts)
    ends = np.stack([np.arange(n), np.arange(n) + n], axis=1).astype(np.int32)
    points = np.concatenate([some.first_mm, some.last_mm])
    A, counts = RayProjector(Rays(points, ends), grid, on=on), some.counts.astype(np.float32)
    image = np.ones(grid.shape, np.float32)
    # Expectation maximisation without a sensitivity: only the places of the peaks matter.
    for _ in range(SEARCH_STEPS):
        expected = np.asarray(on.to_host(A(image)))
        ratio = np.divide(counts, expected, out=np.zeros_like(counts), where=expected > 0)
        image = image * np.asarray(on.to_host(A.T(ratio)))
        image = (image / max(float(image.max()), 1e-30)).astype(np.float32)
    axes = [np.asarray(grid.centres_mm(axis), np.float64) for axis in (0, 1, 2)]
    found: list[Values] = []
    for k in np.argsort(image, axis=None)[::-1]:
        i_z, i_y, i_x = np.unravel_index(k, image.shape)
        if image[i_z, i_y, i_x] < FAINTEST * float(image.max()):
            break
        place = np.array([axes[0][i_x], axes[1][i_y], axes[2][i_z]])
        if all(np.linalg.norm(place - other) > MIN_DISTANCE_MM for other in found):
            found.append(place)
    return found


def measured_at(lines: Lines, place: Values) -> PointSource:
    """Measure the resolution at a source.

    Parameters
    ----------
    lines
        lines with counts
    place
        (3,) position of the source, known to about 10 mm

    Raises
    ------
    DataError
        if too few lines pass the source
    """
    # The first fit only finds the place and the width.
    fit = _fitted(lines.some(FIRST_LINES), place, FIRST_REACH_MM)
    reach = max(MIN_REACH_MM, REACH * FWHM_PER_SIGMA * float(np.sqrt(fit.variances.max())))
    fit = _fitted(lines, fit.centre_mm, min(reach, FIRST_REACH_MM))
    radial, tangential, axial = (float(w) for w in FWHM_PER_SIGMA * np.sqrt(fit.variances))
    by_radius, by_angle, along = (float(e) for e in fit.errors)
    errors = radial * by_radius, tangential * by_angle, axial * along
    return PointSource(fit.centre_mm, radial, tangential, axial, errors, fit.n_lines)


@dataclass(frozen=True)
class _Fit:
    centre_mm: Values
    variances: Values
    errors: Values
    """Relative standard errors of the widths."""
    n_lines: int


def _fitted(lines: Lines, place: Values, reach_mm: float) -> _Fit:
    from scipy import optimize

    near = lines.where(lines.passing(place).within(reach_mm)).some(MAX_LINES)
    n = len(near.counts)
    if n < MIN_LINES:
        x, y, z = place
        raise DataError(
            f"only {n:,} lines pass the source at ({x:.0f}, {y:.0f}, {z:.0f}) mm, expected at "
            f"least {MIN_LINES:,}; scan the source for longer."
        )
    on_axis = float(np.hypot(*place[:2])) < ON_AXIS_MM

    def misfit(p: Values) -> float:
        return _misfit(near, place + p[:3], _variances(p, on_axis=on_axis), p[-1], reach_mm)

    start = (reach_mm / 6) ** 2
    begin = np.array([0, 0, 0, *np.log([start] * (2 if on_axis else 3)), -2.0])
    # Without a background its logit would have no limit.
    bounds = [(None, None)] * (len(begin) - 1) + [LOGITS]
    found = optimize.minimize(
        misfit,
        begin,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-9, "gtol": 1e-5 * n},
    )
    # The scale of the counts does not change the optimum, but it changes the errors.
    hessian = _hessian(misfit, found.x)
    variance = np.diag(np.linalg.pinv(hessian))
    logs = np.sqrt(np.maximum(variance[3:-1], 0))
    errors = 0.5 * (logs[[0, 0, 1]] if on_axis else logs)
    return _Fit(place + found.x[:3], _variances(found.x, on_axis=on_axis), errors, n)


def _variances(p: Values, *, on_axis: bool) -> Values:
    """Return the radial, tangential and axial variance of the parameters."""
    logs = p[[3, 3, 4]] if on_axis else p[3:6]
    return np.exp(logs)


def _misfit(lines: Lines, at: Values, variances: Values, b: float, reach_mm: float) -> float:
    """Return −log L; b is the logit of the background."""
    passes = lines.passing(at)
    radius = float(np.hypot(at[0], at[1]))
    radial = at[:2] / radius if radius > 0 else np.array([1.0, 0.0])
    across = (passes.normal @ radial) ** 2
    r, t, a = variances
    of_s = r * across + t * (1 - across)
    of_z = a + passes.tilt**2 * (r * (1 - across) + t * across)
    peak = np.exp(-0.5 * (passes.s_mm**2 / of_s + passes.z_mm**2 / of_z))
    peak /= 2 * np.pi * np.sqrt(of_s * of_z)
    background = 1 / (1 + np.exp(-b))
    density = (1 - background) * peak + background / (2 * reach_mm) ** 2
    return -float(np.sum(lines.counts * np.log(np.maximum(density, 1e-300))))


def _hessian(function: Callable[[Values], float], at: Values) -> Values:
    """Return the matrix of second derivatives by central differences."""
    n, step = len(at), 1e-3
    found, unit = np.zeros((n, n)), np.eye(n) * step
    for i in range(n):
        for j in range(i, n):
            a, b = unit[i], unit[j]
            second = function(at + a + b) - function(at + a - b)
            second += function(at - a - b) - function(at - a + b)
            found[i, j] = found[j, i] = second / (4 * step * step)
    return found
