"""The worker's part: project the events of a shard, and write integer sums to a file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from engine.core.arrays import to_host
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.jobs.shards.division import ShardKey, ShardOrder, ShardSums
from engine.jobs.shards.files import read_array, read_column, read_points, write_array
from engine.operators.rays import RayProjector, Rays
from engine.protocols.run_context.environment import program_version
from engine.recon.model.counts import log_sum_of
from engine.selftest import named

MAX_SHARDS = 4
"""Number of shards whose events a worker keeps; it gets more when other workers die."""


class CachedShard:
    """The events of a shard in memory, with a projector for each subset used so far."""

    def __init__(self, key: ShardKey, on: Backend) -> None:
        self._key, self._on = key, on
        self._starts = key.division.starts(key.shard)
        folder, n_rows = Path(key.folder), self._starts[-1]
        self._points = read_points(folder)
        self._crystals = read_column(folder, "crystals", key.shard, n_rows)
        self._rest = read_column(folder, "rest", key.shard, n_rows)
        self._bins = None if key.tof is None else read_column(folder, "bins", key.shard, n_rows)
        self._projectors: dict[int, RayProjector] = {}

    def sums(self, order: ShardOrder) -> ShardSums:
        """Return the sums of a subset for an image.

        Parameters
        ----------
        order
            subset and the name of the image file

        Returns
        -------
        sums
            name of the file with the sums, Σ log q, and the number of skipped events
        """
        key, k, folder = self._key, order.k, Path(self._key.folder)
        x = read_array(folder, order.image, "f4", key.grid.shape)
        # Making a projector uploads the rays; it is kept for the next update of this subset
        A = self._projectors[k] = self._projectors.get(k) or self._projector(k)
        rest = self._rest[self._rows(k)]
        # In units of the whole subset, not of this shard: the sums of all shards must be addable
        sums, expected = A.em_sums(x, rest, key.division.n_in_subset(k))
        log_sum, n_skipped = log_sum_of(to_host(expected), 1.0)
        return ShardSums(write_array(folder, f"sums-{key.shard}", sums), log_sum, n_skipped)

    def _projector(self, k: int) -> RayProjector:
        rows, key = self._rows(k), self._key
        bins = None if self._bins is None else self._bins[rows]
        rays = Rays(self._points, self._crystals[rows], bins)
        return RayProjector(rays, key.grid, on=self._on, tof=key.tof, reproducible=True)

    def _rows(self, k: int) -> slice:
        return slice(self._starts[k], self._starts[k + 1])


def sums_of(order: ShardOrder) -> ShardSums:
    """Project a subset of a shard in this process, a worker."""
    refuse_other_version(order.version)
    return _cached_shard(order.key, order.threads).sums(order)


def refuse_other_version(version: str | None) -> None:
    """Refuse a run of another version of the program."""
    if program_version() != version:
        raise ResourceError(
            f"A worker runs Isocenter {program_version()}, but the run was started with "
            f"{version}. Install the same version on all machines."
        )


def forget() -> None:
    """Delete the events of all runs from memory."""
    _cached_shard.cache_clear()


# The cache of the process is the memory of the worker: Dask passes no state between calls
@lru_cache(maxsize=MAX_SHARDS)
def _cached_shard(key: ShardKey, threads: int) -> CachedShard:
    return CachedShard(key, named("auto", threads))
