"""Whole runs of the demo scans, as the command `isocenter reconstruct` does them.

Each scan is reconstructed twice on the device, since the first run compiles kernels, and on a GPU
once on the CPU, so that both images can be compared. The second run uses the cached sensitivity of
the first one. The forecast of the program is next to its time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np

from engine.core.backend import Backend
from engine.core.backend.devices import device_of
from engine.core.errors import EngineError, ResourceError
from engine.core.json_types import Plain
from engine.io.reading import read_volume
from engine.jobs.loader.foreign_files import ForeignFiles
from engine.jobs.loader.loader import Loader
from engine.jobs.queue.admission import opened
from engine.modalities.demos import DEMOS
from engine.modalities.studies import Study, modality_of, write_study
from engine.tools.benchmark.bars import Bar, at_most, next_to
from engine.tools.benchmark.card.rows import row

CLI = "from engine.cli.main import main; raise SystemExit(main())"
MAX_DIFFERENCE = 1e-2
"""Largest RMSE of two images relative to the RMS of the image: sums in another order."""
WORKLOAD = (
    "`isocenter reconstruct` of each demo scan with its standard protocol, from the start of the "
    "process to the stored volume; wall-clock time"
)


@dataclass(frozen=True)
class DemoSize:
    """A demo scan and its settings, such as the number of prompts; empty for the normal scan."""

    key: str
    settings: dict[str, int] = field(default_factory=dict)


DEMO_SIZES = tuple(DemoSize(key) for key in ("ct", "pet", "pet-sinogram", "dual-head"))
TINY_DEMOS = (DemoSize("ct", {"n_views": 8, "n_rows": 12, "n_columns": 16}),)
"""A scan for a rehearsal; list mode and panels have no small image."""


def run(on: Backend, sizes: tuple[DemoSize, ...], log: Callable[[str], None]) -> Plain:
    """Measure the runs.

    Parameters
    ----------
    on
        device
    sizes
        demo scans
    log
        called with the name of each scan

    Returns
    -------
    part
        JSON values for the report; a scan that fails has its reason in its row
    """
    rows: list[Plain] = []
    bars: list[Bar] = []
    for size in sizes:
        log(f"measuring the demo {size.key} ...")
        name = f"whole run, demo {size.key}"
        with tempfile.TemporaryDirectory(prefix="isocenter-") as folder:
            try:
                found, limits = _measured(on, name, size, Path(folder))
            except EngineError as e:
                # The other scans are still worth measuring
                found, limits = [row(name, on, float("nan"), "s", fault=str(e))], []
                bars.append(at_most(f"{name}, failed runs", 1.0, 0.0))
        rows += found
        bars += limits
    return {
        "workload": WORKLOAD,
        "repeats": 1,
        "rows": rows,
        "bars": [bar.as_row() for bar in bars],
    }


def _measured(
    on: Backend, name: str, size: DemoSize, folder: Path
) -> tuple[list[Plain], list[Bar]]:
    demo = type(DEMOS[size.key])(**size.settings)
    study = demo.make(folder / "scan")
    file = folder / "study.toml"
    write_study(study, file)
    first_s = _reconstructed(file, on, folder / "first.h5")
    seconds = _reconstructed(file, on, folder / "volume.h5")
    forecast_s = _forecast(study, on)
    rows = [
        row(f"{name}, first", on, first_s, "s", fault=""),
        row(name, on, seconds, "s", fault="", forecast_s=forecast_s),
    ]
    bars = [] if forecast_s is None else [next_to(name, seconds, forecast_s, "s")]
    if on.gpu is not None:
        _reconstructed(file, on, folder / "cpu.h5", device="cpu")
        image, reference = (
            read_volume(folder / file).values.astype(np.float64) for file in ("volume.h5", "cpu.h5")
        )
        rmse = np.sqrt(((image - reference) ** 2).mean() / (reference**2).mean())
        bars.append(at_most(f"{name}, RMSE from the CPU", float(rmse), MAX_DIFFERENCE))
    return rows, bars


def _reconstructed(study: Path, on: Backend, output: Path, *, device: str = "") -> float:
    """Run the command, and return its wall-clock seconds."""
    key = device or device_of(on).key
    command = [sys.executable, "-c", CLI, "reconstruct", str(study), "-o", str(output)]
    command += ["--device", key, "--threads", str(on.threads), "--force"]
    # The jobs of the user stay as they are
    command += ["--checkpoint", str(output.with_suffix(".job"))]
    start = perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    seconds = perf_counter() - start
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        message = f"The run on {key} ended with code {done.returncode}."
        raise ResourceError(f"{message} {lines[-1]}" if lines else message)
    return seconds


def _forecast(study: Study, on: Backend) -> float | None:
    """Return the seconds that the window forecasts; None if it has no forecast."""
    loader = Loader()
    try:
        known = opened(study, ForeignFiles(loader))
    finally:
        loader.close()
    modality = modality_of(study.protocol)
    grid = modality.grid(study.protocol, known)
    if grid is None:
        return None
    found = modality.requirements(study.protocol, known, grid, device_of(on), 1.0)
    return None if found is None else float(found.seconds)
