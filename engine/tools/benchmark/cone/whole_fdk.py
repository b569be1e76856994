"""Calculate the time of a whole FDK, from projections in host memory to the volume there.

Chunks of views arrive through two buffers while the GPU filters and projects back the previous
ones. The last chunk is processed in shares of the volume. Each share is copied back while
the next one is processed:

    come_i = max(come_{i-1}, done_{i-2}) + up_i          done_i = max(done_{i-1}, come_i) + work_i
    leave_k = max(leave_{k-1}, done_k) + down_k          k: shares of the last chunk

Copies take their bytes divided by the published rate of the bus. Kernels take twice their
calculated limit (`engine.tools.benchmark.counted`). Filters take a number of passes over memory at
its published rate, and each launch reads and writes the volume. Nothing here was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernels.tuning import UNMEASURED_BACK
from engine.operators.xray.device import views_of_chunk
from engine.operators.xray.parts import SHARES_LEAVING, pieces
from engine.tools.benchmark.counted import CARDS, PublishedCard, UnitCost, tables
from engine.tools.benchmark.table import Table

OF_BUS, OF_LIMIT = 0.8, 0.5
"""Share of the bus's published rate that copies reach, and of their limits that kernels reach."""
FILTER_PASSES = 12
"""Reads or writes of a filtered row: weights, and two transforms of twice its length."""
_KERNEL = "volume of CT, texture"


@dataclass(frozen=True)
class Scan:
    """Views of a detector (rows, columns), and the edge of the volume [voxels]."""

    n_views: int
    detector: tuple[int, int]
    size: int

    @property
    def name(self) -> str:
        """Title of the scan."""
        rows, columns = self.detector
        return f"{self.size}³, {self.n_views} × {rows} × {columns}"


SCANS = (Scan(360, (256, 256), 256), Scan(720, (768, 1024), 512), Scan(1440, (1024, 1024), 1024))


@dataclass(frozen=True)
class Timeline:
    """Seconds of copy and work of each chunk, and of copying each share back."""

    up: Sequence[float]
    work: Sequence[float]
    down: Sequence[float]

    @property
    def larger(self) -> float:
        """Longest of copies to the GPU, copies from it, and kernels."""
        return max(sum(self.up), sum(self.work), sum(self.down))

    @property
    def one_after_another(self) -> float:
        """Seconds without any overlap."""
        return sum(self.up) + sum(self.work) + sum(self.down)

    @property
    def seconds(self) -> float:
        """Seconds from the first copy to the last; see the formulas above."""
        # done[-2] exists for the first chunk too: the buffers start empty
        come, done = [0.0], [0.0, 0.0]
        for up, work in zip(self.up[:-1], self.work[:-1], strict=True):
            come.append(max(come[-1], done[-2]) + up)
            done.append(max(done[-1], come[-1]) + work)
        # The last chunk has no successor, so its work is divided into shares instead
        at = max(done[-1], max(come[-1], done[-2]) + self.up[-1])
        left = 0.0
        for down in self.down:
            at += self.work[-1] / len(self.down)
            left = max(left, at) + down
        return left


def timeline(scan: Scan, card: PublishedCard, back: UnitCost) -> Timeline:
    """Return the calculated times of a scan on a GPU.

    Parameters
    ----------
    scan
        views and volume
    card
        published properties of the GPU
    back
        counts of the back projection
    """
    n_rows, n_columns = scan.detector
    n_pixels, n_voxels = n_rows * n_columns, scan.size**3
    chunks = pieces(
        scan.n_views, views_of_chunk(scan.n_views, n_voxels, arriving_bytes=4 * n_pixels)
    )
    bus = OF_BUS * card.bus_gb_s * 1e9
    # Filters are limited by memory, back projection by textures
    memory = card.memory_gb_s * 1e9
    # 8 bytes per pixel and pass: a filtered row has twice the length
    per_view = n_voxels / (OF_LIMIT * back.limit(card)) + FILTER_PASSES * 4 * 2 * n_pixels / memory
    per_launch, n_at_once = 2 * 4 * n_voxels / memory, UNMEASURED_BACK.views_per_launch
    return Timeline(
        up=[4 * n_pixels * len(views) / bus for views in chunks],
        work=[per_view * len(views) + per_launch * -(-len(views) // n_at_once) for views in chunks],
        down=[4 * n_voxels / bus / SHARES_LEAVING] * SHARES_LEAVING,
    )


def table(counts: Sequence[UnitCost]) -> Table:
    """Return the table of all scans and GPUs.

    Parameters
    ----------
    counts
        counts of all kernels, with one for CT volumes from textures
    """
    # Exactly one: a renamed kernel must not give an empty table
    (back,) = (one for one in counts if one.work == _KERNEL)
    rows = [_row(scan, card, back) for scan in SCANS for card in CARDS]
    return Table(
        "FDK from host memory, calculated",
        (
            "scan",
            "GPU",
            "copies to GPU",
            "kernels",
            "copies back",
            "total",
            "total over larger part",
        ),
        rows,
        (
            "Calculated seconds from projections in host memory to the volume in host memory. "
            f"Copies run at {OF_BUS} of the published bus rate, and back projection at {OF_LIMIT} "
            f"of the limit above. Filters are {FILTER_PASSES} passes at the published memory rate. "
            "Each launch reads and writes the volume. The order of chunks is that of the program, "
            "which tests check. Reading files takes additional time, and so does a host that "
            "copies its own memory more slowly than the bus.",
        ),
    )


def page(counts: tuple[UnitCost, ...]) -> str:
    """Return all counts and calculated times as a Markdown page."""
    parts = [one.markdown() for one in (*tables(counts), table(counts))]
    return "\n".join(["# GPU kernel counts\n", *parts])


def _row(scan: Scan, card: PublishedCard, back: UnitCost) -> tuple[str, ...]:
    found = timeline(scan, card, back)
    parts = (sum(found.up), sum(found.work), sum(found.down), found.seconds)
    seconds = (f"{value:.3g}" for value in parts)
    return scan.name, card.name, *seconds, f"{found.seconds / found.larger:.2f}"
