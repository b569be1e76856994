"""Corrections of a running scan: those that are known for every line before its end.

Multiplicative corrections (normalisation, geometry, attenuation) are constant from the first event
on. Randoms are estimated from the delayeds so far: σ_i σ_j for the frame until now
(`engine.corrections.randoms`). σ is estimated again whenever the delayeds have doubled, with r ← r
· (delayeds now) / (delayeds then) in between. Scatter, resolution modelling and calibration require
the whole scan, and are left to the normal run.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.corrections.base import Multiplicative
from engine.corrections.randoms import Randoms
from engine.data.listmode import ListMode
from engine.geometry.scanner import pair_product
from engine.live.pet.event_store import EventStore
from engine.modalities.listmode_pet.model import without_tof
from engine.modalities.listmode_pet.protocol import ListModeProtocol

MIN_DELAYEDS = 10_000
"""Number of delayeds from which randoms are estimated."""
MAX_DELAYEDS = 1_000_000
"""Most delayeds in one estimate."""


class LiveCorrections:
    """Corrections of a running scan for its lines.

    Parameters
    ----------
    head : scan without events, with the data of the source and of the user
    protocol : protocol with the requested corrections
    on : device and threads

    Attributes
    ----------
    head : scan with the factors of its lines
    applied, left_out : kinds of the applied corrections, and titles of those left to the normal run
    randoms : estimation of randoms, None without

    Raises
    ------
    DataError
        if a correction is switched on, but impossible for the scan
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
            # "auto" skips impossible corrections; "on" must not fail silently
            if obstacle is not None and step.use == "on" and isinstance(step, Multiplicative):
                raise step.refusal(obstacle)
            if obstacle is None and isinstance(step, Multiplicative):
                head = step.apply(head, on=on)
                self.applied.append(step.kind)
            elif obstacle is None or step.use == "on":
                self.left_out.append(step.title)
        # Factors of single events are not known before the events
        # Factors of events are computed for each update instead
        self.head = replace(head, factors=None)
        self._pool = ThreadPoolExecutor(1, "randoms") if self.randoms else None
        self.restart()

    def restart(self) -> None:
        """Discard the estimates."""
        self._rates: NDArray[np.float64] | None = None
        self._rates_of = 0
        self._estimate: tuple[Future[NDArray[np.float64]], int] | None = None

    def close(self) -> None:
        """End the thread."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def prepared(self, events: ListMode) -> tuple[ListMode, NDArray[np.bool_]]:
        """Return events in the form for the image.

        Parameters
        ----------
        events
            events of the source

        Returns
        -------
        events
            events with the scanner of the corrections, without TOF bins if they are not used
        usable
            (n,) True for prompts on lines that can be explained
        """
        scanner, on = self.head.scanner, self._on
        events = replace(events, scanner=scanner, delayed=_flags(events))
        if self.head.tof_bins is None:
            events = without_tof(events)
        crystals = on.to_device(events.crystals)
        # No model explains events on lines of gaps, and the update would divide by zero
        usable: NDArray[np.bool_] = on.to_host(scanner.in_coincidence(crystals))
        if events.delayed is not None:
            usable &= ~events.delayed
        weights = self.head.crystal_weights
        if weights is not None:
            usable &= (weights[events.crystals] > 0).all(axis=1)
        # Only factors that may be 0 are computed here: attenuation takes time and never is
        for factor in self.head.line_factors:
            if factor.blinds_lines:
                usable &= on.to_host(factor.of_lines(crystals, scanner, on=on)) > 0
        return events, usable

    def factors(self, crystals: NDArray[np.int32]) -> Array:
        """Return n · a of lines.

        Parameters
        ----------
        crystals
            (n, 2) crystals of the lines

        Returns
        -------
        factors
            (n,) factors; their last bits depend on the device
        """
        found: Array = np.ones(len(crystals), np.float32)
        for factor in self.head.line_factors:
            found = found * factor.of_lines(
                crystals, self.head.scanner, on=self._on, reproducible=False
            )
        return found

    def estimate_randoms(self, store: EventStore, *, wait: bool = False) -> None:
        """Start or collect an estimate of randoms, in a thread.

        Parameters
        ----------
        store
            stored events with the delayeds
        wait
            True to wait for a running estimate
        """
        if self.randoms is None or self._pool is None:
            return
        if self._estimate is not None and (wait or self._estimate[0].done()):
            future, n = self._estimate
            self._rates, self._rates_of, self._estimate = future.result(), n, None
        n = store.n_delayed
        # A doubling of the counts halves the variance; more estimates gain little
        is_time = n >= MIN_DELAYEDS and not self._rates_of / 2 < n < 2 * max(self._rates_of, 1)
        if not is_time or self._estimate is not None:
            return
        delayeds, stands_for = store.delayeds(MAX_DELAYEDS)
        if delayeds is None:
            return
        data = replace(delayeds, line_factors=self.head.line_factors)
        randoms = self.randoms

        def rates() -> NDArray[np.float64]:
            # Each delayed of the sample stands for several, and rates multiply in pairs
            return np.sqrt(stands_for) * randoms.rates(data)

        self._estimate = (self._pool.submit(rates), n)

    def background(self, events: ListMode, n_delayed: int) -> NDArray[np.float32] | None:
        """Return the expected randoms divided by the factors of the events' lines.

        Parameters
        ----------
        events
            events of an update
        n_delayed
            number of delayeds in the frame of the image

        Returns
        -------
        background
            (n,) per TOF bin; None before the first estimate
        """
        if self._rates is None or not self._rates_of:
            return None
        randoms = pair_product(self._rates, events.crystals) * (n_delayed / self._rates_of)
        # Randoms are equal in all TOF bins
        if events.tof_bins is not None and events.scanner.tof is not None:
            randoms /= events.scanner.tof.n_bins
        if self.head.line_factors:  # for these events only, since attenuation takes time
            factors = self.factors(events.crystals)
            randoms = np.divide(randoms, factors, out=np.zeros_like(randoms), where=factors > 0)
        return randoms.astype(np.float32)


def _flags(events: ListMode) -> NDArray[np.bool_] | None:
    """Return the delayeds as flags."""
    return None if events.delayed is None else events.delayed.astype(np.bool_, copy=False)
