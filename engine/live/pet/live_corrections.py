"""Corrections of a running scan: those that are known of every line before it ends.

What multiplies lines (normalisation, geometry, attenuation) is the same from the first event on.
Randoms are expected as delayeds have come so far: σ_i σ_j for all of the frame until now
(`engine.corrections.randoms`), with σ estimated anew whenever delayeds have doubled, and
r ← r · (delayeds now) / (delayeds then) in between. Scatter, the resolution and units want the
whole scan, and are left to the ordinary run.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.corrections.base import Multiplicative
from engine.corrections.randoms import Randoms
from engine.data.listmode import ListMode
from engine.geometry.scanner import pair_product
from engine.live.pet.event_store import EventStore
from engine.modalities.listmode_pet.model import without_tof
from engine.modalities.listmode_pet.protocol import ListModeProtocol

LEAST_DELAYEDS = 10_000
"""From so many on randoms are estimated."""
MOST_DELAYEDS = 1_000_000
"""Looked at together."""


class LiveCorrections:
    """What is known of the lines of a running scan.

    Parameters
    ----------
    head : the scan without its events, with what the source and the user brought
    protocol : says what to correct
    on : device and threads

    Attributes
    ----------
    head : with the factors of its lines
    applied, left_out : kinds of the corrections, and titles of those left to the ordinary run
    randoms : how randoms are estimated, None where they are not

    Raises
    ------
    DataError
        where the protocol insists on what the scan does not allow
    """

    def __init__(self, head: ListMode, protocol: ListModeProtocol, *, on: Backend) -> None:
        self._on = on
        self.applied: list[str] = []
        self.left_out: list[str] = []
        self.randoms: Randoms | None = None
        head = head if protocol.time_of_flight else without_tof(head)
        for step in protocol.corrections.steps():
            if step.use == "off":
                continue
            if isinstance(step, Randoms):
                if head.delayed is not None:
                    self.randoms = step
                    self.applied.append(step.kind)
                continue
            obstacle = step.obstacle(head)
            if obstacle is not None and step.use == "on" and isinstance(step, Multiplicative):
                raise DataError(f"{step.title} correction is switched on, but {obstacle}.")
            if obstacle is None and isinstance(step, Multiplicative):
                head = step.apply(head, on=on)
                self.applied.append(step.kind)
            elif obstacle is None or step.use == "on":
                self.left_out.append(step.title)
        self.head = replace(head, factors=None)
        self._pool = ThreadPoolExecutor(1, "randoms") if self.randoms else None
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget what was estimated."""
        self._rates: NDArray[np.float64] | None = None
        self._rates_of = 0
        self._estimate: tuple[Future[NDArray[np.float64]], int] | None = None

    def close(self) -> None:
        """End what works beside."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def prepared(self, events: ListMode) -> tuple[ListMode, NDArray[np.bool_]]:
        """Return events as the image wants them, and which of them are usable."""
        scanner, on = self.head.scanner, self._on
        events = replace(events, scanner=scanner, delayed=_flags(events))
        if self.head.tof_bins is None:
            events = without_tof(events)
        crystals = on.to_device(events.crystals)
        usable: NDArray[np.bool_] = on.to_host(scanner.in_coincidence(crystals))
        if events.delayed is not None:
            usable &= ~events.delayed
        weights = self.head.crystal_weights
        if weights is not None:
            usable &= (weights[events.crystals] > 0).all(axis=1)
        for factor in self.head.line_factors:
            if factor.blinds_lines:
                usable &= on.to_host(factor.of_lines(crystals, scanner, on=on)) > 0
        return events, usable

    def factors(self, crystals: NDArray[np.int32]) -> Array:
        """Return n a of lines, (n,); sums need not be the same on every device."""
        found: Array = np.ones(len(crystals), np.float32)
        for factor in self.head.line_factors:
            found = found * factor.of_lines(
                crystals, self.head.scanner, on=self._on, reproducible=False
            )
        return found

    def estimate_randoms(self, store: EventStore, *, wait: bool = False) -> None:
        """Estimate randoms from the delayeds that are kept, beside all else, where it is time."""
        if self.randoms is None or self._pool is None:
            return
        if self._estimate is not None and (wait or self._estimate[0].done()):
            future, n = self._estimate
            self._rates, self._rates_of, self._estimate = future.result(), n, None
        n = store.n_delayed
        is_time = n >= LEAST_DELAYEDS and not self._rates_of / 2 < n < 2 * max(self._rates_of, 1)
        if not is_time or self._estimate is not None:
            return
        delayeds, stands_for = store.delayeds(MOST_DELAYEDS)
        if delayeds is None:
            return
        data = replace(delayeds, line_factors=self.head.line_factors)
        randoms = self.randoms

        def rates() -> NDArray[np.float64]:
            return np.sqrt(stands_for) * randoms.rates(data)

        self._estimate = (self._pool.submit(rates), n)

    def background(self, events: ListMode, n_delayed: int) -> NDArray[np.float32] | None:
        """Return expected randoms over the factors of the events' lines, None where unknown.

        n_delayed : that came in the frame the image is of
        """
        if self._rates is None or not self._rates_of:
            return None
        randoms = pair_product(self._rates, events.crystals) * (n_delayed / self._rates_of)
        if events.tof_bins is not None and events.scanner.tof is not None:
            randoms /= events.scanner.tof.n_bins
        if self.head.line_factors:  # of these events alone, since attenuation takes its time
            factors = self.factors(events.crystals)
            randoms = np.divide(randoms, factors, out=np.zeros_like(randoms), where=factors > 0)
        return randoms.astype(np.float32)


def _flags(events: ListMode) -> NDArray[np.bool_] | None:
    """Return delayeds as flags."""
    return None if events.delayed is None else events.delayed.astype(np.bool_, copy=False)
