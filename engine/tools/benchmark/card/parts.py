"""The benchmark of a GPU in parts: X-ray projectors, FDK, scatter, small subsets, whole runs.

Each part states its workload, and each row its value next to a limit or a calculated figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.core.backend import Backend
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.tools.benchmark import figures
from engine.tools.benchmark.card import runs, scatter, subsets, x_rays

PARTS = ("fdk", "projectors", "scatter", "subsets", "runs")


@dataclass(frozen=True)
class CardSizes:
    """Sizes of the problems.

    Attributes
    ----------
    scans : X-ray scans
    scatter : scatter of a head in a ring scanner
    subsets : events of a subset, and edge of the image [voxels]
    demos : demo scans, and their settings
    """

    scans: tuple[x_rays.ScanSize, ...] = x_rays.SCANS
    scatter: scatter.ScatterSize = field(default_factory=scatter.ScatterSize)
    subsets: subsets.SubsetSizes = field(default_factory=subsets.SubsetSizes)
    demos: tuple[runs.DemoSize, ...] = runs.DEMO_SIZES


TINY = CardSizes(
    scans=(x_rays.ScanSize(16, 20, (12, 16)), x_rays.ScanSize(24, 10, (16, 20))),
    scatter=scatter.ScatterSize("demo-ring", n_points=20, fewer=4),
    subsets=subsets.SubsetSizes((200, 500, 2000), 16),
    demos=runs.TINY_DEMOS,
)
"""Sizes for a rehearsal."""


def run(
    on: Backend, *, parts: Sequence[str], sizes: CardSizes, repeats: int, log: figures.Log
) -> Plain:
    """Measure parts one by one.

    Parameters
    ----------
    on
        device
    parts
        names from `PARTS`
    sizes
        sizes of the problems
    repeats
        runs of each case; the median counts
    log
        called with the name of each part

    Returns
    -------
    figures
        JSON values for the report

    Raises
    ------
    SettingsError
        for an unknown part
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise SettingsError(
            f"--parts: {unknown[0]!r} is not a part of this benchmark; choose from "
            f"{', '.join(PARTS)}."
        )
    measures: dict[str, Callable[[], Plain]] = {
        "fdk": lambda: x_rays.fdk_times(on, sizes.scans, repeats),
        "projectors": lambda: x_rays.projector_times(on, sizes.scans, repeats),
        "scatter": lambda: scatter.run(on, sizes.scatter, repeats),
        "subsets": lambda: subsets.run(on, sizes.subsets, repeats),
        "runs": lambda: runs.run(on, sizes.demos, log),
    }
    wanted = {f"card_{part}": measures[part] for part in parts}
    return figures.collect(figures.CARD, [on], wanted, log)
