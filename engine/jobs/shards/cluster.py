"""Run parts of a reconstruction on the workers of a Dask cluster, even if workers die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from engine.core.errors import ResourceError, WorkersLostError
from engine.jobs.dask_client import connected, leave, n_threads, transfer_of
from engine.jobs.shards.worker import forget

if TYPE_CHECKING:
    from distributed import Future

POLL_S = 0.2
"""Interval of checks for a stop, and for remaining workers."""
AGAIN = 3
"""Restarts of a part that Dask gave up after four workers died with it. If they died for other
reasons, the part may still succeed.
"""
PATIENCE_S = 30.0
"""Time without workers, or without scheduler, after which a run rests."""
PAUSED = "The run is paused at its last checkpoint, and continues when workers are available."


class PartOrder(Protocol):
    """Instructions for a worker."""

    @property
    def part(self) -> int:
        """Number of the part, from 0."""

    @property
    def n_parts(self) -> int:
        """Number of parts of the run."""


Order = TypeVar("Order", bound=PartOrder)
Answer = TypeVar("Answer")


class DaskWorkers:
    """The workers of a cluster.

    Parameters
    ----------
    address
        address of the scheduler, such as tcp://host:8786 or tls://host:8786
    patience_s
        longest wait for a first worker, or for the next one when the last is lost [s]
    """

    def __init__(self, address: str, *, patience_s: float = PATIENCE_S) -> None:
        self._address, self._worker_timeout_s = address, patience_s
        self._client = connected(address)
        # the last worker of each part, which can still have its data in memory
        self._homes: dict[int, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # optional: a dead worker has no data
            self._client.run(_forget, wait=False)
        leave(self._client)

    @property
    def n_threads(self) -> int:
        """Number of parts that can run at a time."""
        return n_threads(self._client)

    def answers(
        self,
        work: Callable[[Order], Answer],
        orders: Sequence[Order],
        on_poll: Callable[[], None],
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the number and the answer of each order, in the order of completion.

        Parameters
        ----------
        work
            function at the top level of a module, called by a worker
        orders
            its arguments
        on_poll
            called several times a second, and may raise to stop

        Raises
        ------
        WorkersLostError
            if no worker has been available for `patience_s`, or the scheduler has ended
        ResourceError
            if workers die with the same part again and again
        EngineError
            the error of a worker
        """
        # Dask calls the callback in a thread of its own, so the answers pass through a queue
        ended: SimpleQueue[Future] = SimpleQueue()
        futures: list[Future] = []
        numbers: dict[str, int] = {}
        deaths = [0] * len(orders)

        # One future per attempt; `numbers` contains those that are still open
        def begin(i: int) -> None:
            future = self._submit(work, orders[i])
            futures.append(future)
            numbers[future.key] = i
            future.add_done_callback(ended.put)

        for i in range(len(orders)):
            begin(i)
        seen_at = monotonic()

        def check() -> None:
            nonlocal seen_at
            seen_at = self._last_available(seen_at)
            on_poll()

        try:
            while numbers:
                try:
                    # A short timeout instead of a blocking wait: the user's stop must be heard
                    future = ended.get(timeout=POLL_S)
                except Empty:
                    check()
                    continue
                i = numbers.pop(future.key)
                if future.status == "lost":  # the worker died with the answer in its memory
                    future.release()  # Dask would compute it again, but does not report the end
                    begin(i)
                    continue
                if _has_killed(future) and deaths[i] < AGAIN:
                    deaths[i] += 1
                    begin(i)
                    continue
                self._raise_fault(future, orders[i])
                answer = self._received(future, check)
                if answer is None:  # the worker is dying, and the status is or will be "lost"
                    numbers[future.key] = i
                    ended.put(future)
                    check()
                    continue
                # The next update of this part goes to the same worker, which has its events in
                # memory
                self._homes[orders[i].part], found = answer
                seen_at = monotonic()
                yield i, found
                on_poll()
        finally:
            for future in futures:
                future.release()  # also cancels parts that have not started

    def _submit(self, work: Callable[[Order], Answer], order: Order) -> Future:
        home = self._homes.get(order.part)
        # Only a preference: a lost worker must not stop the part
        preferred = {"workers": [home], "allow_other_workers": True} if home else {}
        return self._client.submit(_here, work, order, pure=False, retries=0, **preferred)

    def _received(self, future: Future, check: Callable[[], None]) -> Any:
        """Return a complete answer once it has arrived; None if its worker has died before.

        A large image can take longer than any fixed time, so one transfer continues meanwhile.
        """
        transfer = transfer_of(self._client, future)
        try:
            while future.status == "finished":
                if wait([transfer], POLL_S).done:
                    with suppress(TimeoutError):  # of a connection; the next attempt is a new one
                        return transfer.result()
                    break
                check()
        finally:
            transfer.cancel()
        return None

    def _raise_fault(self, future: Future, order: PartOrder) -> None:
        if future.status == "cancelled":  # the scheduler has ended
            raise WorkersLostError(
                f"{self._address}: the scheduler has stopped, or has lost the run. {PAUSED}"
            )
        # Otherwise a future that is lost now would wait until Dask has computed it again
        fault = future.exception() if future.status == "error" else None
        if _has_killed(future):
            raise ResourceError(
                f"Part {order.part + 1} of {order.n_parts} crashed several workers in a row. "
                "Give the workers more memory, or divide the run into more parts."
            )
        if fault is not None:
            raise fault

    def _last_available(self, seen_at: float) -> float:
        """Return when a worker was last available; raise if that is too long ago."""
        if self.n_threads:
            return monotonic()
        if monotonic() - seen_at > self._worker_timeout_s:
            raise WorkersLostError(
                f"{self._address}: no worker was available for {self._worker_timeout_s:.0f} s. "
                f"{PAUSED}"
            )
        return seen_at


def _has_killed(future: Future) -> bool:
    """Return True if Dask gave up a part, because several workers died with it."""
    if future.status != "error":
        return False
    # By name: importing the class would load Dask on every machine
    return type(future.exception()).__name__ == "KilledWorker"


async def _forget() -> None:
    """Delete the data that a worker stores; a coroutine, since the caller does not wait."""
    forget()


def _here(work: Callable[[Order], Answer], order: Order) -> tuple[str, Answer]:
    """Do a part, and return the worker's address too."""
    from distributed import get_worker

    return get_worker().address, work(order)
