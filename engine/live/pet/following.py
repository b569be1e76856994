"""Process the events of a running scan batch by batch: image, motion watch and statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.calibration import scanner_digest
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.io.safety.budget import available_memory
from engine.live.core.frame import Ended, Noticed, Resumed, SourceEvent
from engine.live.pet.event_batch import EventArrival, EventBatch, EventSource, joined
from engine.live.pet.event_store import EventStore
from engine.live.pet.final_image import settling
from engine.live.pet.imaging import ImageMaking
from engine.live.pet.live_corrections import LiveCorrections
from engine.live.pet.live_image import LiveImage
from engine.live.pet.statistics import PetFigures
from engine.live.pet.updates import LivePetChoices, LivePetUpdate
from engine.live.pet.watching import Watching
from engine.recon.postprocess import Filter

PIECE_S = 0.15
"""Approximate duration of an update."""
FIRST_GUESS = 200_000.0
"""Assumed events per second of a projection, before it is measured."""


class LivePetWork:
    """Follows one source of events.

    Parameters
    ----------
    source : source of the events; only its name and head are used
    choices : protocol and mode
    on : device and threads
    stop : set when the session closes
    report : called with events of the source
    """

    def __init__(
        self,
        source: EventSource,
        choices: LivePetChoices,
        *,
        on: Backend,
        stop: Event,
        report: Callable[[SourceEvent], None],
    ) -> None:
        self._source, self._choices, self._on = source, choices, on
        self._stop, self._report = stop, report
        settings = choices.settings
        newest_s = settings.newest_s if settings.mode == "sliding" else None
        # Once, at the start: later the events themselves reduce the free memory
        free = available_memory()
        self.store = EventStore(newest_s, round(settings.memory_share * free))
        self.corrections: LiveCorrections | None = None
        self._image: LiveImage | None = None
        self._shown: Volume | None = None
        self._making: ImageMaking | None = None
        self._new: list[ListMode] = []
        self._n_removed, self._turn, self._speed = 0, 0, FIRST_GUESS
        self._figures = PetFigures()
        self._watching = Watching(source.name, settings.motion, report)
        self._seen_until_s, self._settling = 0.0, ""

    @property
    def update(self) -> LivePetUpdate:
        """Newest state."""
        store = self.store
        figures = self._figures.at(
            0 if self._shown is None else store.n_usable, store.span_s, store.n_bytes,
            store.left_out,
        )  # fmt: skip
        watching = self._watching
        return LivePetUpdate(
            self._shown, figures, self._state, self._figures.blocks, watching.place,
            tuple(watching.motions),
        )  # fmt: skip

    @property
    def _state(self) -> str:
        if self.corrections is None:
            return "waiting for events"
        if self._image is None:
            return "computing the sensitivity of the scanner"
        if self._settling:
            return self._settling
        if self.store.left_out:
            return "memory is full: image and recording end before the newest events"
        return ""

    def handle(self, arrived: Sequence[EventArrival]) -> int:
        """Process batches and events.

        Parameters
        ----------
        arrived
            batches and events of the source, in order

        Returns
        -------
        n_events
            number of list-mode events
        """
        n, group = 0, list[ListMode]()
        for each in arrived:
            if isinstance(each, EventBatch):
                n += each.events.n_events
                self._figures.count(each)
                group.append(each.events)
                continue
            if isinstance(each, Resumed) and each.is_new_scan:
                group.clear()  # nothing of the previous scan stays
                self._restart()
            if not isinstance(each, Ended):
                self._report(each)
        # All at once: each pass over small batches has a fixed cost
        if group:
            events = joined(group)
            # Before the store: motion is watched even if the memory is full
            self._watching.add(events)
            self._take(events)
        return n

    def _take(self, events: ListMode) -> None:
        corrections = self.corrections or self._create_corrections(events)
        events, usable = corrections.prepared(events)
        n_removed, is_stored = self.store.add(events, usable)
        if not is_stored:
            # Only the first batch without memory is reported
            if self.store.left_out == events.n_events:
                self._report(Noticed(f"{self._source.name}: {self._full()}"))
            return
        self._n_removed += n_removed
        if self._image is not None and usable.any():
            self._new.append(events.select(usable))

    def _full(self) -> str:
        return (
            f"the memory for events is full after {self.store.n_events:,}. Image and "
            "recording in memory end here, and later events count as dropped. Free memory, or "
            "use a sliding image."
        )

    def _create_corrections(self, events: ListMode) -> LiveCorrections:
        """Create the corrections, once the scanner is known."""
        head = self._source.head or events.select(slice(0, 0))
        choices = self._choices
        found = LiveCorrections(choices.attach(head), choices.protocol, on=self._on)
        self.corrections = found
        for title in found.left_out:
            self._report(
                Noticed(f"{title} needs the whole scan and is left out of the live reconstruction.")
            )
        # In a thread: the sensitivity takes seconds to minutes, and events are stored meanwhile
        self._making = ImageMaking(found, choices.protocol, on=self._on, stop=self._stop)
        return found

    def _restart(self) -> None:
        """Discard the previous scan: nothing of it may stay in the image or in memory."""
        self.store.clear()
        self._new, self._n_removed, self._shown = [], 0, None
        self._figures.restart()
        self._watching.restart()
        self._end_making()
        self.corrections = self._image = self._making = None

    def refresh(self, until_s: float) -> bool:
        """Update the image until a given time.

        Parameters
        ----------
        until_s
            end of the work, by `time.monotonic` [s]

        Returns
        -------
        is_there
            False if there is no image yet
        """
        corrections, image = self.corrections, self._made()
        if corrections is None or image is None or not self.store.n_usable:
            return False
        corrections.estimate_randoms(self.store)
        self._add_new(image, corrections)
        # A sliding image never converges, so it gets new updates in proportion to time
        if self._choices.settings.mode == "sliding":
            now_s = self.store.span_s[1]
            share = (now_s - self._seen_until_s) / self._choices.settings.newest_s
            algorithm = self._choices.protocol.algorithm
            image.allow(share * algorithm.n_iterations * algorithm.n_subsets)
            self._seen_until_s = now_s
        # Stops early enough that the next update still fits
        while monotonic() + PIECE_S < until_s and image.left > 0 and not self._stop.is_set():
            self._reprocess_events(image, corrections)
        self._shown = self._finished(image.values, self._choices.protocol.finishing)
        # The delay is measured from the arrival of events to this moment
        self._figures.showed()
        return True

    def wait(self) -> bool:
        """Wait for the first image; return True if there is one."""
        if self._making is not None:
            self._making.wait()
        self._made()
        return self._image is not None and self.store.n_usable > 0

    def settle(self) -> Iterator[LivePetUpdate]:
        """Yield the updates of the image that a normal run makes of the same events."""
        if self._making is not None:
            self._making.wait(finest=True)
        corrections, image, events = self.corrections, self._made(), self.store.all()
        if corrections is None or image is None or events is None or self._stop.is_set():
            return
        head = corrections.head
        scan = replace(events, line_factors=head.line_factors, mu_map=head.mu_map)
        # The corrections of the source's head belong to lines, so they apply to all events
        if head.line_factors:
            scan = replace(scan, factors=corrections.factors(scan.crystals).astype(np.float32))
        steps = settling(
            scan, self._choices.protocol, image.grid, image.sensitivity,
            randoms=corrections.randoms, on=self._on,
        )  # fmt: skip
        for step in steps:
            if self._stop.is_set():
                return
            is_last = step.done == step.of
            self._settling = "" if is_last else f"finishing: update {step.done} of {step.of}"
            self._shown = self._finished(step.values, step.finishing)
            yield self.update

    def _made(self) -> LiveImage | None:
        before, making = self._image, self._making
        self._image = None if making is None else making.image()
        # The store was filled while the sensitivity was computed
        if before is None and self._image is not None:
            self._n_removed, events = 0, self.store.every(0, 1)  # all events before the image
            self._new = [] if events is None else [events]
        return self._image

    def _add_new(self, image: LiveImage, corrections: LiveCorrections) -> None:
        if not self._new:
            return
        events, self._new = joined(self._new), []
        n_new, n_removed, self._n_removed = events.n_events, self._n_removed, 0
        image.grow(n_new, n_removed)
        # A sample of the new events stands for all of them if there are too many
        every = max(1, round(n_new / (2 * PIECE_S * self._speed)))
        events = events.select(slice(0, None, every)) if every > 1 else events
        begun = monotonic()
        image.take(events, corrections.background(events, self.store.n_delayed), n_new)
        self._timed(events.n_events, monotonic() - begun)

    def _reprocess_events(self, image: LiveImage, corrections: LiveCorrections) -> None:
        least = self.store.n_events / image.n_subsets
        # At least one subset, and at most what fits into the time of an update
        every = max(1, round(self.store.n_events / min(least, PIECE_S * self._speed)))
        self._turn += 1
        golden = 0.6180339887498949  # its multiples modulo 1 are always spread evenly
        begun = monotonic()
        events = self.store.every(int(self._turn * golden % 1 * every), every)
        if events is None:
            return
        image.reprocess(events, corrections.background(events, self.store.n_delayed))
        self._timed(events.n_events, monotonic() - begun)

    def _timed(self, n: int, seconds: float) -> None:
        # A running average: the speed depends on the image and on other programs
        self._speed += 0.3 * (n / max(seconds, 1e-6) - self._speed)

    def _finished(self, values: NDArray[np.float32], finishing: Sequence[Filter]) -> Volume:
        """Return the image with the filters of the protocol."""
        corrections, image = self.corrections, self._image
        if corrections is None or image is None:
            raise DataError("there is no image yet; wait for the first update.")
        for each in finishing:
            values = each.apply(values, image.grid.voxel_mm)
        info = {"axes": corrections.head.info.get("axes", "LPS"), "live": self._facts(corrections)}
        return Volume(np.array(values, np.float32), image.grid, "counts/mm", info)

    def _facts(self, corrections: LiveCorrections) -> Plain:
        """Return the provenance of the image."""
        since_s, until_s = self.store.span_s
        choices = self._choices
        return {
            "from_s": since_s,
            "until_s": until_s,
            "prompts": self.store.n_usable,
            "delayeds": self.store.n_delayed,
            "motions": [each.to_json() for each in self._watching.motions],
            "scanner_sha256": scanner_digest(corrections.head.scanner),
            "corrections": list(corrections.applied),
            "left_to_the_ordinary_run": list(corrections.left_out),
            "settings": choices.settings.model_dump(mode="json"),
            "protocol": choices.protocol.model_dump(mode="json"),
            "sensitivity": "" if self._image is None else self._image.sensitivity.describe(),
            "device": self._on.label,
        }

    def scan(self) -> ListMode | None:
        """Return the stored events as a scan for a normal run, None without events."""
        events, corrections = self.store.all(), self.corrections
        if events is None or corrections is None:
            return None
        head = self._source.head or corrections.head
        seconds = head.duration_s or self.store.span_s[1]
        return replace(
            head,
            crystals=events.crystals,
            delayed=events.delayed,
            tof_bins=events.tof_bins,
            time_ms=events.time_ms,
            duration_s=seconds,
            # Corrections are left to the normal run, which applies all of them
            factors=None,
            background=None,
            line_factors=(),
        )

    def close(self) -> None:
        """End the threads."""
        self._end_making()

    def _end_making(self) -> None:
        if self._making is not None:
            self._making.close()
        if self.corrections is not None:
            self.corrections.close()
