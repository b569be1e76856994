"""Delay in a growing folder that another process fills.

The delay at any time is the number of images that are completely written and not yet delivered.
Both processes read the same clock, so times are comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import numpy as np

from engine.core.json_types import Plain
from engine.jobs.loader import Loader
from engine.jobs.process.starting import new_process, process_context
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Frame, Waiting
from engine.live.ct.sources.folder import FolderSource
from engine.tools.benchmark.bars import at_most

SHAPE = (16, 24)
PREFIX = "scan_"
MAX_BEHIND = 1
GIVEN_UP_S = 30.0
"""Time without an image after which the measurement ends."""


@dataclass(frozen=True)
class FolderCase:
    """A folder that is followed.

    Attributes
    ----------
    n_there : images before it is followed
    n_new : images that arrive meanwhile
    images_per_s : rate of the new images
    """

    n_there: int
    n_new: int
    images_per_s: float


CASE = FolderCase(9000, 1000, 1 / 12e-3)
"""The image rate of FleX-ray, in a folder of ten thousand images."""


def run(case: FolderCase = CASE) -> Plain:
    """Follow a folder, and measure the delay.

    Parameters
    ----------
    case
        numbers and rate of images

    Returns
    -------
    part
        JSON values for the report
    """
    with TemporaryDirectory() as name:
        folder, (line, far_line) = Path(name) / "scan", process_context().Pipe()
        folder.mkdir()
        # Another process, as a scanner would be: writing must not delay reading
        writer = new_process(_write, folder, case, far_line, name="folder-writer")
        writer.start()
        # Otherwise the death of the writer would go unnoticed on the pipe
        far_line.close()
        line.recv()  # the images that are there from the beginning
        loader = Loader()
        try:
            with Arrivals(FolderSource(folder, loader=loader)) as arrivals:
                arrived = _followed(arrivals, case, line)
        finally:
            loader.close()
        written: list[float] = line.recv()
        writer.join()
    row = asdict(case) | lag(written, arrived)
    return {
        "workload": f"A folder that another process fills with images of {SHAPE[1]} × {SHAPE[0]} "
        "pixels",
        "rows": [row],
        "bars": [at_most("images behind in a folder", row["most_behind"], MAX_BEHIND).as_row()],
    }


def lag(written_s: Sequence[float], arrived_s: Sequence[float]) -> Plain:
    """Return the largest delay, the share of time behind by more than one image, and latencies.

    Parameters
    ----------
    written_s
        times at which images were completely written [s]
    arrived_s
        times at which they were delivered [s]
    """
    written, arrived = np.asarray(written_s), np.asarray(arrived_s)
    # +1 for each image written, −1 for each delivered: the sum is the delay
    moments = np.concatenate([written, arrived])
    steps = np.concatenate([np.ones(len(written)), -np.ones(len(arrived))])
    # Stable: an image that is written and delivered at the same time was behind for a moment
    order = np.argsort(moments, kind="stable")
    behind, lasts = np.cumsum(steps[order])[:-1], np.diff(moments[order])
    # Images arrive in order, so the first ones correspond
    late_ms = 1e3 * (arrived - written[: len(arrived)])
    return {
        "most_behind": int(behind.max()),
        "percent_behind_by_more": float(100 * lasts[behind > 1].sum() / lasts.sum()),
        "latency_ms_median": float(np.median(late_ms)),
        "latency_ms_p99": float(np.percentile(late_ms, 99)),
        "latency_ms_most": float(late_ms.max()),
        "missed": len(written) - len(arrived),
    }


def _followed(arrivals: Arrivals, case: FolderCase, line: Connection) -> list[float]:
    """Receive all images; new ones are requested once the existing ones were received."""
    arrived: list[float] = []
    n_read, has_continued = 0, False
    while not isinstance(arrivals.take(GIVEN_UP_S), Waiting):
        pass  # the source is not ready yet
    while len(arrived) < case.n_new:
        if n_read >= case.n_there and not has_continued:
            has_continued = True
            line.send("go on")
        each = arrivals.take(GIVEN_UP_S)
        if each is None:
            break
        if not isinstance(each, Frame):
            continue
        # Lost images were read, too, but not in time
        n_read += 1 + each.lost
        if each.index >= case.n_there:
            arrived.append(each.arrived_s)
    return arrived


def _write(folder: Path, case: FolderCase, line: Connection) -> None:
    """Write the images, and send the time of each."""
    from tifffile import imwrite

    values = np.full(SHAPE, 1000, np.uint16)
    for k in range(case.n_there):
        imwrite(path_of(folder, k), values)
    line.send("there")
    line.recv()
    written, begun = [], monotonic()
    for k in range(case.n_new):
        sleep(max(begun + k / case.images_per_s - monotonic(), 0))
        imwrite(path_of(folder, case.n_there + k), values)
        written.append(monotonic())
    line.send(written)


def path_of(folder: Path, k: int) -> Path:
    """Return the file of an image."""
    return folder / f"{PREFIX}{k:06d}.tif"
