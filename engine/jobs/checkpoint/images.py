"""Read and write checkpoint files: a line of JSON, then little-endian float32 values [z, y, x].

Blanks pad the line to a multiple of 64 bytes. A digest in the line covers its other values and
the image, so that a damaged file is never accepted.
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
from engine.data.formatting import MAX_UNIT_CHARACTERS
from engine.data.patient_position import STATED_AXES
from engine.data.runs.events import Preview
from engine.data.runs.history import RunHistory
from engine.data.storage.iterates import remove_iterates
from engine.data.timing.time_frames import Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.io.safety.atomic_write import publishing, refuse_other_bytes

IMAGES = ("checkpoint-0.bin", "checkpoint-1.bin")
MAX_LINE_BYTES = 1 << 20
"""Longest accepted first line. The history of the longest possible run fits."""
ALIGNED = 64
"""The image starts at a multiple of this number of bytes, so that it can be mapped."""
MAPPED_BYTES = 1 << 30
"""Larger images are mapped, not read: a run that worked in files may not have the memory."""

log = logging.getLogger(__name__)


class Head(Settings):
    """Description of the image in a checkpoint.

    Attributes
    ----------
    done : number of updates before the image
    shape : (n_z, n_y, n_x)
    voxel_mm, centre_mm : voxel size and centre of the grid
    unit, axes : unit of the values, and the sides to which x, y and z grow
    stated_axes : sides to which the scanner's axes grow, from the stated patient position
    protocol : digest of the settings
    inputs : (name, digest) of each file, by its role
    history : run history up to the image
    frame_ms : start and end of the frame that this image finishes; None for other images
    gate : number, count and length [ms] of the gate; None without gates
    sha256 : digest of all other values and of the image
    """

    format: Literal["isocenter-checkpoint-3"] = "isocenter-checkpoint-3"
    done: int = setting(ge=0)
    shape: tuple[int, int, int] = setting()
    voxel_mm: Point = setting()
    centre_mm: Point = setting()
    unit: str = setting(max_length=MAX_UNIT_CHARACTERS)
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
        """Return the description of an image of a run.

        Parameters
        ----------
        preview
            image with its run history
        protocol
            digest of the settings
        inputs
            (name, digest) of each file, by its role
        """
        volume = preview.volume
        # Images within the iterations of a frame are ordinary checkpoints: the frame is not
        # finished
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
    """The images of the last two checkpoints of a job. A new image replaces the older one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files = tuple(folder / name for name in IMAGES)

    def newest_first(self) -> list[tuple[Head, Path]]:
        """Return the readable descriptions with their files, the newest image first."""
        read = ((read_head(path), path) for path in self.files)
        found = [(head, path) for head, path in read if head is not None]
        # Two files, so that one complete image remains if the machine stops during a write
        return sorted(found, key=lambda pair: -pair[0].done)

    @property
    def oldest(self) -> Path:
        """The file that the next image will replace: a damaged or missing one first."""
        done = {path: head.done for head, path in self.newest_first()}
        return min(self.files, key=lambda path: done.get(path, -1))

    @property
    def is_there(self) -> bool:
        """True if a file exists, even a damaged one."""
        return any(path.exists() for path in self.files)

    def remove(self) -> None:
        """Delete both images, and the temporary images of a run that died."""
        remove_iterates(self._folder)
        for path in self.files:
            path.unlink(missing_ok=True)


def write_image(volume: Volume, head: Head, path: Path) -> None:
    """Write a checkpoint file atomically.

    Parameters
    ----------
    volume
        image; its values may be mapped from another file
    head
        description of the image, still without a digest
    path
        file that is created or replaced

    Raises
    ------
    ResourceError
        if the disk is full, or returns other bytes than were written
    """
    values = np.ascontiguousarray(volume.values, "<f4")
    # The digest covers the JSON values, not the text, so the order of keys does not matter
    header = head.model_dump(mode="json")
    signed = head.model_copy(update={"sha256": _digest(header, pieces_of(values))})
    line = signed.model_dump_json().encode()
    # The line break is the last byte of the padding: `readline` returns the whole head
    line += b" " * (-(len(line) + 1) % ALIGNED) + b"\n"

    def written() -> Iterator[bytes | memoryview]:
        yield line
        yield from pieces_of(values)

    # Read back before the rename: a disk can accept bytes that it cannot return
    def check(part: Path) -> None:
        refuse_other_bytes(part, written(), path)

    n_bytes = len(line) + values.nbytes
    with publishing(path, n_bytes, check) as part, part.open("wb") as file:
        for piece in written():
            file.write(piece)


def read_head(path: Path) -> Head | None:
    """Return the description in a checkpoint, without checking the image.

    Parameters
    ----------
    path
        checkpoint file

    Returns
    -------
    head
        description, None if the file is missing or its first line is damaged
    """
    try:
        with path.open("rb") as file:
            return _parse(file.readline(MAX_LINE_BYTES))
    except OSError:
        return None


def read_image(path: Path) -> NDArray[np.float32] | None:
    """Return the image of a checkpoint after comparing its digest.

    Parameters
    ----------
    path
        checkpoint file

    Returns
    -------
    image
        [z, y, x], read-only and mapped above `MAPPED_BYTES`; None if the file is damaged
    """
    try:
        with path.open("rb") as file:
            line = file.readline(MAX_LINE_BYTES)
        # Mapped for the digest in any case: the pages of a large image can be dropped again
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
    """Return the shape of the image in a checkpoint; raise `ValueError` if its size differs."""
    head = _parse(line)
    if head is None:
        raise ValueError("the header is damaged")
    if path.stat().st_size != len(line) + 4 * prod(head.shape):
        raise ValueError("the size does not match the header")
    return head.shape


def read_checkpoint(path: Path) -> tuple[Head, Volume] | None:
    """Return the image of a checkpoint as a volume.

    Parameters
    ----------
    path
        checkpoint file

    Returns
    -------
    checkpoint
        (description, volume), None if the file is damaged or missing
    """
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


def _digest(header: Plain, data: Iterable[memoryview]) -> str:
    """Return the digest of the values of a first line, and of the image.

    Fields that were added later are not in the line of an older checkpoint.
    """
    unset = {"frame_ms", "gate"}  # older checkpoints have neither
    values = {k: v for k, v in header.items() if not (k in unset and v is None) and k != "sha256"}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for piece in data:
        digest.update(piece)
    return digest.hexdigest()
