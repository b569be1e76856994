"""Time of a reconstruction as users run it: corrections, sorting, upload, iterations."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.corrections.attenuation import Attenuation
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.kernels.variants import RayVariant
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.recon.algorithms import Mlem, Osem, solve
from engine.recon.postprocess import Filter

Image = Array
Row = Plain

FEW = 64
"""Events of the run that compiles kernels and reserves memory before the measurement."""
ENOUGH_S = 10.0
"""Time of runs after which a case is not repeated further."""


@dataclass(frozen=True)
class Case:
    """One row of a table: a reconstruction.

    Attributes
    ----------
    name : short name, the same on every device
    on : device and threads
    algorithm : MLEM or OSEM
    sensitivity : sensitivity of the scanner, or a flat one
    in_order : True to sort the events first
    attenuation, time_of_flight : True to correct for attenuation, and to use time of flight
    filters : filters of the image between iterations
    variant : variant of the GPU kernels; None for the tuned one
    """

    name: str
    on: Backend
    algorithm: Osem | Mlem
    sensitivity: Sensitivity
    in_order: bool = True
    attenuation: bool = False
    time_of_flight: bool = False
    filters: tuple[Filter, ...] = ()
    variant: RayVariant | None = None

    def with_one_iteration(self) -> Case:
        """Return the same case with a single iteration."""
        return replace(self, algorithm=self.algorithm.model_copy(update={"iterations": 1}))


@dataclass(frozen=True)
class MeasuredRun:
    """A row of a table, and its image, (n_z, n_y, n_x) [counts/mm]."""

    row: Row
    image: Image


def flat_sensitivity(grid: ImageGrid) -> Sensitivity:
    """Return the sensitivity of a scanner that detects all voxels equally, which corrects nothing.

    Parameters
    ----------
    grid
        grid of the image
    """
    return Sensitivity(np.ones(grid.shape, np.float32), 0, 0, 0.0)


def measure(
    cases: Sequence[Case], scan: ListMode, grid: ImageGrid, *, repeats: int
) -> list[MeasuredRun]:
    """Reconstruct all cases alternating, and return the run of median time of each.

    Parameters
    ----------
    cases
        reconstructions
    scan
        events of all cases
    grid
        grid of the image
    repeats
        most runs of each case

    Returns
    -------
    runs
        row and image of each case
    """
    for case in cases:
        # One iteration over a few events compiles everything
        _reconstruct(case.with_one_iteration(), scan.select(slice(FEW)), grid)
    runs: list[list[Row]] = [[] for _ in cases]
    images: list[Image] = []
    for _ in range(repeats):
        for case, rows in zip(cases, runs, strict=True):
            # A case that takes a minute varies little
            if sum(row["seconds"] for row in rows) > ENOUGH_S:
                continue
            image, row = _reconstruct(case, scan, grid)
            # All runs of a case give the same image, so one is enough
            if not rows:
                images.append(image)
            rows.append(row)
    return [MeasuredRun(_middle(rows), image) for rows, image in zip(runs, images, strict=True)]


def rmse(image: Image, other: Image) -> dict[str, float]:
    """Return the RMS difference in counts/mm, and relative to the RMS of the first image.

    Parameters
    ----------
    image, other
        (n_z, n_y, n_x)
    """
    squares = of_image = 0.0
    for plane, against in zip(image, other, strict=True):  # 512 planes in float64 are too much
        squares += float(np.sum(np.square(plane - against, dtype=np.float64)))
        of_image += float(np.sum(np.square(plane, dtype=np.float64)))
    # An empty image equals another empty one
    relative = float(np.sqrt(squares / of_image)) if of_image else 0.0
    return {"rmse_counts_per_mm": float(np.sqrt(squares / image.size)), "rmse_relative": relative}


def _middle(rows: list[Row]) -> Row:
    seconds = sorted(row["seconds"] for row in rows)
    # A real run, so that its steps add up to its total
    middle = min(rows, key=lambda row: abs(row["seconds"] - median(seconds)))
    return middle | {"best_seconds": seconds[0], "repeats": len(rows)}


def _reconstruct(case: Case, scan: ListMode, grid: ImageGrid) -> tuple[Image, Row]:
    """Return the image, and the seconds of each step and in total."""
    busy, clock = process_time(), perf_counter()
    data = scan if case.time_of_flight else listmode_pet.without_tof(scan)
    if case.attenuation:
        data = Attenuation().apply(data, on=case.on)
    corrected = perf_counter()
    if case.in_order:
        data = listmode_pet.prepare(data, on=case.on).data
    in_order = perf_counter()
    model = listmode_pet.build(data, grid, case.sensitivity, on=case.on, variant=case.variant)
    x = listmode_pet.uniform_start(model)
    ready = perf_counter()
    steps = solve(case.algorithm, model, x, between=_filter_between(case, grid))
    # Without a copy of each iterate: only the last one is needed
    image = case.on.to_host(deque(steps, maxlen=1).pop().image)
    done = perf_counter()
    updates = case.algorithm.n_iterations * data.n_events
    return image, {
        "case": case.name,
        "device": case.on.name,
        "threads": case.on.threads if case.on.gpu is None else None,
        "n_events": data.n_events,
        "iterations": case.algorithm.n_iterations,
        "subsets": case.algorithm.n_subsets,
        "seconds": done - clock,
        "correct_s": corrected - clock,
        "sort_s": in_order - corrected,
        "prepare_s": ready - in_order,
        "iterate_s": done - ready,
        "cpu_s": process_time() - busy,
        "events_per_s": updates / (done - ready),
    }


def _filter_between(case: Case, grid: ImageGrid) -> Any:
    # None lets the solver skip the call between iterations
    if not case.filters:
        return None

    def smooth(image: Any) -> Any:
        for each in case.filters:
            image = each.apply(image, grid.voxel_mm)
        return image

    return smooth
