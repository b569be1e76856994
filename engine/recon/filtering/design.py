"""Design of a direct inversion: ray weights, with reasons and warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from engine.core.arrays import Array
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.detector import axis_column, check_detector, edges, widened
from engine.recon.filtering.orbit import Orbit, orbit_of
from engine.recon.filtering.redundancy import Coverage, coverage, parker, wang

Choice = Literal["auto", "on", "off"]
Kind = Literal["full circle", "half fan", "half circle", "short scan", "limited angle"]

HALF_FAN_SHIFT = 0.10
"""Detector shift, relative to its width, above which half-fan weights are always used."""
CUT_SHIFT = 0.005
"""The same if the object is truncated on the side nearer to the axis."""
NOTED_GAP = 2.0
"""Gap between views, relative to the usual one, that causes a warning."""


@dataclass(frozen=True)
class FilterDesign:
    """Decisions for one scan.

    Attributes
    ----------
    kind : angular range of the views
    geometry : the scan with added columns, used to back-project filtered rows
    orbit : orbit of `geometry`
    added_columns : before the first and after the last measured column
    step_rad : (n_views,) angle that each view represents
    continued : True for the first and last column if truncated rows are extrapolated there
    messages, warnings : sentences about decisions, and about expected errors
    even_weight : common weight of all rays; None if they differ
    climbs : True for a helix: not all views see each voxel
    """

    kind: Kind
    geometry: XrayGeometry
    orbit: Orbit
    added_columns: tuple[int, int]
    step_rad: Array
    continued: tuple[bool, bool]
    messages: tuple[str, ...]
    warnings: tuple[str, ...]
    climbs: bool
    even_weight: float | None
    _weigh: Callable[[int, Array], Array]

    def weights(self, view: int) -> Array:
        """Return the weights of the rays of a view.

        Parameters
        ----------
        view
            number of the view

        Returns
        -------
        (n_rows or 1, n_columns); the weights of a ray and of its opposite add up to 1
        """
        fan = self._common_fan if self.orbit.all_alike else self.orbit.fan(view)
        return self._weigh(view, fan)

    @cached_property
    def _common_fan(self) -> Array:
        return self.orbit.fan(0)

    def weight_map(self) -> Array:
        """Return the weights of the measured columns in the middle row, for display.

        Returns
        -------
        (n_views, n_columns)
        """
        before, after = self.added_columns
        stop = self.geometry.shape[1] - after
        rows = [self.weights(view) for view in range(self.geometry.n_views)]
        return np.stack([weights[len(weights) // 2, before:stop] for weights in rows])


def plan_for(
    geometry: XrayGeometry,
    *,
    short_scan: Choice = "auto",
    half_fan: Choice = "auto",
    cut_sides: tuple[bool, bool] | Callable[[], tuple[bool, bool]] = (False, False),
) -> FilterDesign:
    """Select the ray weights of a scan.

    Parameters
    ----------
    geometry
        source and detector of each view
    short_scan
        weights of a scan below a full circle; "on" treats even a full circle as open, "off" gives
        all rays the same weight
    half_fan
        weights of a detector that covers one side of the object only
    cut_sides
        True if the object extends beyond the first and the last column; a function is called after
        the geometry has been examined, so that a GPU can inspect the values meanwhile

    Raises
    ------
    GeometryError
        if the rows cannot be filtered or the source is on the axis
    """
    orbit = orbit_of(geometry)
    check_detector(orbit)
    circle = coverage(orbit.angles_rad)
    first, last = edges(orbit)
    if callable(cut_sides):
        cut_sides = cut_sides()
    notes = _notes(orbit, circle, cut_sides)
    # distance of the axis from the detector's middle, relative to the detector width
    shift = abs(abs(first) - abs(last)) / (2 * abs(last - first))
    # the nearer edge: if the object is truncated there, even a small shift matters
    is_cut = cut_sides[0 if abs(first) < abs(last) else 1]
    needs_half_fan = half_fan == "on" or (
        half_fan == "auto" and shift >= (CUT_SHIFT if is_cut else HALF_FAN_SHIFT)
    )
    # a full circle measures every ray twice, and short-scan weights would discard half of
    # them
    if circle.is_whole and short_scan != "on":
        if needs_half_fan:
            return _half_fan(orbit, circle, notes)
        return _full_circle(orbit, circle, notes)
    if needs_half_fan:
        notes = notes.warn(
            f"The axis is {100 * shift:.0f} % of the detector width off its centre, "
            "but half-fan weights need views from a full circle. The image is "
            "incomplete outside the short side."
        )
    if geometry.beam == "parallel":
        return _parallel_arc(orbit, notes)
    return _short_scan(orbit, circle, notes, max(abs(first), abs(last)), use=short_scan != "off")


@dataclass(frozen=True)
class _Notes:
    cut_sides: tuple[bool, bool]
    messages: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def report(self, text: str) -> _Notes:
        return replace(self, messages=(*self.messages, text))

    def warn(self, text: str) -> _Notes:
        return replace(self, warnings=(*self.warnings, text))

    def plan(
        self,
        kind: Kind,
        orbit: Orbit,
        step_rad: Array,
        weigh: float | Callable[[int, Array], Array],
        added: tuple[int, int] = (0, 0),
    ) -> FilterDesign:
        # sides with added columns are not extrapolated: weights fall to zero at the old
        # edge
        first, last = (is_cut and not n for is_cut, n in zip(self.cut_sides, added, strict=True))
        messages = self.messages
        if first or last:
            where = "on both sides" if first and last else f"beyond the {_side(first)} column"
            messages = (
                *messages,
                (f"The object is wider than the detector {where}: rows are extrapolated."),
            )
        return FilterDesign(
            kind,
            orbit.geometry,
            orbit,
            added,
            step_rad,
            (first, last),
            messages,
            self.warnings,
            orbit.climbs,
            weigh if isinstance(weigh, float) else None,
            _constant(weigh) if isinstance(weigh, float) else weigh,
        )


def _side(is_first: bool) -> str:
    return "first" if is_first else "last"


def _full_circle(orbit: Orbit, circle: Coverage, notes: _Notes) -> FilterDesign:
    messages = "Full circle: every ray is measured twice and gets half weight."
    if orbit.climbs:
        messages = "Helical orbit, weighted like a full circle: every ray gets half weight."
    notes = notes.report(messages)
    return notes.plan("full circle", orbit, circle.step_rad, 0.5)


def _half_fan(orbit: Orbit, circle: Coverage, notes: _Notes) -> FilterDesign:
    """Widen the detector symmetrically about the axis; the weights fall to 0 at its old edge."""
    first, last = edges(orbit)
    overlap = min(abs(first), abs(last)) if first * last < 0 else 0.0
    towards_long = np.sign(last) if abs(last) > abs(first) else np.sign(first)
    n_columns = orbit.geometry.shape[1]
    middle = axis_column(orbit)
    # number of columns that puts the axis into the middle
    missing = int(np.ceil(abs(n_columns - 1 - 2 * middle)))
    before = missing if abs(first) < abs(last) else 0
    added = (before, missing - before)
    wide = widened(orbit.geometry, added)
    unit = f"{np.degrees(overlap):.1f}°" if orbit.geometry.beam == "cone" else f"{overlap:.1f} mm"
    notes = notes.report(
        f"Half fan: the axis is at column {middle:.1f} of {n_columns}, so rays within "
        f"{unit} of it are measured twice and share their weight smoothly; {missing} "
        f"empty columns are added on the {_side(bool(before))} side."
    )
    if overlap == 0:
        notes = notes.warn("No column sees the axis, so the centre of the image is missing.")
    wide_orbit = replace(orbit, geometry=wide)
    return notes.plan(
        "half fan",
        wide_orbit,
        circle.step_rad,
        lambda _, fan: wang(towards_long * fan, overlap),
        added,
    )


def _parallel_arc(orbit: Orbit, notes: _Notes) -> FilterDesign:
    """Weight parallel rays, which repeat after half a turn; opposite views share their angle."""
    half = coverage(orbit.angles_rad, np.pi)
    kind: Kind = "half circle" if half.is_whole else "limited angle"
    if half.is_whole:
        notes = notes.report(
            "Half circle of parallel rays: each ray is measured once and gets full weight."
        )
    else:
        notes = _warn_of_limits(notes, half.range_rad, np.pi)
    return notes.plan(kind, orbit, half.step_rad, 1.0)


def _short_scan(
    orbit: Orbit, circle: Coverage, notes: _Notes, fan_rad: float, *, use: bool
) -> FilterDesign:
    needed, covered = np.pi + 2 * fan_rad, circle.range_rad
    # tolerance of two usual gaps, for views that are missing at the ends
    enough = covered >= needed - 2 * circle.typical_gap_rad
    kind: Kind = "short scan" if enough else "limited angle"
    if not enough:
        notes = _warn_of_limits(notes, covered, needed)
    if not use:
        # on average a ray is measured covered / π times, so the values stay about right
        weight = min(1.0, np.pi / covered)
        notes = notes.report(
            f"Short-scan weights are switched off: every ray gets weight {weight:.2f}."
        )
        return notes.plan(kind, orbit, circle.step_rad, weight)
    notes = notes.report(
        f"Short scan over {np.degrees(covered):.1f}°; {np.degrees(needed):.1f}° are needed. "
        "Smooth weights of Parker are applied to rays that were measured twice."
    )
    starts = circle.from_start_rad
    return notes.plan(
        kind, orbit, circle.step_rad, lambda view, fan: parker(starts[view], fan, covered)
    )


def _warn_of_limits(notes: _Notes, covered_rad: float, needed_rad: float) -> _Notes:
    return notes.warn(
        f"The views cover {np.degrees(covered_rad):.1f}° of the "
        f"{np.degrees(needed_rad):.1f}° needed: edges along the missing directions are "
        "lost. An iterative algorithm with total variation suits this scan better."
    )


def _notes(orbit: Orbit, circle: Coverage, cut_sides: tuple[bool, bool]) -> _Notes:
    notes = _Notes(cut_sides).report(
        f"{orbit.geometry.n_views} views over {np.degrees(circle.range_rad):.1f}°, "
        f"spacing {np.degrees(circle.typical_gap_rad):.3g}°."
    )
    if circle.n_repeated:
        who = f"{circle.n_repeated} views have the same angle as another view"
        if circle.n_repeated == 1 and _repeats_first(orbit):
            who = "The last view repeats the first one"
        notes = notes.report(f"{who}: they share the weight of their angle.")
    if circle.largest_gap_rad > NOTED_GAP * circle.typical_gap_rad:
        notes = notes.warn(
            "Views are missing: the largest gap is "
            f"{np.degrees(circle.largest_gap_rad):.2g}°, the normal spacing "
            f"{np.degrees(circle.typical_gap_rad):.2g}°. Streaks are likely."
        )
    if orbit.climbs:
        notes = notes.warn(
            f"The scan moves {orbit.climb_mm:.1f} mm along its axis, but filtered back "
            "projection assumes a circle. Values are divided by the share of views "
            "that see a voxel, which is an approximation. Voxels seen over less than "
            "half a turn are not reconstructed. An iterative algorithm is exact."
        )
    return notes


def _repeats_first(orbit: Orbit) -> bool:
    turned = orbit.angles_rad[-1] - orbit.angles_rad[0]
    return bool(abs(np.sin(turned / 2)) < 1e-6)


def _constant(weight: float) -> Callable[[int, Array], Array]:
    return lambda _, fan: np.full((1, fan.shape[1]), weight)
