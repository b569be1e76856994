"""Three moving slices from a scan in one texture: Table 1 of the paper.

Graas et al., "ASTRA KernelKit", section 4.2 (quasi-3D). Slices are elsewhere in every sample, while
the projections stay. Wall-clock time without preparing, filtering or uploading the scan.

one texture : for all three slices, with one recorded graph
a texture each : like one projector per slice, each with its own upload of the projections
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.errors import DeviceMemoryError
from engine.core.json_types import Plain
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.plane import Plane, orthogonal
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.slices import Slices
from engine.tools.benchmark import published
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.cone.variants import SOURCE_AXIS_MM, SOURCE_DETECTOR_MM
from engine.tools.benchmark.crossing import FOV_MM

SHARED, EACH = "one texture", "a texture each"
WARM, SAMPLES = 20, 400
MAX_S = 2.0
"""Time for the samples of a case."""
STEP_MM, STEP_RAD = 0.05, 0.002
"""Motion between two samples."""


@dataclass(frozen=True)
class Setup:
    """A scanner of the paper: detector (rows, columns), edge of a slice, and views."""

    name: str
    detector: tuple[int, int]
    size: int
    n_views: int

    @property
    def geometry(self) -> XrayGeometry:
        """Geometry of half a rotation."""
        across = SOURCE_DETECTOR_MM / SOURCE_AXIS_MM * FOV_MM
        return circular_cone(
            circle(self.n_views, range_rad=np.pi),
            source_axis_mm=SOURCE_AXIS_MM,
            source_detector_mm=SOURCE_DETECTOR_MM,
            shape=self.detector,
            pixel_mm=across / max(self.detector),
        )

    @property
    def n_updates(self) -> int:
        """Pixels of three slices times views."""
        return 3 * self.size**2 * self.n_views

    def planes(self, sample: int) -> tuple[Plane, ...]:
        """Return three orthogonal slices that rotate and move a little with every sample.

        Parameters
        ----------
        sample
            number of the sample
        """
        # A period of 100 samples keeps the slices inside of the volume
        edge, angle, shift = FOV_MM / self.size, STEP_RAD * sample, STEP_MM * (sample % 100)
        flat, *upright = orthogonal((self.size, self.size), edge, (shift, -shift, shift))
        c, s = float(np.cos(angle)), float(np.sin(angle))
        turned = zip(upright, ((c, s, 0.0), (-s, c, 0.0)), strict=True)
        return flat, *(
            Plane(p.shape, p.pixel_mm, p.centre_mm, across, p.down) for p, across in turned
        )


SETUPS = (
    Setup("FleX-ray", (400, 600), 400, 75),
    Setup("High-speed", (1024, 1024), 1024, 128),
    Setup("Tomobank", (2016, 1800), 2016, 300),
)
MAX_ON_A_CPU = 2
"""Number of setups on a CPU; the third takes many gigabytes there."""


def run(on: Backend, *, setups: Sequence[Setup] | None = None, max_s: float = MAX_S) -> Plain:
    """Measure the setups; those that exceed the memory are reported with their error.

    Parameters
    ----------
    on
        device
    setups
        scanners; None for those that suit the device
    max_s
        time for the samples of a case [s]

    Returns
    -------
    part
        JSON values for the report
    """
    chosen = setups or (SETUPS[:MAX_ON_A_CPU] if on.gpu is None else SETUPS)
    threads = on.threads if on.gpu is None else None
    rows = []
    for setup in chosen:
        # A setup that does not fit still gets a row, with its error
        message = {"setup": setup.name, "size": setup.size, "n_views": setup.n_views}
        message |= {"detector": list(setup.detector), "device": on.name, "threads": threads}
        try:
            rows += [message | row for row in _measured(on, setup, max_s)]
        except DeviceMemoryError as e:
            rows.append(message | {"case": SHARED, "seconds": None, "gups": None, "fault": str(e)})
    return {
        "workload": "Three orthogonal slices of a stored scan, at new positions in each sample; "
        "wall-clock time; float32",
        "rows": rows,
        "published": published.SLICES_SECONDS,
        "published_card": published.CARD,
        "bars": [bar.as_row() for bar in _bars(on, rows)],
    }


def _measured(on: Backend, setup: Setup, max_s: float) -> Iterator[Plain]:
    y = _projections(on, setup)
    for name, case in _cases(on, setup, y).items():
        times = _times(on, case, max_s)
        seconds = median(times)
        yield {
            "case": name,
            "seconds": seconds,
            "best_seconds": min(times),
            "n_samples": len(times),
            "gups": setup.n_updates / seconds / 1e9,
            "fault": "",
        }


def _projections(on: Backend, setup: Setup) -> Array:
    n_rows, n_columns = setup.detector
    # A pattern made on the device: uploading gigabytes would take longer than the measurement
    wave = on.to_device(np.sin(np.arange(setup.n_views, dtype=np.float32))[:, None, None])
    row = on.to_device(np.cos(np.arange(n_columns, dtype=np.float32) / 17))
    return (wave * row + on.to_device(np.ones((1, n_rows, 1), np.float32))).astype(np.float32)


def _cases(on: Backend, setup: Setup, y: Array) -> dict[str, Callable[[int], Any]]:
    # Uploading is not part of the paper's times
    shared = Slices(setup.geometry, setup.planes(0), on=on)
    shared.update(y)

    def all_slices(sample: int) -> list[Array]:
        shared.place(setup.planes(sample))
        return shared.values()

    if on.gpu is None:
        return {SHARED: all_slices}
    own: list[Slices] = []

    def one_by_one(sample: int) -> None:
        # Made at the first call, so that the shared case does not share memory with them
        own[:] = own or [Slices(setup.geometry, [plane], on=on) for plane in setup.planes(0)]
        for slices, plane in zip(own, setup.planes(sample), strict=True):
            slices.place([plane])
            slices.update(y)
            slices.values()

    return {SHARED: all_slices, EACH: one_by_one}


def _times(on: Backend, case: Callable[[int], Any], max_s: float) -> list[float]:
    case(0)  # compiles the kernels
    times: list[float] = []
    until = perf_counter() + max_s
    for sample in range(1, WARM + SAMPLES + 1):
        start = perf_counter()
        case(sample)
        if on.gpu is not None:
            on.gpu.wait()
        now = perf_counter()
        if sample > WARM or now > until:
            times.append(now - start)
        if now > until:
            break
    return times


def _bars(on: Backend, rows: Sequence[Plain]) -> list[Bar]:
    if on.gpu is None:
        return []
    bars = []
    for row in rows:
        theirs = published.SLICES_SECONDS["KernelKit"].get(row["setup"])
        # The paper's GPU is another one: its time is scaled by the texture rate
        scaled = theirs and published.scaled_to(on.gpu.facts.name, theirs)
        if scaled and row["case"] == SHARED and row["seconds"]:
            name = f"three slices, {row['setup']}"
            bars.append(at_most(name, 1e3 * row["seconds"], 1e3 * scaled, "ms"))
    return bars
