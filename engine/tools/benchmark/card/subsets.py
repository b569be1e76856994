"""List-mode updates of small subsets, in which launches and the whole image weigh more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.operators.rays import RayProjector
from engine.tools.benchmark.bars import Bar, at_least, below_limit
from engine.tools.benchmark.card.rows import row, seconds_of
from engine.tools.benchmark.counted import limit_of
from engine.tools.benchmark.crossing import ORIGIN, cube, sorted_crystals, timing

FWHM_PS, SEED = 385.0, 4
MIN_SHARE = 0.5
"""Least rate of the smallest subset relative to the largest one."""
_WORKS = (("sorted list mode, tiles", "update"),)


@dataclass(frozen=True)
class SubsetSizes:
    """Events of each subset, and edge of the image [voxels]."""

    n_events: tuple[int, ...] = (100_000, 300_000, 1_000_000)
    edge: int = 128


def run(on: Backend, sizes: SubsetSizes, repeats: int) -> Plain:
    """Measure the EM numerator of subsets of several sizes, without and with time of flight.

    Parameters
    ----------
    on
        device
    sizes
        events and image
    repeats
        runs of each case; the median counts

    Returns
    -------
    part
        JSON values for the report
    """
    grid, tof, rng = cube(sizes.edge), timing(FWHM_PS), np.random.default_rng(SEED)
    image = on.to_device((0.1 + rng.random(grid.shape)).astype(np.float32))
    rows = []
    for n_events in sizes.n_events:
        untimed, timed = sorted_crystals(n_events, tof, rng)
        for title, rays, bins in (("no timing", untimed, None), (f"{FWHM_PS:g} ps", timed, tof)):
            A = RayProjector(rays, grid, on=on, tof=bins)
            seconds = seconds_of(partial(A.em_numerator, image), on, repeats)
            name = f"EM numerator, {n_events} events, {sizes.edge}³, {title}"
            more = {"n_events": n_events, "timing": title, "ms": 1e3 * seconds}
            rows.append(row(name, on, n_events / seconds, "events/s", **more))
    return {
        "workload": f"sorted {ORIGIN}; events between crystals; wall-clock time of one update",
        "repeats": repeats,
        "rows": rows,
        "bars": [bar.as_row() for bar in _bars(on, rows)],
    }


def _bars(on: Backend, rows: Sequence[Plain]) -> list[Bar]:
    if on.gpu is None:
        return []
    bars = []
    for title in dict.fromkeys(each["timing"] for each in rows):
        mine = [each for each in rows if each["timing"] == title]
        share = mine[0]["value"] / mine[-1]["value"]
        name = f"rate of {mine[0]['n_events']} events over {mine[-1]['n_events']}, {title}"
        bars.append(at_least(name, share, MIN_SHARE))
    limit = limit_of(_WORKS, on.gpu.facts)
    if limit is not None:
        # Weights of time of flight skip taps, which the count does not know
        bars += [
            below_limit(each["case"], each["value"], limit, "events/s")
            for each in rows
            if each["timing"] == "no timing"
        ]
    return bars
