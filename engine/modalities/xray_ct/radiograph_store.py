"""Projections of an X-ray scan in a temporary file, read one at a time.

A scan may be larger than the memory the window should take: its values are mapped from the disk,
so that a projection or the sinogram of a row costs what it contains. The file goes with the scan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.data.projections import Kind, Projections
from engine.data.storage.spooled_array import spooled

NEIGHBOURS = 4
"""Rows to either side that the mending of bad pixels may look at."""


@dataclass(frozen=True, eq=False)
class Part:
    """One projection, or the sinogram of one row.

    Attributes
    ----------
    values : (rows, columns), or (n_views, columns) of a sinogram, float32
    kind : kind of the values
    bad : pixels known to tell nothing, of the same shape or (1, columns); None where all do
    """

    values: NDArray[np.float32]
    kind: Kind
    bad: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class RadiographStore:
    """All projections of a scan, read in parts on demand."""

    scan: Projections

    @classmethod
    def of(cls, data: Projections) -> RadiographStore:
        """Put the pictures of a scan on the disk."""
        flats = None if data.flats is None else _on_disk(data.flats)
        darks = None if data.darks is None else _on_disk(data.darks)
        return cls(replace(data, values=_on_disk(data.values), flats=flats, darks=darks))

    def projection(self, view: int, steps: tuple[Any, ...] = ()) -> Part:
        """Return a projection, after those of `steps` that need no other."""
        scan = self.scan
        info = dict(scan.info)
        if "flat_views" in info:  # `select` would forget how near the flats before and after are
            info["flat_views"] = (np.asarray(info["flat_views"]) - view).tolist()
        one = replace(scan.select(slice(view, view + 1)), info=info)
        done = _after(one, [step for step in steps if step.of_a_view])
        return Part(_copy(done.values[0]), done.kind, done.bad_pixels)

    def sinogram(self, row: int, steps: tuple[Any, ...] = ()) -> Part:
        """Return the sinogram of a row, after those of `steps` that need no far rows."""
        first = max(row - NEIGHBOURS, 0) if steps else row
        last = row + NEIGHBOURS + 1 if steps else row + 1
        of_a_row = [step for step in steps if step.of_a_row]
        done = _after(_rows(self.scan, slice(first, last)), of_a_row)
        bad = None if done.bad_pixels is None else done.bad_pixels[row - first][None]
        return Part(_copy(done.values[:, row - first]), done.kind, bad)


def _after(scan: Projections, steps: list[Any]) -> Projections:
    from engine.core.backend import cpu

    for step in steps:
        if step.use != "off" and step.obstacle(scan) is None:
            scan = step.apply(scan, on=cpu(1))
    return scan


def _rows(scan: Projections, rows: slice) -> Projections:
    """Return a scan with neighbouring rows only."""
    rows = slice(*rows.indices(scan.shape[1]))
    return replace(
        scan,
        values=np.ascontiguousarray(scan.values[:, rows]),
        geometry=scan.geometry.cropped(rows, slice(None)),
        flats=None if scan.flats is None else scan.flats[:, rows],
        darks=None if scan.darks is None else scan.darks[:, rows],
        bad_pixels=None if scan.bad_pixels is None else scan.bad_pixels[rows],
    )


def _on_disk(values: Array) -> Array:
    """Return the values as a map of a file that is gone when nobody needs it."""
    from engine.core.paths import cache_dir

    try:
        return spooled(values, cache_dir())
    except OSError as e:
        raise ResourceError(
            f"The projections of the scan need {values.nbytes / 2**30:.1f} GiB on "
            f"the disk of {cache_dir()} and could not be written ({e.strerror or e}); "
            "free disk space."
        ) from e


def _copy(values: Array) -> NDArray[np.float32]:
    return np.array(values, np.float32, order="C")
