"""Divide events into shards, and define the messages to and from workers.

Shard s of N has the events k + B s, k + B (s + N), k + B (s + 2 N), ... of subset k of B. These are
a representative part of the subset, since neighbours in the list are neighbours in space.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins


@dataclass(frozen=True)
class Division:
    """Division of a list of events.

    Attributes
    ----------
    n_events : number of events
    n_subsets : B, number of subsets
    n_shards : N, number of shards
    """

    n_events: int
    n_subsets: int
    n_shards: int

    @property
    def step(self) -> int:
        """Distance in the list between two events of a shard's subset."""
        return self.n_subsets * self.n_shards

    def first(self, shard: int, k: int) -> int:
        """Return the first event of subset `k` in a shard."""
        return k + self.n_subsets * shard

    def n_rows(self, shard: int, k: int) -> int:
        """Return the number of events of subset `k` in a shard."""
        return len(range(self.first(shard, k), self.n_events, self.step))

    def n_in_subset(self, k: int) -> int:
        """Return the number of events of subset `k` in all shards."""
        return len(range(k, self.n_events, self.n_subsets))

    def starts(self, shard: int) -> list[int]:
        """Return the rows at which the subsets of a shard start in its file.

        Parameters
        ----------
        shard
            number of the shard, from 0

        Returns
        -------
        starts
            n_subsets + 1 row numbers; the last one is the number of rows
        """
        starts = [0]
        for k in range(self.n_subsets):
            starts.append(starts[-1] + self.n_rows(shard, k))
        return starts


@dataclass(frozen=True)
class ShardKey:
    """Data that a worker keeps from one update to the next.

    Attributes
    ----------
    folder : folder with the files of the run
    shard : number of the shard
    division : division of the events
    grid : grid of the image
    tof : TOF bins of the scanner, None without time of flight
    """

    folder: str
    shard: int
    division: Division
    grid: ImageGrid
    tof: TofBins | None


@dataclass(frozen=True)
class ShardOrder:
    """Order for a part of an update.

    Attributes
    ----------
    key : the shard
    k : number of the subset
    image : name of the image file
    version : version of the program; a worker of another version refuses
    threads : CPU threads
    """

    key: ShardKey
    k: int
    image: str
    version: str | None
    threads: int

    @property
    def part(self) -> int:
        """Number of the part of the run, from 0."""
        return self.key.shard

    @property
    def n_parts(self) -> int:
        """Number of parts of the run."""
        return self.key.division.n_shards


@dataclass(frozen=True)
class ShardSums:
    """Answer to a `ShardOrder`.

    Attributes
    ----------
    file : name of the file with the sums
    log_sum : Σ log q of its events
    n_skipped : number of events without an expected value
    """

    file: str
    log_sum: float
    n_skipped: int
