"""Dask workers on this machine, and files that they leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.core.paths import cache_dir

if TYPE_CHECKING:
    from distributed import LocalCluster


@contextmanager
def cluster(n_workers: int, *, processes: bool = False) -> Iterator[LocalCluster]:
    """Workers of one thread each; in this process, where theirs need not be killed."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=None,
        protocol="tcp",
    ) as made:
        yield made


def shards_left() -> list[str]:
    """Return the names of parts of studies that were not removed."""
    return [path.name for path in (cache_dir() / "shards").iterdir()]
