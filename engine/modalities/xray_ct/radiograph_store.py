"""Projections of an X-ray scan in a temporary file, read one at a time.

A scan can be larger than the memory for the window. Its values are mapped from the disk, so that a
projection or the sinogram of a row needs only its own memory. The file is removed with the scan.
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
"""Number of rows on each side that the correction of bad pixels may use."""


@dataclass(frozen=True, eq=False)
class Part:
    """One projection, or the sinogram of one row.

    Attributes
    ----------
    values : (rows, columns), or (n_views, columns) for a sinogram, float32
    kind : kind of the values
    bad : bad pixels, with the same shape or (1, columns); None if there are none
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
        """Return a store with the projections of a scan on disk.

        Parameters
        ----------
        data
            scan as read

        Raises
        ------
        ResourceError
            if the disk is full
        """
        flats = None if data.flats is None else _on_disk(data.flats)
        darks = None if data.darks is None else _on_disk(data.darks)
        return cls(replace(data, values=_on_disk(data.values), flats=flats, darks=darks))

    def projection(self, view: int, steps: tuple[Any, ...] = ()) -> Part:
        """Return a projection after the steps that need only one view.

        Parameters
        ----------
        view
            number of the view
        steps
            steps with their settings
        """
        scan = self.scan
        # A copy, because `info` belongs to the scan.
        info = dict(scan.info)
        # `select` would lose how close the flat fields before and after are.
        if "flat_views" in info:
            info["flat_views"] = (np.asarray(info["flat_views"]) - view).tolist()
        one = replace(scan.select(slice(view, view + 1)), info=info)
        done = _preprocessed(one, [step for step in steps if step.of_a_view])
        return Part(_copy(done.values[0]), done.kind, done.bad_pixels)

    def sinogram(self, row: int, steps: tuple[Any, ...] = ()) -> Part:
        """Return the sinogram of a row after the steps that need only neighbouring rows.

        Parameters
        ----------
        row
            row of the detector
        steps
            steps with their settings
        """
        # Neighbouring rows are only read if a step needs them.
        first = max(row - NEIGHBOURS, 0) if steps else row
        last = row + NEIGHBOURS + 1 if steps else row + 1
        of_a_row = [step for step in steps if step.of_a_row]
        done = _preprocessed(_rows(self.scan, slice(first, last)), of_a_row)
        bad = None if done.bad_pixels is None else done.bad_pixels[row - first][None]
        return Part(_copy(done.values[:, row - first]), done.kind, bad)


def _preprocessed(scan: Projections, steps: list[Any]) -> Projections:
    from engine.core.backend import cpu

    # One thread: viewing must not slow down a reconstruction.
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
    """Return the values as a map of a file that is removed when it is no longer used."""
    from engine.core.paths import cache_dir

    try:
        return spooled(values, cache_dir())
    except OSError as e:
        raise ResourceError(
            f"The projections need {values.nbytes / 2**30:.1f} GiB on the disk of {cache_dir()}, "
            f"but could not be written ({e.strerror or e}); free disk space."
        ) from e


def _copy(values: Array) -> NDArray[np.float32]:
    # A copy, because the map must not keep the whole file in use for one projection.
    return np.array(values, np.float32, order="C")
