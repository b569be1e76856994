"""The paper's Table 3: a body on 133 × 86 × 580 voxels, one extension after another.

In this engine attenuation acts on list mode through the sensitivity image only, so correcting for
it requires both. Its time includes the factors of all events, as in the paper. The sensitivity
images are made once, outside of the measurement, since the paper loads its own from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.corrections import Attenuation
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.recon.algorithms import Mlem, Osem
from engine.recon.postprocess import Median
from engine.tools.benchmark import published
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.reconstructing import Case, MeasuredRun, flat_sensitivity, measure, rmse
from engine.tools.benchmark.scans import BODY_GRID, body_scan

ITERATIONS = 4
SUBSETS = 8
EVENTS = {"cpu": 1_000_000, "cuda": 5_000_000}
SEED = 3
MAX_RATIO = 1.4
"""Limit for OSEM with all extensions relative to plain OSEM on a GPU; the V100: 1.95."""
MAX_DIFFERENCE = 1e-3
"""Largest relative difference of the images of two devices: sums in another order."""
WORKLOAD = (
    "a body in a scanner of radius 400 mm and length 1160 mm, simulated with attenuation and a "
    f"timing resolution of 385 ps; 2 mm voxels, float32; OSEM of {SUBSETS} subsets; the median "
    "of 3³ voxels after each iteration"
)


def run(
    devices: Sequence[Backend],
    *,
    n_events: int,
    iterations: int = ITERATIONS,
    repeats: int = 3,
) -> Plain:
    """Measure every row of the table on every device, with the same events.

    Parameters
    ----------
    devices
        devices to measure
    n_events
        number of events
    iterations
        iterations of all cases
    repeats
        most runs of each case

    Returns
    -------
    part
        JSON values for the report
    """
    scan = body_scan(n_events, SEED)
    return of_scan(scan, BODY_GRID, devices, iterations=iterations, repeats=repeats)


def of_scan(
    scan: ListMode,
    grid: ImageGrid,
    devices: Sequence[Backend],
    *,
    iterations: int,
    repeats: int,
) -> Plain:
    """Measure the rows with one scan.

    Parameters
    ----------
    scan
        events with time of flight and μ-map
    grid
        grid of the image
    devices
        devices to measure; the last one computes the sensitivities
    iterations
        iterations of all cases
    repeats
        most runs of each case

    Returns
    -------
    part
        JSON values for the report
    """
    clock = perf_counter()
    sensitivity, attenuated = _sensitivities(scan, grid, devices[-1])
    sensitivity_s = perf_counter() - clock
    cases = [
        case for on in devices for case in _cases(on, grid, sensitivity, attenuated, iterations)
    ]
    measured = measure(cases, scan, grid, repeats=repeats)
    rows = [m.row for m in measured]
    images = _compared(measured) if len(devices) > 1 else []
    # A ratio depends less on the GPU than seconds do
    ratios = {on.name: _ratio(rows, on.name) for on in devices}
    return {
        "workload": f"{scan.n_events} events of {WORKLOAD}",
        "n_events": scan.n_events,
        "seed": SEED,
        "repeats": repeats,
        "shape_xyz": list(grid.shape[::-1]),
        "sensitivity_s": sensitivity_s,
        "sensitivity": sensitivity.describe(),
        "rows": rows,
        "images": images,
        "osem_with_all_to_osem": ratios,
        "published": published.table3(),
        "published_note": published.TABLE3_NOTE,
        "bars": [bar.as_row() for bar in _bars(ratios, images)],
    }


def _sensitivities(scan: ListMode, grid: ImageGrid, on: Backend) -> tuple[Sensitivity, Sensitivity]:
    """Return the sensitivity of the scanner, and that with the body inside."""
    # A rough sensitivity is enough: only its use is measured
    settings = SensitivitySettings(method="sampled", error_percent=20)
    sensitivity = compute_sensitivity(scan, grid, settings, on=on)
    inside = Attenuation().apply(scan, on=on)
    return sensitivity, compute_sensitivity(inside, grid, settings, on=on)


def _cases(
    on: Backend, grid: ImageGrid, sensitivity: Sensitivity, attenuated: Sensitivity, iterations: int
) -> list[Case]:
    mlem, osem = Mlem(iterations=iterations), Osem(iterations=iterations, subsets=SUBSETS)
    flat, median = flat_sensitivity(grid), (Median(),)
    cases = (
        Case("", on, mlem, flat),
        Case("", on, mlem, sensitivity),
        Case("", on, osem, flat),
        Case("", on, mlem, attenuated, attenuation=True),
        Case("", on, mlem, flat, time_of_flight=True),
        Case("", on, mlem, flat, filters=median),
        Case("", on, osem, attenuated, attenuation=True, time_of_flight=True, filters=median),
    )
    return [
        replace(case, name=name) for name, case in zip(published.TABLE3_CASES, cases, strict=True)
    ]


def _ratio(rows: Sequence[Plain], device: str) -> float:
    """Return the seconds of OSEM with all extensions relative to plain OSEM."""
    seconds = {row["case"]: row["seconds"] for row in rows if row["device"] == device}
    return float(seconds["OSEM with all"] / seconds["OSEM"])


def _compared(measured: Sequence[MeasuredRun]) -> list[Plain]:
    """Return the differences between the images of the first and the last device."""
    half = len(measured) // 2
    return [
        {"case": one.row["case"], "first": one.row["device"], "second": other.row["device"]}
        | rmse(one.image, other.image)
        for one, other in zip(measured[:half], measured[half:], strict=True)
    ]


def _bars(ratios: dict[str, float], images: Sequence[Plain]) -> list[Bar]:
    bars = [
        at_most("OSEM with all against OSEM, seconds", ratio, MAX_RATIO)
        for device, ratio in ratios.items()
        if device == "cuda"
    ]
    for pair in images:
        name = f"{pair['case']}: {pair['first']} against {pair['second']}, RMSE"
        bars.append(at_most(name, pair["rmse_relative"], MAX_DIFFERENCE))
    return bars
