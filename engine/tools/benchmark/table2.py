"""The paper's Table 2: MLEM of three line sources on images of 32³, 128³ and 512³ voxels.

Basic is a first implementation: unsorted events, one CPU thread, or on a GPU one block per event
and an image in linear order. Optimised is what users get.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engine.core.backend import Backend, cpu
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.kernels.variants import RayVariant
from engine.recon.algorithms import Mlem
from engine.tools.benchmark import published
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.reconstructing import Case, MeasuredRun, flat_sensitivity, measure, rmse
from engine.tools.benchmark.scans import LINES_FOV_MM, line_sources, lines_grid

SIZES = (32, 128, 512)
ITERATIONS = 20
EVENTS = {"cpu": 200_000, "cuda": 4_000_000}
"""Events by device: each row of 512³ voxels takes about a minute on 2 cores."""
SEED = 2
BASIC, OPTIMISED = "basic", "optimised"
MAX_DIFFERENCE = 1e-3
"""Largest relative difference of two images of the same events: sums in another order."""
WORKLOAD = (
    "three line sources in air, simulated; a ring of radius 300 mm and length 256 mm; the same "
    "cube of 256 mm in every image; MLEM without sensitivity, float32"
)


def run(
    devices: Sequence[Backend],
    *,
    n_events: int,
    sizes: Sequence[int] = SIZES,
    iterations: int = ITERATIONS,
    repeats: int = 3,
) -> Plain:
    """Measure every size on every device, with the same events.

    Parameters
    ----------
    devices
        devices to measure
    n_events
        number of events
    sizes
        edges of the images [voxels]
    iterations
        iterations of MLEM
    repeats
        most runs of each case

    Returns
    -------
    part
        JSON values for the report
    """
    scan = line_sources(n_events, SEED)
    rows, images = [], []
    for size in sizes:
        grid = lines_grid(size)
        cases = [case for on in devices for case in _cases(on, grid, iterations)]
        measured = measure(cases, scan, grid, repeats=repeats)
        rows += [{"size": size, "voxel_mm": LINES_FOV_MM / size} | m.row for m in measured]
        images += [{"size": size} | pair for pair in _compared(measured)]
    return {
        "workload": f"{scan.n_events} events of {WORKLOAD}",
        "n_events": scan.n_events,
        "seed": SEED,
        "repeats": repeats,
        "rows": rows,
        "images": images,
        "published": published.table2(),
        "published_note": published.TABLE2_NOTE,
        "bars": [bar.as_row() for bar in _bars(images)],
    }


def _cases(on: Backend, grid: ImageGrid, iterations: int) -> list[Case]:
    algorithm, flat = Mlem(iterations=iterations), flat_sensitivity(grid)
    first = RayVariant(mapping="block", order="linear") if on.is_cuda else None
    # A GPU has no single thread; there the mapping and the order are the basic ones
    alone = on if on.is_cuda else cpu(1)
    return [
        Case(BASIC, alone, algorithm, flat, in_order=False, variant=first),
        Case(OPTIMISED, on, algorithm, flat),
    ]


def _compared(measured: Sequence[MeasuredRun]) -> list[Plain]:
    """Return the differences between basic and optimised images, and between devices."""
    return [
        {"first": _name(one), "second": _name(other)} | rmse(one.image, other.image)
        for one, other in combinations(measured, 2)
        # Pairs that differ in one respect only
        if one.row["device"] == other.row["device"] or one.row["case"] == other.row["case"]
    ]


def _name(measured: MeasuredRun) -> str:
    return f"{measured.row['case']}, {measured.row['device']}"


def _bars(images: Sequence[Plain]) -> list[Bar]:
    return [
        at_most(
            f"{pair['size']}³: {pair['first']} against {pair['second']}, RMSE",
            pair["rmse_relative"],
            MAX_DIFFERENCE,
        )
        for pair in images
    ]
