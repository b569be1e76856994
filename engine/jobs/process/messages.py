"""What the window and its engine process say to each other.

Events without a volume cross as they are. A volume lies in a slot of shared memory, its event
crosses as a `VolumeFrame`; the slot belongs to the engine again once the window says `Free`. One
that lies in a file, since the memory does not hold it, stays there, and the window maps it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.runs.events import Event, Finished, Preview
from engine.data.storage.volume_file import FilePlace
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

Source = Callable[..., Iterator[Event]]
"""Anything with the parameters of `engine.jobs.reconstruction.run`, at the top of a module."""
Command = Literal["pause", "resume", "finish", "abort"]
N_SLOTS = 2


@dataclass(frozen=True)
class Order:
    """What the engine process shall do.

    Attributes
    ----------
    study : as JSON
    device, threads : see `engine.core.backend.named`
    job : folder of the job, None without checkpoints
    resume : whether to go on from the job's last checkpoint
    source : what to run instead of `engine.jobs.reconstruction.run`
    from_pid : who ordered it, and may have made its job
    """

    study: str
    device: str
    threads: int | None
    job: str | None
    resume: bool
    source: Source | None
    from_pid: int


@dataclass(frozen=True)
class Beat:
    """The engine is alive, and rests or works."""

    resting: bool


@dataclass(frozen=True)
class NeedSlots:
    """The engine knows the size of its volumes [bytes]."""

    n_bytes: int


@dataclass(frozen=True)
class Slots:
    """Names of the shared memory; none where there is not enough of it."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Free:
    """The window has copied the volume out of this slot."""

    slot: int


@dataclass(frozen=True)
class VolumeFrame:
    """An event that carries a volume, without its values.

    Attributes
    ----------
    slot : where the values lie
    kind, others : class of the event and its other attributes
    grid, unit, info : of the volume
    data : the values, where they do not fit into the slot
    place : the file in which they lie, where that is one
    """

    slot: int
    kind: type[Preview] | type[Finished]
    others: Plain
    grid: ImageGrid
    unit: str
    info: Plain
    data: bytes | None
    place: FilePlace | None = None

    @classmethod
    def of(
        cls,
        event: Preview | Finished,
        slot: int,
        data: bytes | None,
        place: FilePlace | None = None,
    ) -> VolumeFrame:
        """Take the values out of an event."""
        # by the fields of the class, so that one that is added to an event crosses without a change
        # here
        names = [f.name for f in fields(event) if f.name not in ("volume", "frames")]
        others = {name: getattr(event, name) for name in names}
        volume = event.volume
        return cls(slot, type(event), others, volume.grid, volume.unit, volume.info, data, place)

    @property
    def may_be_skipped(self) -> bool:
        """Whether a newer image can stand for this one."""
        return self.kind is Preview and self.others["subset"] != self.others["subsets"]

    def event(self, values: NDArray[np.float32]) -> Preview | Finished:
        """Put the values back."""
        return self.kind(volume=Volume(values, self.grid, self.unit, self.info), **self.others)


def must_arrive(event: Preview | Finished) -> bool:
    """Whether the window gets this volume however slowly it draws."""
    return not isinstance(event, Preview) or event.ends_iteration
