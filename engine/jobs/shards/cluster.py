"""Parts of a run on the workers of a Dask cluster, whoever of them dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from engine.core.errors import ResourceError, WorkersGoneError
from engine.jobs.dask_client import connected, leave, n_threads
from engine.jobs.shards.worker import forget

if TYPE_CHECKING:
    from distributed import Future

LOOK_S = 0.2
"""Between two looks at what the user wants, and whether a worker is left."""
AGAIN = 3
"""Times that a part is begun anew which Dask gave up, after four workers that died with it: where
workers die for other reasons it may be done all the same."""
PATIENCE_S = 30.0
"""Time without any worker, or without scheduler, after which a run rests."""


class PartOrder(Protocol):
    """What a worker is asked for."""

    @property
    def part(self) -> int:
        """Number of the part of the run, from 0."""

    @property
    def n_parts(self) -> int:
        """Parts of the run."""


Order = TypeVar("Order", bound=PartOrder)
Answer = TypeVar("Answer")


class DaskWorkers:
    """The workers of a cluster.

    Parameters
    ----------
    address
        of the scheduler, as tcp://host:8786 or tls://host:8786
    patience_s
        how long to wait for a first worker, or the next one when the last has gone [s]
    """

    def __init__(self, address: str, *, patience_s: float = PATIENCE_S) -> None:
        self._address, self._patience_s = address, patience_s
        self._client = connected(address)
        # of each part the worker that did it last, and may have its data in memory
        self._homes: dict[int, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # a courtesy; whoever is gone has forgotten
            self._client.run(_forget, wait=False)
        leave(self._client)

    @property
    def n_threads(self) -> int:
        """How many parts they work on at a time."""
        return n_threads(self._client)

    def answers(
        self,
        work: Callable[[Order], Answer],
        orders: Sequence[Order],
        on_look: Callable[[], None],
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each order and its answer, as they come.

        Parameters
        ----------
        work
            done by a worker, at the top of a module
        orders
            what it is called with
        on_look
            called several times a second meanwhile, and may raise to stop

        Raises
        ------
        WorkersGoneError
            when no worker has been there for some time
        ResourceError
            where a part has taken one worker after the other with it
        EngineError
            what a worker found wrong
        """
        ended: SimpleQueue[Future] = SimpleQueue()
        futures: list[Future] = []
        numbers: dict[str, int] = {}
        deaths = [0] * len(orders)

        def begin(i: int) -> None:
            future = self._submit(work, orders[i])
            futures.append(future)
            numbers[future.key] = i
            future.add_done_callback(ended.put)

        for i in range(len(orders)):
            begin(i)
        seen_at = monotonic()
        try:
            while numbers:
                try:
                    future = ended.get(timeout=LOOK_S)
                except Empty:
                    seen_at = self._seen(seen_at)
                    on_look()
                    continue
                i, seen_at = numbers.pop(future.key), monotonic()
                if _has_killed(future) and deaths[i] < AGAIN:
                    deaths[i] += 1
                    begin(i)
                    continue
                self._raise_fault(future, orders[i])
                self._homes[orders[i].part], found = future.result()
                yield i, found
                on_look()
        finally:
            for future in futures:
                future.release()  # those that have not begun never will

    def _submit(self, work: Callable[[Order], Answer], order: Order) -> Future:
        home = self._homes.get(order.part)
        preferred = {"workers": [home], "allow_other_workers": True} if home else {}
        return self._client.submit(_here, work, order, pure=False, retries=0, **preferred)

    def _raise_fault(self, future: Future, order: PartOrder) -> None:
        if future.status in ("cancelled", "lost"):  # the scheduler went
            raise self._gone("its scheduler has ended or lost the run")
        fault = future.exception()
        if _has_killed(future):
            raise ResourceError(
                f"part {order.part + 1} of {order.n_parts} has taken one worker after the other "
                "with it; give workers more memory, or divide the run into more parts."
            )
        if fault is not None:
            raise fault

    def _seen(self, seen_at: float) -> float:
        """Return when a worker was there last; raise when that is too long ago."""
        if self.n_threads:
            return monotonic()
        if monotonic() - seen_at > self._patience_s:
            raise self._gone(f"no worker has been there for {self._patience_s:.0f} s")
        return seen_at

    def _gone(self, what: str) -> WorkersGoneError:
        return WorkersGoneError(
            f"{self._address}: {what}; the run rests at its last checkpoint and goes on from there "
            "once there are workers again."
        )


def _has_killed(future: Future) -> bool:
    """Whether so many workers have died with a part in their hands that Dask gave it up."""
    if future.status != "error":
        return False
    return type(future.exception()).__name__ == "KilledWorker"


async def _forget() -> None:
    """Let go of what a worker holds; a coroutine, since nobody waits for it."""
    forget()


def _here(work: Callable[[Order], Answer], order: Order) -> tuple[str, Answer]:
    """Do a part, and say where."""
    from distributed import get_worker

    return get_worker().address, work(order)
