"""Weight and filter projections, ready for back projection with 1/τ².

q = step · ramp( weight · density · p ) / width of a pixel

density is the number of lines of the plane through source and row that a view adds, per angle and
width of row: |a' × d| / D with a' the source's movement per angle, d the direction of the ray and D
the distance of the row from the source. On a circle with an upright detector this is the cosine
weight of Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612, times source-axis over
source-detector distance; for parallel rays 1 over the cosine between row and movement.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from engine.core.arrays import Array, Tables, module_of, n_not_finite, rest
from engine.core.backend import Backend
from engine.core.errors import DataError, GeometryError
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering import truncation
from engine.recon.filtering.design import FilterDesign, plan_for
from engine.recon.filtering.orbit import Orbit
from engine.recon.filtering.ramp import filter_length, filter_rows, spectrum
from engine.recon.filtering.settings import FilterSettings

_CHUNK_BYTES = 16 << 20
"""Size of the rows that a thread filters at a time,"""
_GPU_CHUNK_BYTES, _GPU_COPIES = 128 << 20, 32
"""and a GPU, unless many times as much is not free: their spectra and what they are made of."""
_VIEWS = 32
"""Views that are looked at together."""


def planned(
    values: Array, geometry: XrayGeometry, settings: FilterSettings, *, is_checked: bool = True
) -> FilterDesign:
    """Look at projections (n_views, n_rows, n_columns) and decide how to weight their rays.

    is_checked : True if values that are no numbers are refused now; see `FilteredChunks.check`
    """
    _check_shape(values, geometry)
    if is_checked:
        # some views at a time: values may lie in a file that memory does not hold
        views = range(0, len(values), _VIEWS)
        n_bad = 0
        for view in views:
            n_bad += n_not_finite(values[view : view + _VIEWS])
            rest(values)
        refuse_what_is_not_finite(n_bad, values.size)
    return plan_for(
        geometry,
        short_scan=settings.short_scan,
        half_fan=settings.half_fan,
        cut_sides=sides_cut(values, settings),
    )


def filtered(
    values: Array,
    plan: FilterDesign,
    settings: FilterSettings,
    *,
    on: Backend,
    rows: slice = slice(None),
) -> Array:
    """Projections of plan.geometry whose back projection with 1/τ² is the picture [1/mm].

    They lie where `values` lie; on a GPU the work is done there all the same.

    values : (n_views, n_rows, n_columns) measured line integrals [1]
    rows : those wanted; the others are left at zero
    """
    xp = module_of(values)
    n_views, n_rows, n_measured = values.shape
    wanted = range(n_rows)[rows]
    out = xp.zeros((n_views, n_rows, plan.geometry.shape[1]), np.float32)
    if not wanted:
        return out
    work = RowFilter(plan, settings, n_measured, wanted)

    def of_views(views: range) -> None:
        part = values[views.start : views.stop, work.first : work.last]
        done = work.filter(on.to_device(part), views)
        done = done if module_of(done) is xp else on.to_host(done)
        out[views.start : views.stop, wanted.start : wanted.stop] = done

    n_at_once = max(1, chunk_bytes(on) // work.bytes_per_view)
    chunks = [range(i, min(i + n_at_once, n_views)) for i in range(0, n_views, n_at_once)]
    # one after the other: the transforms of one chunk fill the card
    if on.is_cuda:
        for chunk in chunks:
            of_views(chunk)
        return out
    with ThreadPoolExecutor(on.threads) as pool:
        for each in [pool.submit(of_views, chunk) for chunk in chunks]:
            each.result()
    return out


class RowFilter:
    """Filter for the rows of a scan, for rows `first` to `last`."""

    def __init__(
        self, plan: FilterDesign, settings: FilterSettings, n_measured: int, wanted: range
    ) -> None:
        n_rows, self._n_columns = plan.geometry.shape
        self.first, self.last = wanted.start, wanted.stop
        self._softens = settings.soften_rows
        if self._softens:
            # softening reads one row more on each side
            self.first, self.last = max(self.first - 1, 0), min(self.last + 1, n_rows)
        self._inner = slice(wanted.start - self.first, wanted.stop - self.first)
        reach = [truncation.reach(n_measured) if side else 0 for side in plan.continued]
        self._data = slice(reach[0], reach[0] + self._n_columns)
        # room for the continuation only on the sides that need it: rows are as long as their
        # transform
        self._n_wide = self._n_columns + sum(reach)
        before, after = plan.added_columns
        self._measured = slice(reach[0] + before, reach[0] + self._n_columns - after)
        self._length = filter_length(self._n_columns, sum(reach), settings.padding)
        self._factors = spectrum(self._length, settings.window, settings.cutoff)
        self._plan = plan
        self._tables = Tables()

    @cached_property
    def _weights(self) -> _Weights:
        return _Weights(self._plan)

    @property
    def bytes_per_view(self) -> int:
        """Size of the rows of a view as they are transformed."""
        return 4 * (self.last - self.first) * self._length

    def filter(self, values: Array, views: range) -> Array:
        """(n, n_wanted, n_columns) from the values (n, last - first, n_measured) of some views."""
        return self.weighed(values, self._weights.common, self._weights.of(views))

    def weighed(self, values: Array, common: Array | None, weights: Array) -> Array:
        """As `filter`, with factors (n_rows or 1, n_columns) of all views and (n, ...) of each."""
        xp = module_of(values)
        wide = xp.zeros((*values.shape[:2], self._n_wide), np.float32)
        inner = wide[..., self._data]
        wide[..., self._measured] = values
        if common is not None:
            inner *= self._rows(self._tables.beside(values, common))
        # weights before the continuation: it then starts from values as they will be filtered,
        # without a step at the edge
        inner *= self._rows(xp.asarray(weights))
        truncation.continue_rows(wide, self._data.start, self._data.stop)
        factors = self._tables.beside(values, self._factors)
        smooth = filter_rows(wide, factors, self._length)[..., self._data]
        smooth = _softened(smooth) if self._softens else smooth
        wanted: Array = smooth[:, self._inner]
        return wanted

    def _rows(self, factors: Array) -> Array:
        """Leave one row for all as it is, else take those that are needed."""
        return factors if factors.shape[-2] == 1 else factors[..., self.first : self.last, :]


def chunk_bytes(on: Backend) -> int:
    """Size of the rows that a device filters at a time."""
    if on.gpu is None:
        return _CHUNK_BYTES
    return min(_GPU_CHUNK_BYTES, on.gpu.free_bytes() // _GPU_COPIES)


def density(orbit: Orbit, view: int) -> Array:
    """(n_rows, n_columns) or (1, 1) density of lines, see the head of this file [1]."""
    geometry = orbit.geometry
    u, v = geometry.u_mm[view], geometry.v_mm[view]
    across = u / np.linalg.norm(u)
    if geometry.beam == "parallel":
        # parallel views are all alike across the detector: one number for all pixels
        return np.full((1, 1), 1 / np.linalg.norm(np.cross(geometry.source_mm[view], across)))
    first = geometry.corner_mm[view] + 0.5 * (u + v) - geometry.source_mm[view]
    rays, tangent = np.stack([first, u, v]), orbit.tangent[view]
    moved = _lengths(np.cross(rays, tangent), geometry.shape) * orbit.radius_mm[view]
    # rays to a row lie in one plane through it, as far from the source as the row is
    distance = _lengths(np.cross(rays, across), (geometry.shape[0], 1))
    return np.asarray(moved / (_lengths(rays, geometry.shape) * distance))


def _lengths(vectors: Array, shape: tuple[int, int]) -> Array:
    """(n_rows, n_columns) lengths of p + c u + r v, from p, u and v (3, 3)."""
    r, c = np.arange(float(shape[0]))[:, None], np.arange(float(shape[1]))
    (pp, pu, pv), (_, uu, uv), (_, _, vv) = vectors @ vectors.T
    # nested as by Horner: fewer arrays of the detector's size
    return np.sqrt(pp + c * (2 * pu + c * uu) + r * (2 * pv + r * vv + c * (2 * uv)))


class _Weights:
    """Factors of all pixels. Parts that views share are computed once."""

    def __init__(self, plan: FilterDesign) -> None:
        self._plan = plan
        self.common: Array | None = None
        if plan.orbit.all_alike:
            self.common = density(plan.orbit, 0).astype(np.float32)
        self._per_width = plan.step_rad / np.linalg.norm(plan.geometry.u_mm, axis=1)

    def of(self, views: range) -> Array:
        """(n, n_rows or 1, n_columns or 1) float32 factors of some views, `common` left out."""
        if self.common is not None and self._plan.even_weight is not None:
            even = self._plan.even_weight * self._per_width[views.start : views.stop]
            return even.astype(np.float32)[:, None, None]
        return np.stack([self._of_view(view).astype(np.float32) for view in views])

    def _of_view(self, view: int) -> Array:
        weights = self._plan.weights(view) * self._per_width[view]
        return weights if self.common is not None else weights * density(self._plan.orbit, view)


def _softened(rows: Array) -> Array:
    """Hann window across the rows, that is 1/4, 1/2, 1/4 of neighbours; edges stand for theirs."""
    beyond = module_of(rows).pad(rows, ((0, 0), (1, 1), (0, 0)), mode="edge")
    softened: Array = 0.5 * rows + 0.25 * (beyond[:, :-2] + beyond[:, 2:])
    return softened


def sides_cut(values: Array, settings: FilterSettings) -> tuple[bool, bool]:
    """First and last column: whether rows are continued there, as chosen or as found in them."""
    if settings.truncation == "auto":
        return truncation.cut_sides(values)
    return (True, True) if settings.truncation == "on" else (False, False)


def _check_shape(values: Array, geometry: XrayGeometry) -> None:
    expected = (geometry.n_views, *geometry.shape)
    if values.shape != expected:
        raise GeometryError(
            f"The projections have shape {values.shape}, but the geometry has (views, "
            f"rows, columns) = {expected}; give the projections and the geometry of "
            "one scan."
        )


def refuse_what_is_not_finite(n_bad: int, n: int) -> None:
    """Raise if any of `n` line integrals are no numbers."""
    if n_bad:
        raise DataError(
            f"{n_bad} of {n} line integrals are not finite numbers; correct bad and "
            "saturated pixels first."
        )
