"""The fused update on a GPU in every variant: mapping, order, block size, timing and sums.

First all variants run with blocks of 128 threads, then with other block sizes, the fastest variants
first, until the time is spent. The record names the fastest of each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from time import perf_counter

import numpy as np

from engine.core.backend import Backend
from engine.core.backend.gpu import Gpu
from engine.core.errors import DeviceError
from engine.core.json_types import Plain
from engine.geometry.tof import TofBins
from engine.kernels.tuning import LARGE_VOXELS, UNMEASURED
from engine.kernels.variants import BLOCKS, RayVariant, Sums, variants
from engine.operators.rays import RayProjector
from engine.tools.benchmark.bars import Bar, at_least, at_most
from engine.tools.benchmark.crossing import ORIGIN, cube, sorted_crystals, timing

SIZES = (128, 512)
EVENTS = 16_000_000
FEWER = {512: 8}
"""Size: a large image gets this fraction of the events, since each crosses many more voxels."""
FWHM_PS = 385.0
FORMS = tuple(
    sorted(
        (form for form in variants((128,)) if form.real == "float"),
        # the variant of unmeasured GPUs first: others have to beat it
        key=lambda form: (form.mapping, form.order) != (UNMEASURED.mapping, UNMEASURED.order),
    )
)
SEED = 4
ENOUGH_S = 1.0
"""Time of runs after which a variant is not repeated further."""

MIN_EVENTS_PER_S = {128: 100e6, 512: 15e6}
"""Limits for sorted events, without TOF and with 385 ps; the goal at 128³ is 250e6."""
MAX_FIXED_RATIO = 1.5
"""Limit for the slowdown by reproducible sums."""

Group = tuple[int, bool, Sums]
"""Image size, time of flight, and kind of sums."""


@dataclass(frozen=True)
class TriedVariant:
    """A variant with its speed on an image of `size`³; None with the error if it failed."""

    size: int
    variant: RayVariant
    events_per_s: float | None
    fault: str = ""

    @property
    def group(self) -> Group:
        """Group in which the variant competes."""
        return self.size, self.variant.timing != "none", self.variant.sums

    def as_row(self) -> Plain:
        """Return JSON values."""
        v = self.variant
        return {
            "size": self.size,
            "tof": v.timing != "none",
            "sums": v.sums,
            "timing": v.timing,
            "mapping": v.mapping,
            "order": v.order,
            "block": v.block,
            "events_per_s": self.events_per_s,
            "fault": self.fault,
        }


def run(
    on: Backend,
    *,
    n_events: int = EVENTS,
    sizes: Sequence[int] = SIZES,
    repeats: int = 3,
    budget_s: float = 90.0,
    forms: Sequence[RayVariant] = FORMS,
    blocks: Sequence[int] = BLOCKS,
) -> Plain:
    """Measure variants, then other block sizes, until the time is spent.

    Parameters
    ----------
    on
        GPU
    n_events
        events for small images; large ones get fewer
    sizes
        edges of the images [voxels]
    repeats
        runs of each variant; the median counts
    budget_s
        time for all variants [s]
    forms
        variants with the first block size
    blocks
        further block sizes

    Returns
    -------
    part
        JSON values for the report
    """
    until = perf_counter() + budget_s
    # All sizes in turn, so that the time is shared if it runs out
    tests = [_Test(on, size, n_events // FEWER.get(size, 1), repeats) for size in sizes]
    first = [(test, form) for form in forms for test in tests]
    tried = _in_time(first, until)
    others = [
        (_slowness(old, tried), test, replace(old.variant, block=block))
        for test in tests
        for old in tried
        for block in blocks
        if old.size == test.size and old.events_per_s is not None and block != old.variant.block
    ]
    # The fastest first: a variant that is slow with one block rarely wins with another
    others.sort(key=lambda item: item[0])
    tried += _in_time([(test, form) for _, test, form in others], until)
    n_left_out = len(first) + len(others) - len(tried)
    rows = [t.as_row() for t in tried]
    best = _best(tried)
    return {
        "workload": f"sorted {ORIGIN}; events between crystals; {FWHM_PS:g} ps where timed",
        "n_events": {str(test.size): test.n_events for test in tests},
        "seed": SEED,
        "repeats": repeats,
        "n_left_out": n_left_out,
        "rows": rows,
        "best": [t.as_row() for t in best.values()],
        "bars": [bar.as_row() for bar in _bars(best)],
    }


def tuning(result: Plain, on: Backend) -> Plain:
    """Return the tuning record of a GPU, in the form for `engine.kernels.tuning`.

    Parameters
    ----------
    result
        result of `run`
    on
        measured GPU
    """
    facts = _gpu_of(on).facts
    return {
        "device": facts.name,
        "compute_capability": facts.compute_capability,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "workload": result["workload"],
        "n_events": result["n_events"],
        "choices": [_choice(row) for row in result["best"]],
        "tried": result["rows"],
    }


def _choice(row: Plain) -> Plain:
    keys = ("mapping", "order", "sums", "timing", "block")
    return {
        # The tuned variant is chosen by size class, not by the exact size
        "image": "large" if row["size"] ** 3 >= LARGE_VOXELS else "small",
        "timed": row["tof"],
        "sums": row["sums"],
        "events_per_s": row["events_per_s"],
        "variant": {key: row[key] for key in keys},
    }


class _Test:
    """Events through an image of one size, with and without time of flight."""

    def __init__(self, on: Backend, size: int, n_events: int, repeats: int) -> None:
        self.on, self.size, self.n_events, self.repeats = on, size, n_events, repeats
        self.gpu = _gpu_of(on)
        rng = np.random.default_rng(SEED)
        self._tof = timing(FWHM_PS)
        self._untimed, self._timed = sorted_crystals(n_events, self._tof, rng)
        self._image = on.to_device((0.1 + rng.random(cube(size).shape)).astype(np.float32))

    def time(self, variant: RayVariant) -> TriedVariant:
        """Compile a variant, run it once, then measure it."""
        try:
            seconds = self._seconds(variant, self._tof if variant.timing != "none" else None)
        except DeviceError as e:
            return TriedVariant(self.size, variant, None, str(e))
        return TriedVariant(self.size, variant, self.n_events / seconds)

    def _seconds(self, variant: RayVariant, tof: TofBins | None) -> float:
        projector = RayProjector(
            self._timed if tof else self._untimed,
            cube(self.size),
            on=self.on,
            tof=tof,
            reproducible=variant.sums == "fixed",
            variant=variant,
        )
        # Compiles, and brings the GPU to its clock rate
        projector.em_numerator(self._image)
        seconds: list[float] = []
        while len(seconds) < self.repeats and sum(seconds) < ENOUGH_S:
            self.gpu.wait()
            start = self.gpu.stamp()
            projector.em_numerator(self._image)
            seconds.append(self.gpu.stamp().seconds_since(start))
        return float(median(seconds))


def _in_time(queue: Sequence[tuple[_Test, RayVariant]], until: float) -> list[TriedVariant]:
    """Measure variants one by one until the time is spent."""
    tried: list[TriedVariant] = []
    for test, form in queue:
        # At least one variant, whatever the time is
        if tried and perf_counter() > until:
            break
        tried.append(test.time(form))
    return tried


def _slowness(one: TriedVariant, tried: Sequence[TriedVariant]) -> float:
    """Return how many times slower it is than the fastest of its group so far."""
    # A variant that failed counts as infinitely slow
    speeds = [t.events_per_s or 0.0 for t in tried if t.group == one.group]
    return max(speeds) / (one.events_per_s or 1e-9)


def _best(tried: Sequence[TriedVariant]) -> dict[Group, TriedVariant]:
    """Return the fastest variant of each group."""
    best: dict[Group, TriedVariant] = {}
    for one in tried:
        speed, so_far = one.events_per_s, best.get(one.group)
        if speed is not None and (so_far is None or speed > (so_far.events_per_s or 0.0)):
            best[one.group] = one
    return best


def _bars(best: dict[Group, TriedVariant]) -> list[Bar]:
    speed = {group: tried.events_per_s or 0.0 for group, tried in best.items()}
    bars = []
    for (size, tof, sums), value in speed.items():
        name = f"fused update, {size}³, {f'{FWHM_PS:g} ps' if tof else 'no timing'}"
        if sums == "float" and size in MIN_EVENTS_PER_S:
            bars.append(at_least(name, value, MIN_EVENTS_PER_S[size], "events/s"))
        floating = speed.get((size, tof, "float"))
        if sums == "fixed" and floating:
            bars.append(at_most(f"{name}, fixed against float", floating / value, MAX_FIXED_RATIO))
    return bars


def _gpu_of(on: Backend) -> Gpu:
    if on.gpu is None:
        raise TypeError(f"the device is {on.label}, expected a GPU.")
    return on.gpu
