"""Slabs of a volume that is projected back, each made by a worker and left in a file of its own.

Prepared projections are written once; a worker maps the file and reads the rows that see its slab.
Whoever runs the study joins the slabs in order, so that a checkpoint holds all up to one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.data.runs.sharding import OfSlices, OnRows, ProjectedSlabs
from engine.jobs.shards.cluster import DaskWorkers
from engine.jobs.shards.files import mapped_array, read_array, write_array
from engine.jobs.shards.worker import refuse_other_version
from engine.protocols.run_context.environment import program_version


@dataclass(frozen=True, eq=False)
class SlabOrder:
    """A slab to be made.

    Attributes
    ----------
    folder, values : where the projections lie
    shape : (n_views, n_rows, n_columns)
    made_from : makes slabs of the projections
    slices : of the slab
    version : of the program; slabs of another one are not joined
    threads : of the processor
    part, n_parts : number of the slab, and how many there are
    """

    folder: str
    values: str
    shape: tuple[int, ...]
    made_from: Callable[[Array, int], OfSlices]
    slices: range
    version: str | None
    threads: int
    part: int
    n_parts: int


def slab_of(order: SlabOrder) -> str:
    """Make a slab in this process, a worker; return the name of its file."""
    refuse_other_version(order.version)
    folder = Path(order.folder)
    values = mapped_array(folder, order.values, np.float32, order.shape)
    slab = order.made_from(values, order.threads)(order.slices)
    return write_array(folder, f"slab-{order.part}", np.asarray(slab, np.float32))


def shared_slabs(
    workers: DaskWorkers,
    folder: Path,
    threads: int,
    projected: ProjectedSlabs,
    on_rows: OnRows | None,
) -> Iterator[Array]:
    """Have workers make the slabs, and yield their values (n, n_y, n_x) in order."""
    values = write_array(folder, "values", projected.values)
    n_parts, version = len(projected.slabs), program_version()
    orders = [
        SlabOrder(
            str(folder), values, projected.values.shape, projected.made_from, slices, version,
            threads, part, n_parts,
        )
        for part, slices in enumerate(projected.slabs)
    ]  # fmt: skip

    def on_look() -> None:
        if on_rows is not None:
            on_rows(0, 1)  # how far a slab is nobody knows; a stop is heard

    files: dict[int, str] = {}
    n_joined = 0
    for part, file in workers.answers(slab_of, orders, on_look):
        files[part] = file
        while n_joined in files:  # a later one waits in its file
            name, n = files.pop(n_joined), len(projected.slabs[n_joined])
            yield read_array(folder, name, np.float32, (n, *projected.slice_shape))
            (folder / name).unlink(missing_ok=True)
            n_joined += 1
