"""Weighted and filtered projections, ready to be back projected with 1/τ².

q = step · ramp( weight · density · p ) / width of a pixel

density is the number of lines of the plane through source and row that a view adds, per angle and
width of row: |a' × d| / D with a' the source's movement per angle, d the direction of the ray and D
the distance of the row from the source. On a circle with an upright detector this is the cosine
weight of Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612, times source-axis over
source-detector distance; for parallel rays 1 over the cosine between row and movement.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataError, GeometryError
from engine.filtering import truncation
from engine.filtering.orbit import Orbit
from engine.filtering.plan import Plan, plan_for
from engine.filtering.ramp import filter_length, filter_rows, spectrum
from engine.filtering.settings import FilterSettings
from engine.geometry.xray import XrayGeometry

Array = NDArray[Any]

_CHUNK_BYTES = 16 << 20
"""Size of the rows that a thread filters at a time."""


def planned(values: Array, geometry: XrayGeometry, settings: FilterSettings) -> Plan:
    """Look at projections (n_views, n_rows, n_columns) and decide how to weight their rays."""
    _check(values, geometry)
    return plan_for(
        geometry,
        short_scan=settings.short_scan,
        half_fan=settings.half_fan,
        cut_sides=_cut_sides(values, settings),
    )


def filtered(
    values: Array,
    plan: Plan,
    settings: FilterSettings,
    *,
    rows: slice = slice(None),
    threads: int = 1,
) -> Array:
    """Projections of plan.geometry whose back projection with 1/τ² is the picture [1/mm].

    values : (n_views, n_rows, n_columns) measured line integrals [1]
    rows : those wanted; the others are left at zero
    """
    n_views, n_rows, n_measured = values.shape
    wanted = range(n_rows)[rows]
    n_columns = plan.geometry.shape[1]
    before, after = plan.added_columns
    reach = [truncation.reach(n_measured) if side else 0 for side in plan.continued]
    data = slice(reach[0], reach[0] + n_columns)
    length = filter_length(n_columns, sum(reach), settings.padding)
    factors = spectrum(length, settings.window, settings.cutoff)
    out = np.zeros((n_views, n_rows, n_columns), np.float32)
    if not wanted:
        return out
    from_row, to_row = wanted.start, wanted.stop
    if settings.soften_rows:
        from_row, to_row = max(from_row - 1, 0), min(to_row + 1, n_rows)
    weights = _Weights(plan)

    def work(views: range) -> None:
        wide = np.zeros((len(views), to_row - from_row, n_columns + sum(reach)), np.float32)
        inner = wide[..., data]
        inner[..., before : n_columns - after] = values[views.start : views.stop, from_row:to_row]
        for picture, view in zip(inner, views, strict=True):
            factor = weights.of(view)
            picture *= factor if len(factor) == 1 else factor[from_row:to_row]
        truncation.continue_rows(wide, data.start, data.stop)
        smooth = filter_rows(wide, factors, length)[..., data]
        smooth = _softened(smooth) if settings.soften_rows else smooth
        out[views.start : views.stop, wanted.start : wanted.stop] = smooth[
            :, wanted.start - from_row : wanted.stop - from_row
        ]

    n_at_once = max(1, _CHUNK_BYTES // (4 * (to_row - from_row) * length))
    chunks = [range(i, min(i + n_at_once, n_views)) for i in range(0, n_views, n_at_once)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, chunk) for chunk in chunks]:
            done.result()
    return out


def density(orbit: Orbit, view: int) -> Array:
    """(n_rows, n_columns) or (1, 1) density of lines, see the head of this file [1]."""
    geometry = orbit.geometry
    u = geometry.u_mm[view] / np.linalg.norm(geometry.u_mm[view])
    if geometry.beam == "parallel":
        return np.full((1, 1), 1 / np.linalg.norm(np.cross(geometry.source_mm[view], u)))
    ray = geometry.pixel_mm(view) - geometry.source_mm[view]
    moved = np.linalg.norm(np.cross(ray, orbit.tangent[view]), axis=-1) * orbit.radius_mm[view]
    distance = np.linalg.norm(np.cross(ray, u), axis=-1)
    return np.asarray(moved / (np.linalg.norm(ray, axis=-1) * distance))


class _Weights:
    """All factors of a view; what views have in common is computed once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._common = density(plan.orbit, 0) if plan.orbit.all_alike else None
        self._per_width = plan.step_rad / np.linalg.norm(plan.geometry.u_mm, axis=1)

    def of(self, view: int) -> Array:
        """(n_rows or 1, n_columns) float32 factors."""
        lines = density(self._plan.orbit, view) if self._common is None else self._common
        weights = self._plan.weights(view) * self._per_width[view]
        return np.asarray((lines * weights).astype(np.float32))


def _softened(rows: Array) -> Array:
    """Hann window across the rows, that is 1/4, 1/2, 1/4 of neighbours; edges stand for theirs."""
    beyond = np.pad(rows, ((0, 0), (1, 1), (0, 0)), mode="edge")
    return np.asarray(0.5 * rows + 0.25 * (beyond[:, :-2] + beyond[:, 2:]))


def _cut_sides(values: Array, settings: FilterSettings) -> tuple[bool, bool]:
    if settings.truncation == "auto":
        return truncation.cut_sides(values)
    return (True, True) if settings.truncation == "on" else (False, False)


def _check(values: Array, geometry: XrayGeometry) -> None:
    expected = (geometry.n_views, *geometry.shape)
    if values.shape != expected:
        raise GeometryError(
            f"Projections of shape {values.shape}, the geometry has (views, rows, columns) = "
            f"{expected}; they must belong together."
        )
    if not np.isfinite(values).all():
        bad = int(values.size - np.count_nonzero(np.isfinite(values)))
        raise DataError(
            f"{bad} of {values.size} line integrals are not finite numbers; correct bad and "
            "saturated pixels first."
        )
