"""Slabs of an FDK volume, each made by a worker and stored in a separate file.

The filtered projections are written once. A worker maps the file and reads the rows that its slab
uses. The main process joins the slabs in order, so that a checkpoint contains all of them up to
one.
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
    """Order for one slab.

    Attributes
    ----------
    folder, values : folder and name of the file of projections
    shape : (n_views, n_rows, n_columns)
    made_from : function that makes slabs from the projections
    slices : slices of the slab
    version : version of the program; a worker of another version refuses
    threads : CPU threads
    part, n_parts : number of the slab from 0, and number of slabs
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
    """Let workers make the slabs, and yield them in order.

    Parameters
    ----------
    workers
        workers of the cluster
    folder
        folder for the files, visible to all machines
    threads
        CPU threads for a slab
    projected
        prepared projections and the slices of each slab
    on_rows
        called while waiting; may raise to stop

    Yields
    ------
    slab
        values, (n, n_y, n_x)
    """
    values = write_array(folder, "values", projected.values)
    n_parts, version = len(projected.slabs), program_version()
    orders = [
        SlabOrder(
            str(folder), values, projected.values.shape, projected.made_from, slices, version,
            threads, part, n_parts,
        )
        for part, slices in enumerate(projected.slabs)
    ]  # fmt: skip

    def on_poll() -> None:
        if on_rows is not None:
            on_rows(0, 1)  # a slab reports no progress, but the call can stop the run

    files: dict[int, str] = {}
    n_joined = 0
    for part, file in workers.answers(slab_of, orders, on_poll):
        # Workers finish in any order, but a checkpoint covers the first slabs only
        files[part] = file
        while n_joined in files:  # a later slab waits in its file
            name, n = files.pop(n_joined), len(projected.slabs[n_joined])
            yield read_array(folder, name, np.float32, (n, *projected.slice_shape))
            (folder / name).unlink(missing_ok=True)
            n_joined += 1
