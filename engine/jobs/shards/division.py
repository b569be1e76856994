"""Which events are those of a shard, and what its worker is asked and answers.

Shard s of N has of subset k of B the events k + B s, k + B (s + N), k + B (s + 2 N), ...: a fair
part of every subset, since neighbours in the list are neighbours in space.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins


@dataclass(frozen=True)
class Division:
    """How a list of events is divided.

    Attributes
    ----------
    n_events : in the list
    n_subsets : B
    n_shards : N
    """

    n_events: int
    n_subsets: int
    n_shards: int

    @property
    def step(self) -> int:
        """Events of the list from one of a shard's subset to the next."""
        return self.n_subsets * self.n_shards

    def first(self, shard: int, k: int) -> int:
        """Return the first event of a shard's subset."""
        return k + self.n_subsets * shard

    def n_rows(self, shard: int, k: int) -> int:
        """Return the number of events of a shard's subset."""
        return len(range(self.first(shard, k), self.n_events, self.step))

    def n_in_subset(self, k: int) -> int:
        """Return the number of events of a subset, in all shards."""
        return len(range(k, self.n_events, self.n_subsets))

    def starts(self, shard: int) -> list[int]:
        """Return where in the file of a shard its subsets begin; the end comes last."""
        starts = [0]
        for k in range(self.n_subsets):
            starts.append(starts[-1] + self.n_rows(shard, k))
        return starts


@dataclass(frozen=True)
class ShardKey:
    """What a worker holds of a run from one update to the next.

    Attributes
    ----------
    folder : where the files of the run lie
    shard : number of the shard
    division : of the events
    grid : the image
    tof : bins of the scanner, None without time of flight
    """

    folder: str
    shard: int
    division: Division
    grid: ImageGrid
    tof: TofBins | None


@dataclass(frozen=True)
class ShardOrder:
    """A part of an update.

    Attributes
    ----------
    key : the shard
    k : the subset
    image : name of the file of the image
    version : of the program; sums of another one are not added
    threads : that trace
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
        """Parts of the run."""
        return self.key.division.n_shards


@dataclass(frozen=True)
class ShardSums:
    """What came of it.

    Attributes
    ----------
    file : name of the file of the sums
    log_sum : Σ log q of its events
    n_skipped : events that expect nothing
    """

    file: str
    log_sum: float
    n_skipped: int
