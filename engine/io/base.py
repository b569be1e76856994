"""Interfaces of readers and writers: one class per format, registered in `engine.io.formats`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from engine.core.json_types import Plain
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.planned_scan import PlannedScan
from engine.data.projections import Projections
from engine.data.sinogram import Sinogram
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.listmode.event_pieces import EventPieces
from engine.io.listmode.tail import ListModeTail
from engine.io.safety.atomic_write import refuse_impossible
from engine.io.safety.open_input import InputFile
from engine.io.volumes.frame_stack import whole


class Format(ABC):
    """A file format: its name for people, its endings, and how to recognise it.

    Attributes
    ----------
    name : for people
    format_name : the format as its makers call it, for `inspect`; `name` if empty
    suffixes : how names of its files end, the usual one first
    companions : suffixes of files that lie beside and may be named instead, such as images
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    companions: ClassVar[tuple[str, ...]] = ()
    format_name: ClassVar[str] = ""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        """Return the exact format of a file that this reader accepts, such as "NIfTI-2"."""
        return cls.format_name or cls.name

    @classmethod
    def ends(cls, path: Path) -> bool:
        """Return True if the file's name ends like this format's."""
        return path.name.lower().endswith(tuple(s.lower() for s in cls.suffixes))


class ListModeReader(Format):
    """Reads list-mode scans.

    Attributes
    ----------
    names_scanner : whether a scan says by itself which scanner it is from
    """

    names_scanner: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader is the one for a file; its name and its first bytes tell."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        """Read a scan; `scanner` names a scanner or its file where the scan does not."""

    @classmethod
    @contextmanager
    def pieces(cls, file: InputFile, *, scanner: str | None = None) -> Iterator[EventPieces | None]:
        """Open what reads the events in pieces; None where they are read as a whole."""
        yield None

    @classmethod
    def tail(cls, file: InputFile, *, scanner: str | None = None) -> ListModeTail | None:
        """Return what decodes the file while it grows; None where it cannot be followed."""
        return None


class HistogramReader(Format):
    """Reads histograms of dual-head scanners."""

    @classmethod
    @abstractmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader is the one for a file; its name and its first bytes tell."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> Histogram:
        """Read a histogram; `scanner` names the scanner, or its file, to take instead."""


class SinogramReader(Format):
    """Reads sinograms of ring scanners."""

    @classmethod
    @abstractmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader is the one for a file; its name and its first bytes tell."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Sinogram:
        """Read the values of all bins, with the layout that the file states."""


class ProjectionsReader(Format):
    """Reads X-ray projections.

    Attributes
    ----------
    spans_folders : whether the files of a scan lie in several folders
    """

    spans_folders: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader is the one for a file; its name and its first bytes tell."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Projections:
        """Read projections with their geometry in mm; images beside the file belong to it."""

    @classmethod
    def one_of_each(cls, paths: Sequence[Path]) -> list[Path]:
        """Return one file of each scan, of those of a folder that this reader is for."""
        return list(paths)

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        """Yield files of a scan that its settings do not lie next to, perhaps one too many."""
        yield from ()

    @classmethod
    def planned(cls, file: InputFile, shape: tuple[int, int]) -> PlannedScan | None:
        """Return what settings say before the images of that shape are there; None: nothing."""
        return None


class VolumeReader(Format):
    """Reads volumes."""

    @classmethod
    @abstractmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader is the one for a file; its name and its first bytes tell."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Volume:
        """Read a volume, axis-aligned in mm LPS; its unit is "" where the file has none."""

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read the frames of time; none of a file that holds one image."""
        return ()


class FramesReader(VolumeReader):
    """Reads volumes that may hold several frames of time."""

    @classmethod
    @abstractmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read all images: one, or one for each frame of time."""

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        found = cls.images(file)
        return whole(found) if len(found) > 1 else found[0].volume

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        found = cls.images(file)
        return found if len(found) > 1 else ()


class VolumeWriter(Format):
    """Writes volumes.

    Attributes
    ----------
    detail : what the format is good for, in a few words
    takes_turned : whether it can say where a slice lies whose sides are along no axes
    in_pieces : whether it writes a volume that lies in a file without taking it into memory
    """

    detail: ClassVar[str] = ""
    takes_turned: ClassVar[bool] = False
    in_pieces: ClassVar[bool] = False

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        """Return every file that writing to `path` makes."""
        return (path,)

    @classmethod
    def refuse_place(cls, path: Path) -> None:
        """Refuse a place that can be seen not to take a file, before any work is spent on it."""
        refuse_impossible(path)

    @classmethod
    def refuse_kind(cls, path: Path, *, is_emission: bool) -> None:
        """Refuse images of a kind of scan that the format has no place for; most take all."""
        return

    @classmethod
    def remark(cls, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()) -> str:
        """Return a sentence for whoever is about to write; empty where there is nothing to say."""
        return ""

    @classmethod
    @abstractmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        """Write a volume and where it comes from; all appears whole, or not at all."""
