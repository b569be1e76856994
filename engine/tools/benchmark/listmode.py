"""The benchmark of list-mode PET in parts: projector, the paper's two tables, and GPU kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.core.backend import Backend
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.tools.benchmark import figures, kernels, projector, table2, table3

PARTS = ("projector", "table2", "table3", "kernels")
ON_A_GPU = ("kernels",)
"""Parts that exist on a GPU only."""


@dataclass(frozen=True)
class ListModeWork:
    """Amount of measurements; None for each part's default on the device.

    Attributes
    ----------
    events : events of every part
    sizes : edges of the images of table2 and kernels [voxels]
    iterations : iterations of table2 and table3
    repeats : runs of each case; the median counts
    budget_s : time for the variants of kernels [s]
    """

    events: int | None = None
    sizes: tuple[int, ...] | None = None
    iterations: int | None = None
    repeats: int | None = None
    budget_s: float = 90.0


def parts_of(devices: Sequence[Backend]) -> tuple[str, ...]:
    """Return the parts that can be measured on these devices.

    Parameters
    ----------
    devices
        devices to measure
    """
    with_gpu = any(on.is_cuda for on in devices)
    return tuple(part for part in PARTS if with_gpu or part not in ON_A_GPU)


def run(
    devices: Sequence[Backend], *, parts: Sequence[str], work: ListModeWork, log: figures.Log
) -> Plain:
    """Measure parts one by one.

    Parameters
    ----------
    devices
        devices, the CPU first
    parts
        names from `PARTS`
    work
        amount of measurements
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values for the report

    Raises
    ------
    SettingsError
        for a part that is unknown, or impossible on these devices
    """
    unknown = [part for part in parts if part not in parts_of(devices)]
    if unknown:
        possible = ", ".join(parts_of(devices))
        raise SettingsError(
            f"--parts: {unknown[0]!r} is not available on this device; choose from {possible}."
        )
    measures = {part: partial(_measure, part, devices, work) for part in parts}
    return figures.collect(figures.LISTMODE, devices, measures, log)


def _measure(part: str, devices: Sequence[Backend], work: ListModeWork) -> Plain:
    if part == "projector":
        return _projector(devices, work)
    if part == "kernels":
        return _kernels(next(on for on in devices if on.is_cuda), work)
    module: Any = {"table2": table2, "table3": table3}[part]
    # All devices process the same events, so the slowest one decides how many
    slowest = devices[0].name
    wanted = {
        "n_events": work.events or module.EVENTS[slowest],
        "iterations": work.iterations or module.ITERATIONS,
        "repeats": work.repeats or 3,
    }
    if part == "table2":
        wanted["sizes"] = work.sizes or table2.SIZES
    result: Plain = module.run(devices, **wanted)
    return result


def _projector(devices: Sequence[Backend], work: ListModeWork) -> Plain:
    """Measure each device with a suitable number of events."""
    results = [
        projector.run(
            on, n_events=work.events or projector.EVENTS[on.name], repeats=work.repeats or 3
        )
        for on in devices
    ]
    rows = [row for result in results for row in result["rows"]]
    bars = [bar for result in results for bar in result["bars"]]
    # The workload is described by the first device
    return results[0] | {"rows": rows, "bars": bars}


def _kernels(on: Backend, work: ListModeWork) -> Plain:
    return kernels.run(
        on,
        n_events=work.events or kernels.EVENTS,
        sizes=work.sizes or kernels.SIZES,
        repeats=work.repeats or 3,
        budget_s=work.budget_s,
    )
