"""Single scatter of a head in a ring scanner on a device, against the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import simulate_scatter
from engine.geometry.energy import EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io import read_scanner
from engine.simulate.anatomy import brain
from engine.tools.benchmark.bars import Bar, at_most
from engine.tools.benchmark.card.rows import row, seconds_of

WINDOW = EnergyWindow(430.0, 610.0, 0.145)
GRID = ImageGrid((40, 60, 60), (4.0, 4.0, 4.0))
SEED = 3
MAX_DIFFERENCE = 1e-4
"""Largest difference from the CPU relative to the maximum."""


@dataclass(frozen=True)
class ScatterSize:
    """Amount of scatter.

    Attributes
    ----------
    scanner : key of a ring scanner with time of flight
    n_points : approximate number of scatter points
    fewer : factor by which detector samples are sparser than in runs
    """

    scanner: str = "siemens-mct"
    n_points: int = 2000
    fewer: int = 1


def run(on: Backend, size: ScatterSize, repeats: int) -> Plain:
    """Measure single scatter without and with time of flight on a device and on the CPU.

    Parameters
    ----------
    on
        device
    size
        scanner, points and samples
    repeats
        runs of each case; the median counts

    Returns
    -------
    part
        JSON values for the report

    Raises
    ------
    SettingsError
        if the scanner is not a ring scanner
    """
    scanner = read_scanner(size.scanner)
    if not isinstance(scanner, RingScanner):
        raise SettingsError(f"{size.scanner} is not a ring scanner; choose another one.")
    head = brain()
    activity, mu = (head.rasterise(GRID, kind) for kind in ("activity", "mu"))
    samples = DetectorSamples.of(scanner, size.fewer)

    def table(where: Backend, with_tof: bool) -> Array:
        return simulate_scatter(
            activity, mu, scanner, WINDOW,
            with_tof=with_tof, n_points=size.n_points, seed=SEED, on=where, samples=samples,
        ).values  # fmt: skip

    rows: list[Plain] = []
    bars: list[Bar] = []
    for with_tof in (False, True):
        name = f"single scatter, {'with' if with_tof else 'without'} time of flight"
        seconds = seconds_of(partial(table, on, with_tof), on, repeats)
        rows.append(row(name, on, seconds, "s"))
        if on.gpu is None:
            continue
        host = cpu(on.threads)
        # The CPU takes long, and is measured once
        host_s = seconds_of(partial(table, host, with_tof), host, 1)
        rows.append(row(name, host, host_s, "s"))
        values, wanted = (table(each, with_tof) for each in (on, host))
        difference = float(np.abs(values - wanted).max() / wanted.max())
        bars.append(at_most(f"{name}, difference from the CPU", difference, MAX_DIFFERENCE))
        bars.append(at_most(f"{name}, not slower than the CPU", seconds, host_s, "s"))
    return {
        "workload": f"a head in {scanner.name}, about {size.n_points} scatter points, "
        f"{len(samples.places_mm)} detector samples; wall-clock time",
        "repeats": repeats,
        "rows": rows,
        "bars": [bar.as_row() for bar in bars],
    }
