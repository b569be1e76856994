"""The door to a Dask cluster."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from engine.core.errors import ResourceError

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10.0


def connected(address: str) -> Client:
    """Return a client of the scheduler at an address, as tcp://host:8786 or tls://host:8786.

    Raises
    ------
    ResourceError
        without the library, or where no scheduler answers
    """
    try:
        from distributed import Client
    except ImportError as e:
        raise ResourceError(
            "Dask is not installed; `pip install 'isocenter[dask]'` adds it."
        ) from e
    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, MemoryError) as e:  # the last: it takes any bytes for lengths
        raise ResourceError(
            f"{address}: no Dask scheduler answers there; start one (`dask scheduler`), or "
            "leave --scheduler out."
        ) from e


def n_threads(client: Client) -> int:
    """Return how many threads the workers have together; none while the scheduler is away."""
    if client.status != "running":
        return 0
    try:
        return sum(client.nthreads().values())
    except (OSError, TimeoutError):
        return 0


def leave(client: Client) -> None:
    """Leave the cluster as it is."""
    with suppress(OSError, TimeoutError):
        client.close()
