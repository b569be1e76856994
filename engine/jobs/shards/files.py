"""Files with events, images and sums for a run and its workers.

They are in a folder of the cache whose name identifies the owner, so that files of a killed run are
removed later. Each file is written once by one process, and its name is sent only when it is whole.
Network file systems guarantee that other machines then see all of it.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.core.paths import cache_dir, made
from engine.data.runs.sharding import TracedEvents
from engine.data.storage.columns import pieces
from engine.io.safety.locks import locked_part, part_name, sweep_parts
from engine.jobs.shards.division import Division

OWNER_ONLY = 0o700
POINTS = "points"
COLUMNS: dict[str, DTypeLike] = {"crystals": np.int32, "bins": np.int16, "rest": np.float32}
MORE_SPACE = (
    "Free space there, or set ISOCENTER_HOME to a folder on a larger disk that all machines see."
)
OTHER_DISK = "Use a file system that shows a closed file to all machines."


@contextmanager
def shared_folder() -> Iterator[Path]:
    """Make a folder for the files of a run, and remove it at the end."""
    cache = made(cache_dir() / "shards")
    # Folders of killed runs can have the size of a whole list mode
    sweep_parts(cache)
    folder = made(cache / part_name("run"), mode=OWNER_ONLY)
    with locked_part(folder):
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def write_events(folder: Path, events: TracedEvents, division: Division) -> None:
    """Write the events of each shard, subset by subset.

    Parameters
    ----------
    folder
        folder from `shared_folder`
    events
        corrected events
    division
        division of the events

    Raises
    ------
    ResourceError
        if the disk has too little space
    """
    columns: dict[str, Array] = {"crystals": events.crystals, "rest": events.background}
    if events.tof_bins is not None:
        columns["bins"] = events.tof_bins
    # Tested first: some file systems report a full disk only when the file is closed
    needed = sum(column.size * np.dtype(COLUMNS[name]).itemsize for name, column in columns.items())
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ResourceError(
            f"{folder.parent}: the files for the workers need {needed / 2**30:.1f} GiB, but only "
            f"{free / 2**30:.1f} GiB are free on this disk. {MORE_SPACE}"
        )
    try:
        np.ascontiguousarray(events.points_mm, np.float64).tofile(folder / POINTS)
        for name, column in columns.items():
            _write_column(folder, name, column, division)
    except OSError as e:
        raise _not_written(folder, e) from e


def _write_column(folder: Path, name: str, column: Array, division: Division) -> None:
    """Write a column in one pass, since it may itself be in a file."""
    n_bytes = int(np.prod(column.shape[1:], dtype=int)) * np.dtype(COLUMNS[name]).itemsize
    n_subsets, step = division.n_subsets, division.step
    places = [division.starts(shard) for shard in range(division.n_shards)]
    with ExitStack() as stack:
        # All shards are open at once, so the column is read only once
        files = [
            stack.enter_context((folder / f"{name}-{shard}").open("wb"))
            for shard in range(division.n_shards)
        ]
        for rows in pieces(len(column)):
            part = np.ascontiguousarray(column[rows], COLUMNS[name])
            for offset in range(step):
                shard, k = divmod(offset, n_subsets)
                chosen = part[(offset - rows.start) % step :: step]
                # The subsets of a shard are contiguous in its file, and grow in parallel
                files[shard].seek(places[shard][k] * n_bytes)
                files[shard].write(np.ascontiguousarray(chosen).data)
                places[shard][k] += len(chosen)


def read_points(folder: Path) -> NDArray[np.float64]:
    """Return the positions of the crystals, (n_crystals, 3) [mm]."""
    return _read(folder / POINTS, np.float64).reshape(-1, 3)


def read_column(folder: Path, name: str, shard: int, n_rows: int) -> Array:
    """Return a column of a shard, read-only.

    Parameters
    ----------
    folder
        folder of the run
    name
        key of `COLUMNS`
    shard
        number of the shard, from 0
    n_rows
        expected number of rows

    Returns
    -------
    column
        (n_rows,), or (n_rows, 2) for crystals

    Raises
    ------
    ResourceError
        if the file is not visible on this machine, or has another length
    """
    column = _read(folder / f"{name}-{shard}", COLUMNS[name])
    column = column.reshape(-1, 2) if name == "crystals" else column
    if len(column) != n_rows:
        raise ResourceError(
            f"{folder / f'{name}-{shard}'}: the file has {len(column)} rows, expected {n_rows}. "
            f"{OTHER_DISK}"
        )
    # Several updates use the same rows, and a worker must not change them
    column.flags.writeable = False
    return column


def write_array(folder: Path, name: str, values: Array) -> str:
    """Write an array to a new file, and return the file's name.

    Parameters
    ----------
    folder
        folder of the run
    name
        start of the file's name
    values
        array of any type and shape
    """
    # A new name for each write: a network file system may cache an old file of the same name
    path = folder / f"{name}-{secrets.token_hex(6)}"
    try:
        np.ascontiguousarray(values).tofile(path)
    except OSError as e:
        raise _not_written(folder, e) from e
    return path.name


def read_array(folder: Path, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Read an array from `write_array`.

    Parameters
    ----------
    folder
        folder of the run
    name
        full name of the file
    dtype, shape
        type and shape of the array

    Raises
    ------
    ResourceError
        if the file is not visible on this machine, or has another size
    """
    values = _read(folder / name, dtype)
    if values.size != np.prod(shape, dtype=int):
        raise ResourceError(
            f"{folder / name}: the file has {values.size} values, expected the shape {shape}. "
            f"{OTHER_DISK}"
        )
    return values.reshape(shape)


def mapped_array(folder: Path, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Map an array from `write_array` that may exceed the memory.

    Parameters
    ----------
    folder
        folder of the run
    name
        full name of the file
    dtype, shape
        type and shape of the array

    Returns
    -------
    values
        read-only memory map
    """
    path = folder / name
    try:
        n_bytes = path.stat().st_size
        wanted = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if n_bytes != wanted:
            raise ResourceError(
                f"{path}: the file has {n_bytes} bytes, expected {wanted}. {OTHER_DISK}"
            )
        return np.memmap(path, dtype, "r", shape=shape)
    except OSError as e:
        raise _unseen(path, e) from e


def _read(path: Path, dtype: DTypeLike) -> Array:
    try:
        return np.fromfile(path, dtype)
    except OSError as e:
        raise _unseen(path, e) from e


def _unseen(path: Path, e: OSError) -> ResourceError:
    return ResourceError(
        f"{path}: a worker cannot read this file of the run ({e.strerror or e}). Give "
        "all machines the same ISOCENTER_HOME, a folder that all of them can access."
    )


def _not_written(folder: Path, e: OSError) -> ResourceError:
    return ResourceError(
        f"{folder.parent}: the files for the workers cannot be written ({e.strerror or e}). "
        f"{MORE_SPACE}"
    )
