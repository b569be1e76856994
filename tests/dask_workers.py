"""Dask workers on this machine, and the files that they leave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.core.paths import cache_dir

if TYPE_CHECKING:
    from distributed import LocalCluster


@contextmanager
def cluster(n_workers: int, *, processes: bool = False) -> Iterator[LocalCluster]:
    """Start workers of one thread each, in this process unless they must be killed."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=None,
        protocol="tcp",
    ) as running:
        yield running


def shards_left() -> list[str]:
    """Return the names of partial studies that were not removed."""
    return [path.name for path in (cache_dir() / "shards").iterdir()]
