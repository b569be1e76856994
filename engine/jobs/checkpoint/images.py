"""The checkpoint file: one line of JSON, blanks, then the image as little-endian float32 [z, y, x].

The digest in the line covers the line's other values and the image, so that no damaged file
is ever taken for a whole one.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from engine.core.arrays import pieces_of
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.patient_position import STATED_AXES
from engine.data.runs.events import Preview
from engine.data.runs.history import RunHistory
from engine.data.storage.iterates import remove_iterates
from engine.data.timing.time_frames import Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.io.safety.atomic_write import publishing
from engine.io.safety.read_back import refuse_other_bytes

IMAGES = ("checkpoint-0.bin", "checkpoint-1.bin")
MAX_LINE_BYTES = 1 << 20
"""Room for the figures of the most iterations there can be."""
ALIGNED = 64
"""The image begins at a multiple of so many bytes."""
MAPPED_BYTES = 1 << 30
"""Images above are not read into memory: a run that made them in files may not have it."""

log = logging.getLogger(__name__)


class Head(Settings):
    """What a checkpoint says of itself.

    Attributes
    ----------
    done : updates behind the image
    shape : (n_z, n_y, n_x)
    voxel_mm, centre_mm : of the grid
    unit, axes : what the values mean, and to which sides x, y and z grow
    stated_axes : sides to which the scanner's axes grow, by the stated patient position
    protocol : digest of the settings
    inputs : (name, digest) of each file, by its role
    history : of the run up to the image
    frame_ms : start and end of the frame of time whose finished image it is
    gate : number, of how many, and length [ms], where that is a gate
    sha256 : of all else
    """

    format: Literal["isocenter-checkpoint-3"] = "isocenter-checkpoint-3"
    done: int = setting(ge=0)
    shape: tuple[int, int, int] = setting()
    voxel_mm: Point = setting()
    centre_mm: Point = setting()
    unit: str = setting(max_length=100)
    axes: str = setting(max_length=10)
    stated_axes: str = setting("", max_length=10)
    protocol: str = setting(max_length=64)
    inputs: dict[str, tuple[str, str]] = setting()
    history: RunHistory = setting()
    frame_ms: tuple[int, int] | None = None
    gate: tuple[int, int, int] | None = None
    sha256: str = setting("", max_length=64)

    @classmethod
    def of(cls, preview: Preview, protocol: str, inputs: dict[str, tuple[str, str]]) -> Self:
        """Return what is said of an image of a run."""
        volume = preview.volume
        frame = preview.frame if preview.ends_iteration else None
        return cls(
            done=preview.update,
            shape=volume.grid.shape,
            voxel_mm=volume.grid.voxel_mm,
            centre_mm=volume.grid.centre_mm,
            unit=volume.unit,
            axes=volume.axes,
            stated_axes=volume.info.get(STATED_AXES, ""),
            protocol=protocol,
            inputs=inputs,
            history=preview.history,
            frame_ms=(frame.start_ms, frame.end_ms) if frame else None,
            gate=frame.gate if frame else None,
        )

    @property
    def frame(self) -> TimeFrame | None:
        """The frame of time whose finished image it is."""
        if self.frame_ms is None:
            return None
        return TimeFrame(*self.frame_ms, Gate(*self.gate) if self.gate else None)


class LastImages:
    """The images of the last two checkpoints of a job: the older one gives way to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files = tuple(folder / name for name in IMAGES)

    def newest_first(self) -> list[tuple[Head, Path]]:
        """Return what each says of itself, of those that can be read."""
        read = ((read_head(path), path) for path in self.files)
        found = [(head, path) for head, path in read if head is not None]
        return sorted(found, key=lambda pair: -pair[0].done)

    @property
    def oldest(self) -> Path:
        """The file that the next image goes into."""
        done = {path: head.done for head, path in self.newest_first()}
        return min(self.files, key=lambda path: done.get(path, -1))

    @property
    def is_there(self) -> bool:
        """Whether there is any, damaged ones too."""
        return any(path.exists() for path in self.files)

    def remove(self) -> None:
        """Delete both, and what a run that died has left of an image that it showed."""
        remove_iterates(self._folder)
        for path in self.files:
            path.unlink(missing_ok=True)


def write_image(volume: Volume, head: Head, path: Path) -> None:
    """Write a checkpoint, whole or not at all; the image may lie in a file itself."""
    values = np.ascontiguousarray(volume.values, "<f4")
    said = head.model_dump(mode="json")
    signed = head.model_copy(update={"sha256": _digest(said, pieces_of(values))})
    line = signed.model_dump_json().encode()
    line += b" " * (-(len(line) + 1) % ALIGNED) + b"\n"

    def written() -> Iterator[bytes | memoryview]:
        yield line
        yield from pieces_of(values)

    def check(part: Path) -> None:
        refuse_other_bytes(part, written(), path)

    n_bytes = len(line) + values.nbytes
    with publishing(path, n_bytes, check) as part, part.open("wb") as file:
        for piece in written():
            file.write(piece)


def read_head(path: Path) -> Head | None:
    """Return what a checkpoint says of itself, None if there is none to be read."""
    try:
        with path.open("rb") as file:
            return _parse(file.readline(MAX_LINE_BYTES))
    except OSError:
        return None


def read_image(path: Path) -> NDArray[np.float32] | None:
    """Return the image, None where the file is damaged; a large one is mapped, to be looked at."""
    try:
        with path.open("rb") as file:
            line = file.readline(MAX_LINE_BYTES)
        values = np.memmap(path, "<f4", "r", len(line), _shape_in(path, line))
    except (OSError, ValueError) as e:
        log.warning("checkpoint %s cannot be read (%s)", path.name, e)
        return None
    head = _parse(line)
    if head is None or head.sha256 != _digest(json.loads(line), pieces_of(values)):
        log.warning("checkpoint %s is damaged", path.name)
        return None
    return values if values.nbytes > MAPPED_BYTES else np.array(values, np.float32)


def _shape_in(path: Path, line: bytes) -> tuple[int, ...]:
    """Return the shape of the image in a checkpoint; raises `ValueError` where it is not there."""
    head = _parse(line)
    if head is None:
        raise ValueError("its first line is damaged")
    if path.stat().st_size != len(line) + 4 * prod(head.shape):
        raise ValueError("it is shorter or longer than its image")
    return head.shape


def read_checkpoint(path: Path) -> tuple[Head, Volume] | None:
    """Return the image with its meaning, None where the file is damaged or absent."""
    head = read_head(path)
    image = None if head is None else read_image(path)
    if head is None or image is None:
        return None
    grid = ImageGrid(head.shape, head.voxel_mm, head.centre_mm)
    axes: Plain = {"axes": head.axes, STATED_AXES: head.stated_axes}
    return head, Volume(image, grid, head.unit, axes)


def _parse(line: bytes) -> Head | None:
    try:
        return Head.model_validate_json(line)
    except ValidationError:
        return None


def _digest(said: Plain, data: Iterable[memoryview]) -> str:
    """Return the digest of a first line as it was written, and of the image.

    Fields that were added since are not in the line of an older checkpoint.
    """
    unset = {"frame_ms", "gate"}  # older checkpoints have neither
    values = {k: v for k, v in said.items() if not (k in unset and v is None) and k != "sha256"}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for piece in data:
        digest.update(piece)
    return digest.hexdigest()
