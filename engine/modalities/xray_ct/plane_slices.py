"""Oblique slices of a stored CT scan, without reconstructing its volume.

The scan is prepared and filtered once, as in a run with its protocol, and stored. A slice then
costs only its own pixels. If its pixels are at voxel centres, it has the values of the volume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError, GeometryError, ResourceError
from engine.core.json_types import Plain
from engine.corrections.preprocess.plausibility import doubts
from engine.data.projections import Projections
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane, first_planes
from engine.io.safety.budget import available_memory
from engine.io.volumes.slice_frame import described
from engine.modalities.xray_ct.dry_run import without_values
from engine.modalities.xray_ct.model import expect_integrals
from engine.modalities.xray_ct.preview import applied, messages_of, steps_of, walked
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.slice_sums import SliceSums
from engine.protocols.privacy.key import pseudonym_of
from engine.protocols.run_context.environment import environment
from engine.protocols.run_context.provenance import CLAIM, hash_array
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings

FORMAT = "isocenter-slices-provenance-1"
Check = Callable[[], None]
VALUE_BYTES, COPIES = 4, 5
"""Line integrals before and after a step, filtered ones, and those sorted for slices."""
LEFT_TO_THE_RUN = "The run computes CT numbers, because it finds air and water in the whole volume"
QUICK_UPDATES = 2e7
"""Largest number of pixels times views of a slice while it is dragged, for two slow cores."""
MEMORY_SHARE = 0.8
"""Fraction of the free memory that may be used."""


class PlaneSlices:
    """Prepare a scan once, then reconstruct slices of it in any plane.

    Parameters
    ----------
    scan : the whole scan; its values may be in a file
    protocol : protocol of the run with the corresponding volume
    on : device, for its number of threads
    check : called regularly; may raise to stop

    Attributes
    ----------
    grid : grid of the volume of the protocol
    unit : unit of the values
    messages : settings of the slices, in words
    warnings : warnings of a run with these settings
    """

    def __init__(
        self,
        scan: Projections,
        protocol: CtProtocol,
        *,
        on: Backend,
        check: Check = lambda: None,
    ) -> None:
        self._scan, self._protocol, self._device = scan, protocol, on.name
        # Refuse before preparation, which can take a minute.
        _refuse_too_large(scan, protocol)
        prepared = _prepared(scan, protocol, on, check)
        settings = protocol.algorithm.filter or FilterSettings()
        plan = planned(prepared.values, prepared.geometry, settings)
        # The views that see a voxel of a helix depend on its height, which varies in an oblique
        # slice.
        if plan.climbs:
            raise GeometryError(
                "oblique slices need a circular orbit, but the source of this scan moves along "
                "the axis of rotation; reconstruct the volume instead."
            )
        axis = float(prepared.geometry.axis_column.mean())
        self.grid: ImageGrid = protocol.grid.grid_for(prepared.geometry)
        self.unit = "1/mm" if prepared.pixel_mm_known else "1/pixel"
        self.messages = messages_of(protocol, settings, prepared, axis, 1)
        self.warnings = (*doubts(prepared), *plan.warnings)
        self._hounsfield = protocol.hounsfield if prepared.pixel_mm_known else None
        # The histogram of a whole volume defines these levels; a slice alone would give others.
        if self._hounsfield is not None and self._hounsfield.levels == "found":
            self._hounsfield = None
            self.messages += (LEFT_TO_THE_RUN,)
        elif self._hounsfield is not None:
            self.unit = "HU"
        check()
        rows = filtered(prepared.values, plan, settings, on=on)
        # The filtered rows replace the prepared ones; both together would double the memory.
        del prepared
        self._geometry, self._n_views = plan.geometry, len(rows)
        self._stored: dict[Plane, Array] = {}
        self._sums = SliceSums(self._n_views, rows.shape[1:], self.first_planes(), on=on)
        for slot, row in enumerate(rows):
            check()
            self._sums.put(slot, row)

    def first_planes(self) -> tuple[Plane, Plane, Plane]:
        """Return slices across z, y and x through the middle voxel of the volume.

        They are as large as its longest edge, and their pixels are at voxel centres.
        """
        return first_planes(self.grid)

    def values(self, planes: Sequence[Plane], check: Check = lambda: None) -> list[Array]:
        """Return the values of slices.

        Parameters
        ----------
        planes
            planes of the slices
        check
            called before each slice; may raise to stop

        Returns
        -------
        values
            (n_rows, n_columns) each, in `unit`. Slices of the previous call are not computed again.
        """
        stored = {plane: self._stored[plane] for plane in planes if plane in self._stored}
        for plane in planes:
            if plane not in stored:
                check()
                stored[plane] = self._made(plane)
        # Only the current planes are stored; old ones would fill the memory while dragging.
        self._stored = stored
        return [stored[plane] for plane in planes]

    def rough_values(self, planes: Sequence[Plane]) -> tuple[list[Array], bool]:
        """Return slices as `values` does, with coarser pixels if they take long.

        Used while slices are moved.

        Parameters
        ----------
        planes
            planes of the slices

        Returns
        -------
        found, is_fine
            the slices, and True if none of them is coarser
        """
        found, is_fine = list[Array](), True
        for plane in planes:
            # Coarse slices are not stored, so that the sharp one is computed once the mouse rests.
            k = self._coarser(plane)
            if k == 1 and plane not in self._stored:
                self._stored[plane] = self._made(plane)
            if plane in self._stored:
                found.append(self._stored[plane])
            else:
                found.append(_enlarged(self._made(_coarse(plane, k)), plane.shape, k))
                is_fine = False
        self._stored = {plane: self._stored[plane] for plane in planes if plane in self._stored}
        return found, is_fine

    def provenance(self, data: Path, planes: Sequence[Plane]) -> Plain:
        """Return the origin of slices as JSON values.

        Parameters
        ----------
        data
            file of the scan; a pseudonym replaces its name
        planes
            planes of the slices
        """
        return {
            "format": FORMAT,
            "claim": CLAIM,
            "environment": environment(),
            "device": self._device,
            "scan": {"name": pseudonym_of(data), "values_sha256": hash_array(self._scan.values)},
            "protocol": self._protocol.model_dump(mode="json"),
            "made_with": list(self.messages),
            "warnings": list(self.warnings),
            "planes": [described(plane) for plane in planes],
        }

    def _coarser(self, plane: Plane) -> int:
        n_rows, n_columns = plane.shape
        return max(1, int(np.ceil(np.sqrt(n_rows * n_columns * self._n_views / QUICK_UPDATES))))

    def _made(self, plane: Plane) -> Array:
        self._sums.place([plane])
        slots, gains = range(self._n_views), np.ones(self._n_views)
        (made,) = self._sums.values(slots, self._geometry, gains, in_one_go=True)
        return self._in_unit(made)

    def _in_unit(self, values: Array) -> Array:
        if self._hounsfield is None:
            return values
        grid = ImageGrid((1, *values.shape), self.grid.voxel_mm)
        found: Array = self._hounsfield.apply(Volume(values[None], grid, "1/mm")).values[0]
        return found


def _coarse(plane: Plane, k: int) -> Plane:
    """Return the slice with pixels k times as large, which covers it."""
    n_rows, n_columns = (-(-n // k) for n in plane.shape)
    return replace(plane, shape=(n_rows, n_columns), pixel_mm=k * plane.pixel_mm)


def _enlarged(values: Array, shape: tuple[int, int], k: int) -> Array:
    """Return the nearest coarse pixels on a fine grid (n_rows, n_columns)."""
    rows, columns = (
        np.floor((np.arange(fine) + 0.5 - fine / 2) / k + coarse / 2).astype(np.intp)
        for fine, coarse in zip(shape, values.shape, strict=True)
    )
    enlarged: Array = values[rows[:, None], columns]
    return enlarged


def _prepared(scan: Projections, protocol: CtProtocol, on: Backend, check: Check) -> Projections:
    for step in steps_of(protocol):
        check()
        scan = applied(step, scan, on)
    expect_integrals(scan)
    if scan.n_not_finite:
        raise DataError(
            f"{scan.n_not_finite:,} of {scan.values.size:,} projection values are infinite or NaN; "
            "switch on the bad-pixel correction."
        )
    return scan


def _refuse_too_large(scan: Projections, protocol: CtProtocol) -> None:
    # The dry run gives the shape after binning and cropping, before anything is computed.
    after = walked(without_values(scan), protocol, None).empty_scan
    wanted = COPIES * VALUE_BYTES * max(after.values.size, scan.values.size)
    free = int(MEMORY_SHARE * available_memory())
    if wanted > free:
        raise ResourceError(
            f"oblique slices need the whole scan in memory, which takes {wanted / 2**30:.1f} GiB, "
            f"but only {free / 2**30:.1f} GiB are free; bin the projections, or reconstruct a "
            "part of the volume."
        )
