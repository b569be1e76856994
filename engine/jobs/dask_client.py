"""Connect to a Dask cluster."""

from __future__ import annotations

from asyncio import run_coroutine_threadsafe
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.core.errors import ResourceError

if TYPE_CHECKING:
    from concurrent.futures import Future as Transfer

    from distributed import Client, Future

CONNECT_S = 10.0


def connected(address: str) -> Client:
    """Return a client of a Dask scheduler.

    Parameters
    ----------
    address
        address of the scheduler, such as tcp://host:8786 or tls://host:8786

    Raises
    ------
    ResourceError
        if Dask is not installed, or no scheduler answers within `CONNECT_S`
    """
    try:
        from distributed import Client
    except ImportError as e:
        raise ResourceError(
            "Dask is not installed. Install it with `pip install 'isocenter[dask]'`."
        ) from e
    try:
        # Not the default client: other code of the user may work with a Dask cluster too
        return Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, MemoryError) as e:  # Dask may read any bytes as a length
        raise ResourceError(
            f"{address}: no Dask scheduler responds. Start one with `dask scheduler`, "
            "or remove --scheduler."
        ) from e


def transfer_of(client: Client, future: Future) -> Transfer[Any]:
    """Begin to receive the answer of a worker, without waiting for it.

    An answer can take longer than any fixed time, so a caller waits for this one transfer. After a
    timeout of `Future.result`, the next call begins again from the start.

    Parameters
    ----------
    client
        client from `connected`
    future
        complete task

    Returns
    -------
    transfer
        future of this process; cancel it if the answer is not needed any more
    """
    answer = client.gather(future, asynchronous=True)
    return run_coroutine_threadsafe(answer, client.loop.asyncio_loop)


def n_threads(client: Client) -> int:
    """Return the number of threads of all workers.

    Parameters
    ----------
    client
        client from `connected`

    Returns
    -------
    n_threads
        0 without workers, or while the scheduler does not answer
    """
    if client.status != "running":
        return 0
    try:
        return sum(client.nthreads().values())
    except (OSError, TimeoutError):
        return 0


def leave(client: Client) -> None:
    """Close the client. The cluster itself keeps running."""
    with suppress(OSError, TimeoutError):
        client.close()
