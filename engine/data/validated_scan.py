"""Scans of a caller as the readers deliver them: types, shapes and ranges of their arrays.

Arrays of the right type are used in place. Others are converted, so that a scan in memory gives
the same image, bit for bit, as its file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from engine.core.arrays import Array, as_supported, to_host
from engine.core.errors import DataError, GeometryError
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.sinogram import Sinogram

T = TypeVar("T")
HISTOGRAM = ("prompts", "delayeds", "additive", "normalisation", "efficiencies")
IMAGES = ("values", "flats", "darks")
AT_ONCE = 1 << 22
"""Values checked in one step."""


def validated(scan: T) -> T:
    """Return a scan with the array types of the readers; refuse impossible values.

    Parameters
    ----------
    scan
        list mode, histogram, sinogram or projections; other types are returned unchanged

    Raises
    ------
    GeometryError
        if the shape of an array is wrong
    DataError
        if a value is impossible, such as a crystal that the scanner does not have
    """
    match scan:
        case ListMode():
            found: object = _events(scan)
        case Histogram():
            found = _histogram(scan)
        case Sinogram():
            found = _sinogram(scan)
        case Projections():
            found = replace(scan, **_new_columns(scan, _with_counts(scan, IMAGES)))
        case _:
            found = scan
    return cast("T", found)


def _events(scan: ListMode) -> ListMode:
    n = scan.n_events
    crystals = _integers(scan.crystals, np.int32, "crystals")
    if crystals.ndim != 2 or crystals.shape[1] != 2:
        raise GeometryError(
            f"list mode: crystals have the shape {crystals.shape}, expected (n_events, 2); give "
            "the two crystals of each event in a row."
        )
    n_bins = scan.scanner.tof.n_bins if scan.scanner.tof else 0
    columns: dict[str, Any] = {
        "crystals": crystals,
        "delayed": None if scan.delayed is None else np.asarray(to_host(scan.delayed), np.bool_),
        "tof_bins": _integers(scan.tof_bins, np.int16, "tof_bins"),
        "time_ms": _integers(scan.time_ms, np.uint32, "time_ms"),
        "additive": _floats(scan.additive),
    }
    for name, values in columns.items():
        if values is not None and name != "crystals" and values.shape != (n,):
            raise GeometryError(
                f"list mode: {name!r} has the shape {values.shape}, expected ({n},); give one "
                "value for each event."
            )
    if columns["tof_bins"] is not None and not n_bins:
        raise GeometryError(
            f"list mode: the events have TOF bins, but the scanner {scan.scanner.name!r} has none; "
            "give a scanner with `tof`, or omit `tof_bins`."
        )
    for name, limit in (("crystals", scan.scanner.n_crystals), ("tof_bins", n_bins)):
        found = _first(columns[name], _outside(limit))
        if found is not None:
            raise DataError(
                f"list mode: {name!r} of event {found[0]:,} is {found[1]}, expected 0 to "
                f"{limit - 1:,}; give the scanner that recorded the events."
            )
    found = _first(columns["additive"], _below(0.0))
    if found is not None:
        raise DataError(
            f"list mode: 'additive' of event {found[0]:,} is {found[1]}, expected at least 0; give "
            "the expected background of each event."
        )
    of_crystals = {name: _floats(getattr(scan, name)) for name in ("efficiencies", "singles")}
    n_crystals = scan.scanner.n_crystals
    for name, values in of_crystals.items():
        if values is not None and values.shape != (n_crystals,):
            raise GeometryError(
                f"list mode: {name!r} has the shape {values.shape}, expected ({n_crystals:,},); "
                f"give one value for each crystal of {scan.scanner.name!r}."
            )
        found = _first(values, _below(0.0))
        if found is not None:
            raise DataError(
                f"list mode: {name!r} of crystal {found[0]:,} is {found[1]}, expected at least 0; "
                "give 0 for a dead crystal."
            )
    return replace(scan, **_new_columns(scan, columns | of_crystals))


def _with_counts(scan: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _floats(getattr(scan, name)) for name in names}


def _histogram(scan: Histogram) -> Histogram:
    columns = _with_counts(scan, HISTOGRAM)
    for name, values in columns.items():
        found = _first(values, _below(0.0))
        if found is not None:
            raise DataError(
                f"histogram: value {found[0]:,} of {name!r} is {found[1]}, expected at least 0; "
                "give measured values, without subtracting delayed coincidences from prompts."
            )
    return replace(scan, **_new_columns(scan, columns))


def _sinogram(scan: Sinogram) -> Sinogram:
    columns = _with_counts(scan, ("prompts",))
    # Sinograms that were corrected before can be negative; the run warns of them.
    found = _first(columns["prompts"], _below(-np.inf))
    if found is not None:
        raise DataError(
            f"sinogram: bin {found[0]:,} contains {found[1]}, expected a finite number of counts; "
            "set dead bins to 0 and give their normalisation."
        )
    auxiliary = {key: _bins(scan, key, values) for key, values in scan.auxiliary.items()}
    if any(auxiliary[key] is not values for key, values in scan.auxiliary.items()):
        columns["auxiliary"] = auxiliary
    return replace(scan, **_new_columns(scan, columns))


def _bins(scan: Sinogram, key: str, values: Any) -> Any:
    """Return factors or expected counts as one value for each bin; other contents unchanged."""
    if not hasattr(values, "ndim"):
        return values
    bins = _floats(values)
    if bins.shape == scan.layout.shape:
        bins = bins.reshape(-1)
    if bins.shape != (scan.layout.n_bins,):
        raise GeometryError(
            f"sinogram: {key!r} in `auxiliary` has the shape {bins.shape}, expected "
            f"{scan.layout.shape} (planes, views, tangential bins) or ({scan.layout.n_bins:,},); "
            "give one value for each bin."
        )
    found = _first(bins, _below(0.0))
    if found is not None:
        raise DataError(
            f"sinogram: bin {found[0]:,} of {key!r} in `auxiliary` is {found[1]}, expected at "
            "least 0; give 0 in dead bins."
        )
    return bins


def _new_columns(scan: object, columns: dict[str, Any]) -> dict[str, Any]:
    """Return only the columns that are new arrays, so that an untouched scan stays the same."""
    return {name: new for name, new in columns.items() if new is not getattr(scan, name)}


def _floats(values: Any) -> Any:
    """Return values as C-contiguous float32 of the host; None stays None."""
    if values is None or _is(values, np.float32):
        return values
    # order="C": kernels walk through memory without asking for strides.
    return np.asarray(to_host(as_supported(values)), np.float32, order="C")


def _integers(values: Any, dtype: type[np.integer[Any]], name: str) -> Any:
    """Return whole numbers of a type; refuse values that it cannot represent."""
    if values is None or _is(values, dtype):
        return values
    given = np.asarray(to_host(as_supported(values)))
    limits = np.iinfo(dtype)
    if given.dtype.kind not in "iu":
        raise DataError(
            f"list mode: {name!r} has the type {given.dtype}, expected whole numbers; convert it "
            f"with `.astype(numpy.{np.dtype(dtype)})`."
        )
    if given.size and not limits.min <= int(given.min()) <= int(given.max()) <= limits.max:
        raise DataError(
            f"list mode: {name!r} reaches from {given.min():,} to {given.max():,}, expected "
            f"{limits.min:,} to {limits.max:,}; give numbers of this range."
        )
    return np.asarray(given, dtype, order="C")


def _is(values: Any, dtype: type[np.generic]) -> bool:
    is_array = isinstance(values, np.ndarray) and values.dtype == dtype
    return is_array and bool(values.flags.c_contiguous)


def _below(minimum: float) -> Callable[[Array], Array]:
    # The negated form also finds NaN, for which every comparison is false.
    return lambda part: ~((part >= minimum) & (np.abs(part) < np.inf))


def _outside(limit: int) -> Callable[[Array], Array]:
    return lambda part: (part < 0) | (part >= limit)


def _first(values: Array | None, is_bad: Callable[[Array], Array]) -> tuple[int, Any] | None:
    """Return row and content of the first bad row; None if there is none."""
    if values is None:
        return None
    for start in range(0, len(values), AT_ONCE):
        part = values[start : start + AT_ONCE]
        bad = is_bad(part)
        if bad.any():
            k = int(np.flatnonzero(bad.reshape(len(part), -1).any(axis=1))[0])
            return start + k, part[k].tolist()
    return None
