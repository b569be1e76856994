"""Messages between the window and its engine process.

Events without a volume are sent unchanged. A volume is in a slot of shared memory, and its event
is sent as a `VolumeFrame`. The slot is free again once the window sends `Free`. A volume that
exceeds the memory is in a file, which the window maps too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.runs.events import EarlyPreview, Event, Finished, Preview, Warned
from engine.data.storage.volume_file import FilePlace
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

if TYPE_CHECKING:
    from engine.data.error_map import Method

Source = Callable[..., Iterator[Event]]
"""Function with the parameters of `engine.jobs.reconstruction.run`, at module level."""
WithVolume = EarlyPreview | Preview | Finished
"""Events with a volume, which passes through shared memory."""
Command = Literal["pause", "resume", "finish", "abort"]
N_SLOTS = 2


@dataclass(frozen=True)
class Order:
    """Instructions for the engine process.

    Attributes
    ----------
    study : study as JSON
    device, threads : see `engine.core.backend.named`
    job : folder of the job, None without checkpoints
    resume : True to continue from the job's last checkpoint
    source : function to run instead of `engine.jobs.reconstruction.run`
    from_pid : process that sent the order, and may have made the job
    warnings : warnings from before the run, for its record; only with a job
    """

    study: str
    device: str
    threads: int | None
    job: str | None
    resume: bool
    source: Source | None
    from_pid: int
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True)
class Beat:
    """Sign of life of the engine, which is paused or works."""

    resting: bool


@dataclass(frozen=True)
class NeedSlots:
    """Size of the engine's volumes [bytes]."""

    n_bytes: int


@dataclass(frozen=True)
class Slots:
    """Names of the blocks of shared memory; empty if there is too little."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Free:
    """The window has copied the volume from this slot."""

    slot: int


@dataclass(frozen=True)
class VolumeFrame:
    """An event with a volume, without the values.

    Attributes
    ----------
    slot : slot of the values
    kind, others : class of the event and its other attributes
    grid, unit, info : grid, unit and information of the volume
    data : the values, if they do not fit into the slot
    place : file with the values, if the volume is in one
    error : deviations, scale, seed and method of an error map; None if the error is not known
    """

    slot: int
    kind: type[WithVolume]
    others: Plain
    grid: ImageGrid
    unit: str
    info: Plain
    data: bytes | None
    place: FilePlace | None = None
    error: tuple[NDArray[np.int8], NDArray[np.float32], int, Method, str] | None = None

    @classmethod
    def of(
        cls,
        event: WithVolume,
        slot: int,
        data: bytes | None,
        place: FilePlace | None = None,
    ) -> VolumeFrame:
        """Return an event without its values.

        Parameters
        ----------
        event
            event with a volume
        slot
            slot of the values
        data
            the values, if they do not fit into the slot
        place
            file with the values, if the volume is in one
        """
        # uses the fields of the class, so that a new attribute needs no change here
        names = [f.name for f in fields(event) if f.name not in ("volume", "frames")]
        others = {name: getattr(event, name) for name in names}
        volume = event.volume
        facts = volume.grid, volume.unit, volume.info
        found = volume.error
        error = None
        if found is not None:
            error = found.deviations, found.scale, found.seed, found.method, found.counts
        return cls(slot, type(event), others, *facts, data, place, error)

    @property
    def may_be_skipped(self) -> bool:
        """True if a newer image can replace this one."""
        if self.kind is Preview:
            return bool(self.others["subset"] != self.others["subsets"])
        return self.kind is EarlyPreview

    def event(self, values: NDArray[np.float32]) -> WithVolume:
        """Return the event with its values.

        Parameters
        ----------
        values
            values of the volume, [z, y, x]
        """
        error = None
        if self.error is not None:
            from engine.data.error_map import ErrorMap  # few images have errors

            error = ErrorMap(values, *self.error)
        volume = Volume(values, self.grid, self.unit, self.info, error=error)
        return self.kind(volume=volume, **self.others)


def must_arrive(event: WithVolume) -> bool:
    """Return True if the window must receive this volume, however slowly it draws."""
    return isinstance(event, Finished) or (isinstance(event, Preview) and event.ends_iteration)
