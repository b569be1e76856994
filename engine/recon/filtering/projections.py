"""Weight and filter projections for back projection with 1/τ².

    q = step · ramp( weight · density · p ) / width of a pixel

density is the number of lines of the plane through source and row that a view adds, per angle and
width of row: |a' × d| / D. a' is the movement of the source per angle, d the direction of the ray
and D the distance of the row from the source. On a circle with an upright detector this is the
cosine weight of Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612, times source-axis over
source-detector distance. For parallel rays it is 1 over the cosine between row and movement.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from types import ModuleType

import numpy as np

from engine.core.arrays import Array, Tables, module_of, n_not_finite, release_pages
from engine.core.backend import Backend
from engine.core.errors import DataError, GeometryError
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering import truncation
from engine.recon.filtering.design import FilterDesign, plan_for
from engine.recon.filtering.orbit import Orbit
from engine.recon.filtering.ramp import (
    filter_length,
    filter_rows,
    filtered_spectra,
    spectrum,
)
from engine.recon.filtering.settings import FilterSettings

_CHUNK_BYTES = 16 << 20
"""Size of the rows that a CPU thread filters in one step."""
_GPU_CHUNK_BYTES, _GPU_COPIES = 128 << 20, 32
"""The same for a GPU, and its memory for spectra and intermediate arrays, in copies of the rows."""
_VIEWS = 32
"""Views that one step reads."""


def planned(
    values: Array, geometry: XrayGeometry, settings: FilterSettings, *, is_checked: bool = True
) -> FilterDesign:
    """Inspect projections and select the weights of their rays.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals
    geometry
        source and detector of each view
    settings
        filter and ray weights
    is_checked
        True: refuse values that are not finite now; False: `FilteredChunks.check` does it

    Raises
    ------
    GeometryError
        if shape and geometry do not match
    DataError
        if values are not finite
    """
    _check_shape(values, geometry)
    if is_checked:
        # some views at a time: values can be in a file larger than the memory
        views = range(0, len(values), _VIEWS)
        n_bad = 0
        for view in views:
            n_bad += n_not_finite(values[view : view + _VIEWS])
            release_pages(values)
        refuse_nonfinite(n_bad, values.size)
    return plan_for(
        geometry,
        short_scan=settings.short_scan,
        half_fan=settings.half_fan,
        cut_sides=_inspected(values, settings),
    )


def filtered(
    values: Array,
    plan: FilterDesign,
    settings: FilterSettings,
    *,
    on: Backend,
    rows: slice = slice(None),
) -> Array:
    """Return filtered projections whose back projection with 1/τ² is the image [1/mm].

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) measured line integrals [1]
    plan
        design of the filter
    settings
        filter and ray weights
    on
        device that filters
    rows
        required rows; the others are 0

    Returns
    -------
    projections of `plan.geometry`, in the memory of `values`
    """
    xp = module_of(values)
    n_views, n_rows, n_measured = values.shape
    wanted = range(n_rows)[rows]
    out = xp.zeros((n_views, n_rows, plan.geometry.shape[1]), np.float32)
    if not wanted:
        return out
    work = RowFilter(plan, settings, n_measured, wanted, on.xp)

    def of_views(views: range) -> None:
        part = values[views.start : views.stop, work.first : work.last]
        done = work.filter(on.to_device(part), views)
        done = done if module_of(done) is xp else on.to_host(done)
        out[views.start : views.stop, wanted.start : wanted.stop] = done

    n_at_once = max(1, chunk_bytes(on) // work.bytes_per_view)
    chunks = [range(i, min(i + n_at_once, n_views)) for i in range(0, n_views, n_at_once)]
    # sequential: the transforms of one chunk occupy the whole GPU
    if on.is_cuda:
        for chunk in chunks:
            of_views(chunk)
        return out
    with ThreadPoolExecutor(on.threads) as pool:
        for each in [pool.submit(of_views, chunk) for chunk in chunks]:
            each.result()
    return out


class RowFilter:
    """Filter for the rows of a scan, for rows `first` to `last`.

    Parameters
    ----------
    plan, settings : design and settings of the filter
    n_measured : columns of the measured rows
    wanted : numbers of the rows to return
    xp : array module of the device that filters, which computes the factors of all views, too
    """

    def __init__(
        self,
        plan: FilterDesign,
        settings: FilterSettings,
        n_measured: int,
        wanted: range,
        xp: ModuleType = np,
    ) -> None:
        n_rows, self._n_columns = plan.geometry.shape
        self.first, self.last = wanted.start, wanted.stop
        self._softens = settings.soften_rows
        if self._softens:
            # smoothing needs one more row on each side
            self.first, self.last = max(self.first - 1, 0), min(self.last + 1, n_rows)
        self._inner = slice(wanted.start - self.first, wanted.stop - self.first)
        reach = [truncation.reach(n_measured) if side else 0 for side in plan.continued]
        self._data = slice(reach[0], reach[0] + self._n_columns)
        # space for extrapolation only on the sides that need it: rows are as long as their
        # transform
        self._n_wide = self._n_columns + sum(reach)
        before, after = plan.added_columns
        self._measured = slice(reach[0] + before, reach[0] + self._n_columns - after)
        self.length = filter_length(self._n_columns, sum(reach), settings.padding)
        self._factors = spectrum(self.length, settings.window, settings.cutoff)
        self._plan, self._xp = plan, xp
        self._tables = Tables()

    @cached_property
    def _weights(self) -> _Weights:
        return _Weights(self._plan, self._xp)

    @property
    def bytes_per_view(self) -> int:
        """Size of the rows of a view during the transform."""
        return 4 * (self.last - self.first) * self.length

    def filter(self, values: Array, views: range) -> Array:
        """Filter the rows of some views.

        Parameters
        ----------
        values
            (n, last - first, n_measured) line integrals
        views
            numbers of the views

        Returns
        -------
        (n, n_wanted, n_columns)
        """
        return self.weighed(values, self._weights.common, self._weights.of(views))

    def weighed(self, values: Array, common: Array | None, weights: Array) -> Array:
        """Filter rows with given factors; see `filter`.

        Parameters
        ----------
        values
            (n, last - first, n_measured) line integrals
        common
            (n_rows or 1, n_columns) factors of all views; None: all 1
        weights
            (n, n_rows or 1, n_columns) factors of each view
        """
        wide = self._widened(values, common, weights)
        factors = self._tables.like(values, self._factors)
        smooth = filter_rows(wide, factors, self.length)[..., self._data]
        return self._finished(smooth)

    def spectra(self, values: Array, views: range) -> Array:
        """Return the spectra of the rows of `filter`, before they are cut to the detector.

        Column c of the detector is pixel `first_column` + c of the transform.

        Parameters
        ----------
        values
            (n, last - first, n_measured) line integrals, NumPy
        views
            numbers of the views

        Returns
        -------
        (n, n_wanted, length // 2 + 1) complex64
        """
        wide = self._widened(values, self._weights.common, self._weights.of(views))
        return self._finished(filtered_spectra(wide, self._factors, self.length))

    def _widened(self, values: Array, common: Array | None, weights: Array) -> Array:
        """Return weighted rows with the space for extrapolation, filled; padded on a GPU."""
        xp = module_of(values)
        # The transform of a GPU would copy rows that it has to pad
        length = self._n_wide if xp is np else self.length
        whole = xp.zeros((*values.shape[:2], length), np.float32)
        wide = whole[..., : self._n_wide]
        inner = wide[..., self._data]
        wide[..., self._measured] = values
        if common is not None:
            inner *= self._rows(self._tables.like(values, common))
        # weights before extrapolation: it then starts from the values that are filtered,
        # without a step at the edge
        inner *= self._rows(xp.asarray(weights))
        truncation.continue_rows(wide, self._data.start, self._data.stop)
        return whole

    def _finished(self, smooth: Array) -> Array:
        """Return the wanted rows, smoothed across; spectra are linear, so they work as well."""
        smooth = _softened(smooth) if self._softens else smooth
        wanted: Array = smooth[:, self._inner]
        return wanted

    @property
    def first_column(self) -> int:
        """Pixel of the transform at which the detector begins."""
        return self._data.start

    def _rows(self, factors: Array) -> Array:
        """Return the required rows of factors; a single row for all is unchanged."""
        return factors if factors.shape[-2] == 1 else factors[..., self.first : self.last, :]


def chunk_bytes(on: Backend) -> int:
    """Return the size of the rows that a device filters in one step."""
    if on.gpu is None:
        return _CHUNK_BYTES
    return min(_GPU_CHUNK_BYTES, on.gpu.free_bytes() // _GPU_COPIES)


def density(orbit: Orbit, view: int, xp: ModuleType = np) -> Array:
    """Return the density of lines of a view; see the module docstring.

    Parameters
    ----------
    orbit
        rotation axis and views
    view
        number of the view
    xp
        array module of the result

    Returns
    -------
    (n_rows, n_columns), or (1, 1) for parallel rays
    """
    geometry = orbit.geometry
    u, v = geometry.u_mm[view], geometry.v_mm[view]
    across = u / np.linalg.norm(u)
    if geometry.beam == "parallel":
        # parallel rays have the same density in all pixels
        return xp.full((1, 1), 1 / np.linalg.norm(np.cross(geometry.source_mm[view], across)))
    first = geometry.corner_mm[view] + 0.5 * (u + v) - geometry.source_mm[view]
    rays, tangent = np.stack([first, u, v]), orbit.tangent[view]
    moved = _lengths(np.cross(rays, tangent), geometry.shape, xp) * float(orbit.radius_mm[view])
    # rays to a row are in one plane, at the distance of the row from the source
    distance = _lengths(np.cross(rays, across), (geometry.shape[0], 1), xp)
    found: Array = moved / (_lengths(rays, geometry.shape, xp) * distance)
    return found


def _lengths(vectors: Array, shape: tuple[int, int], xp: ModuleType) -> Array:
    """Return the lengths of p + c u + r v, (n_rows, n_columns), from p, u and v (3, 3)."""
    r, c = xp.arange(float(shape[0]))[:, None], xp.arange(float(shape[1]))
    # Numbers, not arrays: a GPU takes no scalars of NumPy's memory
    (pp, pu, pv), (_, uu, uv), (_, _, vv) = (vectors @ vectors.T).tolist()
    # Horner's scheme: fewer temporary arrays of the detector's size
    return xp.sqrt(pp + c * (2 * pu + c * uu) + r * (2 * pv + r * vv + c * (2 * uv)))


class _Weights:
    """Factors of all pixels; parts that views share are computed once."""

    def __init__(self, plan: FilterDesign, xp: ModuleType) -> None:
        self._plan = plan
        self.common: Array | None = None
        if plan.orbit.all_alike:
            # On the device: for a large detector the host takes as long as a part of the scan
            self.common = density(plan.orbit, 0, xp).astype(np.float32)
        self._per_width = plan.step_rad / np.linalg.norm(plan.geometry.u_mm, axis=1)

    def of(self, views: range) -> Array:
        """Return the factors of some views, without `common`: (n, n_rows or 1, n_columns or 1)."""
        if self.common is not None and self._plan.even_weight is not None:
            even = self._plan.even_weight * self._per_width[views.start : views.stop]
            return even.astype(np.float32)[:, None, None]
        return np.stack([self._of_view(view).astype(np.float32) for view in views])

    def _of_view(self, view: int) -> Array:
        weights = self._plan.weights(view) * self._per_width[view]
        return weights if self.common is not None else weights * density(self._plan.orbit, view)


def _softened(rows: Array) -> Array:
    """Apply a Hann window across the rows: 1/4, 1/2, 1/4 of neighbours; edge rows are repeated."""
    beyond = module_of(rows).pad(rows, ((0, 0), (1, 1), (0, 0)), mode="edge")
    softened: Array = 0.5 * rows + 0.25 * (beyond[:, :-2] + beyond[:, 2:])
    return softened


def sides_cut(values: Array, settings: FilterSettings) -> tuple[bool, bool]:
    """Return if rows are extrapolated at the first and last column, by setting or by detection.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals
    settings
        with `truncation` "auto", "on" or "off"
    """
    if settings.truncation == "auto":
        return truncation.cut_sides(values)
    return (True, True) if settings.truncation == "on" else (False, False)


def _inspected(values: Array, settings: FilterSettings) -> Callable[[], tuple[bool, bool]]:
    """Return `sides_cut` as a function; a GPU begins to inspect the values at once."""
    if settings.truncation != "auto" or module_of(values) is np:
        return partial(sides_cut, values, settings)
    return partial(truncation.are_cut, truncation.edge_levels(values), values.shape[2])


def _check_shape(values: Array, geometry: XrayGeometry) -> None:
    expected = (geometry.n_views, *geometry.shape)
    if values.shape != expected:
        raise GeometryError(
            f"The projections have the shape {values.shape}, but the geometry has {expected} "
            "(views, rows, columns); use projections and geometry from the same scan."
        )


def refuse_nonfinite(n_bad: int, n: int) -> None:
    """Raise an error if line integrals are not finite.

    Parameters
    ----------
    n_bad
        number of such values
    n
        number of all values

    Raises
    ------
    DataError
        if `n_bad` is not 0
    """
    if n_bad:
        raise DataError(
            f"{n_bad} of {n} line integrals are infinite or NaN; correct bad and saturated pixels "
            "first."
        )
