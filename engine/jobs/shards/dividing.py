"""Divide a run among workers."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.errors import SettingsError
from engine.data.runs.events import Event
from engine.data.runs.sharding import Divide, OnRows, SharedUpdate, TracedEvents
from engine.jobs.reconstruction import run
from engine.jobs.shards.cluster import PATIENCE_S, DaskWorkers
from engine.jobs.shards.division import Division, ShardKey, ShardOrder
from engine.jobs.shards.files import read_array, shared_folder, write_array, write_events
from engine.jobs.shards.slabs import shared_slabs
from engine.jobs.shards.worker import sums_of
from engine.kernels.units import in_units, share_unit
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.run_context.context import OnProgress, Resume
from engine.protocols.run_context.environment import program_version
from engine.protocols.study.protocol import Protocol


@dataclass(frozen=True)
class DividedRun:
    """A reconstruction that is divided among the workers of a cluster; called like `run`.

    Attributes
    ----------
    scheduler : address, such as tcp://host:8786
    n_shards : parts of an update, or least number of slabs; None: number of worker threads at the
        start
    threads : CPU threads for a part, if the worker has no GPU
    patience_s : time without workers after which the run rests [s]
    or_whole : True to run other kinds of scans undivided on this machine instead of an error

    Examples
    --------
    >>> from engine.jobs.shards import DividedRun
    >>> run = DividedRun("tcp://10.0.0.1:8786", n_shards=8)
    """

    scheduler: str
    n_shards: int | None = None
    threads: int = 1
    patience_s: float = PATIENCE_S
    or_whole: bool = False

    def __call__(
        self,
        study: Study,
        *,
        on: Backend,
        resume: Resume | None = None,
        on_progress: OnProgress | None = None,
        finish_early: Callable[[], bool] | None = None,
        folder: Path | None = None,
    ) -> Iterator[Event]:
        """Reconstruct list mode in integer sums, or FDK in slabs on the CPU.

        See `engine.jobs.reconstruction.run` for the parameters.

        Raises
        ------
        SettingsError
            if the run cannot be divided
        WorkersLostError
            if no worker is left
        EngineError
            as for `run`
        """
        is_ct = isinstance(study.protocol, CtProtocol)
        here = partial(
            run,
            # FDK on the CPU here and on the workers: slabs of different devices differ in their
            # bits
            on=cpu(on.threads) if is_ct and on.is_cuda else on,
            resume=resume,
            on_progress=on_progress,
            finish_early=finish_early,
            folder=folder,
        )
        if self.or_whole and not can_be_shared(study.protocol):
            yield from here(study)
            return
        # Floating-point sums would depend on the order in which workers answer
        study = exactly_shared(study)
        with (
            DaskWorkers(self.scheduler, patience_s=self.patience_s) as workers,
            shared_folder() as shared,
        ):
            n_parts = self.n_shards or max(workers.n_threads, 1)

            def updates(events: TracedEvents, on_rows: OnRows | None) -> SharedUpdate:
                for before in shared.iterdir():  # files of the previous frame
                    shutil.rmtree(before, ignore_errors=True)
                return SharedEvents(workers, shared, events, n_parts, self.threads, on_rows)

            # The flow decides which one it calls: updates for list mode, slabs for FDK
            slabs = partial(shared_slabs, workers, shared, self.threads)
            yield from here(study, divide=Divide(n_parts, updates, slabs))


def can_be_shared(protocol: Protocol) -> bool:
    """Return True if a run can be divided: list-mode updates, or slabs of FDK.

    Parameters
    ----------
    protocol
        protocol of the study
    """
    if isinstance(protocol, CtProtocol):
        return protocol.algorithm.direct
    return isinstance(protocol, ListModeProtocol)


def exactly_shared(study: Study) -> Study:
    """Return a study whose parts add up to the same bits in any order.

    Parameters
    ----------
    study
        study to divide

    Returns
    -------
    study
        list mode in reproducible mode; FDK unchanged

    Raises
    ------
    SettingsError
        if the run cannot be divided
    """
    protocol = study.protocol
    if not can_be_shared(protocol):
        raise SettingsError(
            f"{study.data.name}: this run cannot be split over workers (modality: "
            f"{protocol.modality}, algorithm: {protocol.algorithm.title}). Only list-mode and FDK "
            "runs can be split. Remove --split to run the whole study on one worker."
        )
    if isinstance(protocol, ListModeProtocol):
        protocol = protocol.model_copy(update={"reproducible": True})
    return study.model_copy(update={"protocol": protocol})


class SharedEvents:
    """Corrected events in files that workers read, and the updates with them."""

    def __init__(
        self,
        workers: DaskWorkers,
        folder: Path,
        events: TracedEvents,
        n_shards: int,
        threads: int,
        on_rows: OnRows | None,
    ) -> None:
        self._workers, self._folder, self._events = workers, folder, events
        self._n_shards, self._threads, self._on_rows = n_shards, threads, on_rows
        self._keys: list[ShardKey] = []

    def __call__(self, x: Array, k: int, of: int) -> tuple[Array, float, int]:
        """Compute one update of EM.

        Parameters
        ----------
        x
            image, [z, y, x]
        k
            number of the subset, from 0
        of
            number of subsets

        Returns
        -------
        numerator
            numerator of the subset
        log_sum
            Σ log q over its events
        n_skipped
            number of events without an expected value
        """
        keys = self._keys_of(of)
        division, folder = keys[0].division, Path(keys[0].folder)
        # One file for all workers instead of one copy per order through the scheduler
        image = write_array(folder, "image", np.asarray(x, np.float32))
        orders = [
            ShardOrder(key, k, image, program_version(), self._threads)
            for key in keys
            if division.n_rows(key.shard, k)
        ]
        # int64 sums in fixed point: adding them in any order gives the same bits
        total = np.zeros(self._events.grid.shape, np.int64)
        log_sums, n_skipped, n_done = [0.0] * len(orders), 0, 0

        def on_poll() -> None:
            if self._on_rows is not None:
                self._on_rows(n_done, division.n_in_subset(k))

        try:
            for i, answer in self._workers.answers(sums_of, orders, on_poll):
                total += read_array(folder, answer.file, "i8", total.shape)
                # At once: sums of all shards and updates would fill the disk
                (folder / answer.file).unlink(missing_ok=True)
                log_sums[i], n_skipped = answer.log_sum, n_skipped + answer.n_skipped
                n_done += division.n_rows(orders[i].key.shard, k)
        finally:
            (folder / image).unlink(missing_ok=True)
        unit = share_unit(division.n_in_subset(k))
        # in the order of the shards, so that no figure depends on the order of completion
        return in_units(total, unit, np.float32), sum(log_sums), n_skipped

    def _keys_of(self, n_subsets: int) -> list[ShardKey]:
        """Return the shards; writes their files at the first call for a number of subsets."""
        if self._keys and self._keys[0].division.n_subsets == n_subsets:
            return self._keys
        events = self._events
        division = Division(len(events.crystals), n_subsets, self._n_shards)
        # A new name, because workers identify events by their folder.
        folder = self._folder / secrets.token_hex(4)
        folder.mkdir()
        write_events(folder, events, division)
        self._keys = [
            ShardKey(str(folder), shard, division, events.grid, events.tof)
            for shard in range(self._n_shards)
        ]
        return self._keys
