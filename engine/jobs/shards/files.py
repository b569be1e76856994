"""The files through which a run and its workers hand events, images and sums to each other.

They lie in a folder of the cache under a name that says whose it is, so that what a killed run
leaves is swept. Nobody shares a file with another: each is written once, and its name is told when
it is whole, which is what network file systems promise to show.
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
from engine.io.safety.dead_parts import held, part_name, sweep_parts
from engine.jobs.shards.division import Division

OWNER_ONLY = 0o700
POINTS = "points"
COLUMNS: dict[str, DTypeLike] = {"crystals": np.int32, "bins": np.int16, "rest": np.float32}


@contextmanager
def shared_folder() -> Iterator[Path]:
    """Make a folder for the files of a run, and remove it at the end."""
    cache = made(cache_dir() / "shards")
    sweep_parts(cache)
    folder = made(cache / part_name("run"), mode=OWNER_ONLY)
    with held(folder):
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def write_events(folder: Path, events: TracedEvents, division: Division) -> None:
    """Write the events of each shard, those of a subset one after the other."""
    columns: dict[str, Array] = {"crystals": events.crystals, "rest": events.background}
    if events.tof_bins is not None:
        columns["bins"] = events.tof_bins
    needed = sum(column.size * np.dtype(COLUMNS[name]).itemsize for name, column in columns.items())
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise _no_room(folder, f"{needed / 2**30:.1f} GiB wanted, {free / 2**30:.1f} GiB free")
    try:
        np.ascontiguousarray(events.points_mm, np.float64).tofile(folder / POINTS)
        for name, column in columns.items():
            _write_column(folder, name, column, division)
    except OSError as e:
        raise _no_room(folder, str(e.strerror or e)) from e


def _write_column(folder: Path, name: str, column: Array, division: Division) -> None:
    """Go through a column once, since it may lie in a file itself."""
    n_bytes = int(np.prod(column.shape[1:], dtype=int)) * np.dtype(COLUMNS[name]).itemsize
    n_subsets, step = division.n_subsets, division.step
    places = [division.starts(shard) for shard in range(division.n_shards)]
    with ExitStack() as stack:
        files = [
            stack.enter_context((folder / f"{name}-{shard}").open("wb"))
            for shard in range(division.n_shards)
        ]
        for rows in pieces(len(column)):
            part = np.ascontiguousarray(column[rows], COLUMNS[name])
            for offset in range(step):
                shard, k = divmod(offset, n_subsets)
                chosen = part[(offset - rows.start) % step :: step]
                files[shard].seek(places[shard][k] * n_bytes)
                files[shard].write(np.ascontiguousarray(chosen).data)
                places[shard][k] += len(chosen)


def read_points(folder: Path) -> NDArray[np.float64]:
    """(m, 3) where the crystals are [mm]."""
    return _read(folder / POINTS, np.float64).reshape(-1, 3)


def read_column(folder: Path, name: str, shard: int, n_rows: int) -> Array:
    """(n_rows, ...) a column of a shard, which nobody may change."""
    column = _read(folder / f"{name}-{shard}", COLUMNS[name])
    column = column.reshape(-1, 2) if name == "crystals" else column
    if len(column) != n_rows:
        raise _not_whole(folder / f"{name}-{shard}", f"{len(column)} rows, {n_rows} wanted")
    column.flags.writeable = False
    return column


def write_array(folder: Path, name: str, values: Array) -> str:
    """Write an array under a name that begins so; return it."""
    path = folder / f"{name}-{secrets.token_hex(6)}"
    try:
        np.ascontiguousarray(values).tofile(path)
    except OSError as e:
        raise _no_room(folder, str(e.strerror or e)) from e
    return path.name


def read_array(folder: Path, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Read an array that was written under a name."""
    values = _read(folder / name, dtype)
    if values.size != np.prod(shape, dtype=int):
        raise _not_whole(folder / name, f"{values.size} values, {shape} wanted")
    return values.reshape(shape)


def mapped_array(folder: Path, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Map an array that was written under a name, and that memory may not hold."""
    path = folder / name
    try:
        n_bytes = path.stat().st_size
        if n_bytes != np.prod(shape, dtype=np.int64) * np.dtype(dtype).itemsize:
            raise _not_whole(path, f"{n_bytes} bytes")
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
        f"{path}: a worker cannot read what the run has written there ({e.strerror or e}); give "
        "all machines the same ISOCENTER_HOME, a folder that all of them see."
    )


def _not_whole(path: Path, what: str) -> ResourceError:
    return ResourceError(
        f"{path}: not whole ({what}); use a file system that shows a closed file to all machines."
    )


def _no_room(folder: Path, why: str) -> ResourceError:
    return ResourceError(
        f"{folder.parent}: the files of the shards cannot be written ({why}); make room there, or "
        "set ISOCENTER_HOME to a folder on a larger disk that all machines see."
    )
