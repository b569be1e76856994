"""Dual-head PET with a stored response: wall-clock time of forward and back projection of subsets.

Some subsets of an iteration are measured. The time of the iteration is scaled by the number of
products. The paper's own times are in the same tables (its Tables 2 and 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import psutil

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.operators.matrix.projector import MatrixProjector
from engine.tools.benchmark import published
from engine.tools.benchmark.bars import Bar, at_most, below_limit
from engine.tools.benchmark.counted import limit_of
from engine.tools.benchmark.dual_head.panels import PanelWork

FORWARD, BACK = "forward", "back"
BAR_SCANNER, BAR_THREADS = "DHAPET", 2
"""Scanner and threads of the limits."""
BAR_CPU_S, BAR_BYTES = 60.0, 8 * 2**30
BAR_CARD, BAR_GPU_S = "H200", 2.0
"""Limits: seconds of an iteration in both directions, and memory of the process."""
WORKLOAD = (
    "A subset contains random, complete families of orientations, the same in every run. Its time "
    "includes the decoding of its rows. No line is skipped, so the counts do not matter. A product "
    "is one non-zero of one line of the unfolded matrix."
)


def run(devices: Sequence[Backend], work: PanelWork, repeats: int = 1) -> Plain:
    """Measure the sampled subsets.

    Parameters
    ----------
    devices
        devices, the CPU first
    work
        scanner, response and subsets
    repeats
        runs of each subset; the median counts

    Returns
    -------
    part
        JSON values for the report
    """
    rows = [row for on in devices for row in _measure(on, work, repeats)]
    return {
        "workload": WORKLOAD,
        "repeats": repeats,
        **work.facts(),
        "rows": rows,
        "published": published.dual_head(),
        "published_note": published.DUAL_HEAD_NOTE,
        "bars": [bar.as_row() for on in devices for bar in _bars(on, work, rows)],
    }


def timed(case: Callable[[], Any], on: Backend) -> tuple[float, float]:
    """Return wall-clock seconds, and CPU seconds on all cores.

    Parameters
    ----------
    case
        called once
    on
        device, which is waited for
    """
    clock, busy = perf_counter(), process_time()
    case()
    if on.gpu is not None:
        on.gpu.wait()
    return perf_counter() - clock, process_time() - busy


def peak_bytes() -> int:
    """Return the largest memory of the process so far [bytes]."""
    now = psutil.Process().memory_info()
    if hasattr(now, "peak_wset"):
        return int(now.peak_wset)
    import resource  # not on Windows
    import sys

    # Linux counts in KiB, macOS in bytes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _measure(on: Backend, work: PanelWork, repeats: int) -> list[Plain]:
    before = None if on.gpu is None else on.gpu.free_bytes()
    # The difference in free memory includes the matrix on the device
    A = MatrixProjector(work.response, on=on)
    x = on.to_device(np.ones(A.in_shape, np.float32))
    # Without this the first subset would include the compiler and the upload of the matrix
    small = A.among(np.arange(1))  # compiles, and brings the rows to a card
    small.adjoint(small.forward(x))
    times: dict[str, list[tuple[float, float]]] = {FORWARD: [], BACK: []}
    n_products = n_lines = 0
    for k in range(work.n_sampled):
        part = A.subset(k, work.n_subsets)
        # Ones: no line is skipped, as in a scan with many counts
        y = on.to_device(np.ones(part.out_shape, np.float32))
        n_products += int(work.n_products[part.orientations].sum())
        n_lines += part.out_shape[0]
        for name, case in (
            (FORWARD, lambda A=part: A.forward(x)),
            (BACK, lambda A=part, y=y: A.adjoint(y)),
        ):
            pairs = [timed(case, on) for _ in range(repeats)]
            times[name].append(tuple(median(column) for column in zip(*pairs, strict=True)))
    # Subsets are random, and differ in their number of products
    longer = work.n_products_in_all / n_products
    after = None if on.gpu is None else on.gpu.free_bytes()
    device_bytes = None if before is None or after is None else before - after
    return [
        _row(name, on, work, np.array(ts).sum(axis=0), longer) | {"device_bytes": device_bytes}
        for name, ts in times.items()
    ]


def _row(case: str, on: Backend, work: PanelWork, seconds: Array, longer: float) -> Plain:
    """Scale the times of the sampled subsets to an iteration."""
    clock, busy = (float(longer * s) for s in seconds)
    return {
        "case": case,
        "device": on.name,
        "threads": on.threads if on.gpu is None else None,
        "subset_s": clock / work.n_subsets,
        "iteration_s": clock,
        "cpu_s": busy,
        "cores": busy / clock,
        "products_per_s": work.n_products_in_all / clock,
        "lines_per_s": work.n_lines / clock,
        "is_estimate": work.n_sampled < work.n_subsets,
        "peak_bytes": peak_bytes(),
    }


def _bars(on: Backend, work: PanelWork, rows: Sequence[Plain]) -> list[Bar]:
    """Return the limits for the full system on the hardware that they name."""
    if work.scanner.name != BAR_SCANNER:
        return []
    mine = [row for row in rows if row["device"] == on.name]
    seconds, name = sum(row["iteration_s"] for row in mine), "an iteration, forward and back"
    if on.gpu is not None:
        bars = [at_most(name, seconds, BAR_GPU_S, "s")] if BAR_CARD in on.gpu.facts.name else []
        return bars + [
            below_limit(row["case"], row["products_per_s"] / 1e9, limit / 1e9, "G products/s")
            for row in mine
            if (limit := limit_of([("two panels", row["case"])], on.gpu.facts)) is not None
        ]
    if on.threads != BAR_THREADS:
        return []
    peak = max(row["peak_bytes"] for row in mine)
    return [
        at_most(name, seconds, BAR_CPU_S, "s"),
        at_most("memory of the process", peak / 2**30, BAR_BYTES / 2**30, "GiB"),
    ]
