"""Interfaces of readers and writers: one class per format, registered in `engine.io.formats`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.io.format_table import BUILT_IN
from engine.io.safety.atomic_write import refuse_impossible
from engine.io.volumes.frame_stack import whole

if TYPE_CHECKING:
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
    from engine.io.safety.open_input import InputFile


class Format(ABC):
    """A file format: its name, its suffixes, and how it is recognised.

    The tables of formats state `name`, `suffixes`, `companions` and `could`. A class states them
    itself if its entry does not.

    Attributes
    ----------
    name : name in dialogs and messages
    format_name : official name of the format, for `inspect`; empty if it equals `name`
    suffixes : suffixes of its files, the default first
    companions : suffixes of adjacent files that can be opened instead, such as images
    could : condition that every file of this format meets
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    companions: ClassVar[tuple[str, ...]] = ()
    format_name: ClassVar[str] = ""
    could: ClassVar[Callable[[InputFile], bool]]

    def __init_subclass__(cls) -> None:
        """Take name and suffixes from the entry of the class."""
        super().__init_subclass__()
        entry = BUILT_IN.get(f"{cls.__module__}.{cls.__name__}")
        if entry is not None and entry.stated_name:
            cls.name, cls.suffixes = entry.stated_name, entry.stated_suffixes
            cls.companions, cls.could = entry.stated_companions, staticmethod(entry.could)

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        """Return the exact format of a file that this reader accepts, such as "NIfTI-2".

        Parameters
        ----------
        file
            an open file for which `accepts` is true

        Returns
        -------
        name
            official name; readers of several versions override this method
        """
        return cls.format_name or cls.name

    @classmethod
    def ends(cls, path: Path) -> bool:
        """Return True if the file name has a suffix of this format; case is ignored."""
        return path.name.lower().endswith(tuple(s.lower() for s in cls.suffixes))


class Reader(Format):
    """Reads files of one kind."""

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        """Return True if this reader can read the file, decided from its name and first bytes.

        The default is the condition in the table of formats.
        """
        return cls.could(file)


class ListModeReader(Reader):
    """Reads list-mode scans.

    Attributes
    ----------
    names_scanner : True if a scan states its own scanner
    """

    # False for formats such as SAFIR, whose crystal numbers mean nothing without a crystal map. The
    # window then asks for a scanner before it reads the file.
    names_scanner: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        """Read all events of a scan.

        Parameters
        ----------
        file
            an open file that `accepts` has accepted
        scanner
            name of a built-in scanner, or path of a scanner file or crystal map; None if the file
            states
            its scanner

        Returns
        -------
        scan
            events in the order of the file, with crystal numbers of the conventions

        Raises
        ------
        EngineError
            if the file is damaged, or no scanner is known
        """

    @classmethod
    @contextmanager
    def pieces(cls, file: InputFile, *, scanner: str | None = None) -> Iterator[EventPieces | None]:
        """Open an iterator over the events, for scans that do not fit in memory.

        Parameters
        ----------
        file
            an open file that `accepts` has accepted; it stays open within the block
        scanner
            as in `read`

        Yields
        ------
        pieces
            source of the events; None if this format can only be read as a whole
        """
        yield None

    @classmethod
    def tail(cls, file: InputFile, *, scanner: str | None = None) -> ListModeTail | None:
        """Return a decoder that follows a file while the scanner writes it.

        Parameters
        ----------
        file
            an open file that `accepts` has accepted
        scanner
            as in `read`

        Returns
        -------
        tail
            decoder of the bytes that are added; None if this format cannot be followed
        """
        return None


class HistogramReader(Reader):
    """Reads histograms of dual-head scanners."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> Histogram:
        """Read a histogram; a `scanner` (name or file) replaces the one that the file states."""


class SinogramReader(Reader):
    """Reads sinograms of ring scanners."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Sinogram:
        """Read the values of all bins, in the layout that the file states."""


class ProjectionsReader(Reader):
    """Reads X-ray projections.

    Attributes
    ----------
    spans_folders : True if the files of a scan can be in several folders
    """

    spans_folders: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Projections:
        """Read projections and their geometry [mm]; images next to the file belong to the scan."""

    @classmethod
    def one_of_each(cls, paths: Sequence[Path]) -> list[Path]:
        """Return one file for each scan in a folder.

        Parameters
        ----------
        paths
            the files of one folder that this reader accepts

        Returns
        -------
        files
            the default treats each file as its own scan
        """
        return list(paths)

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        """Yield files of a scan in other folders than its settings; one too many is allowed."""
        yield from ()

    @classmethod
    def may_read_series(cls, settings: Path, prefix: str) -> bool:
        """Return True if numbered images can belong to a scan; one series too many is allowed.

        Parameters
        ----------
        settings
            settings of the scan
        prefix
            names of the images without their numbers and suffix

        Raises
        ------
        EngineError
            if the settings cannot be read
        """
        return True

    @classmethod
    def planned(cls, file: InputFile, shape: tuple[int, int]) -> PlannedScan | None:
        """Return the scan that a settings file describes, before its images exist.

        Parameters
        ----------
        file
            settings of the scan
        shape
            expected (rows, columns) of the images

        Returns
        -------
        scan
            geometry and number of views, for live reconstruction; None if the settings do not state
            them
        """
        return None


class VolumeReader(Reader):
    """Reads volumes."""

    @classmethod
    @abstractmethod
    def read(cls, file: InputFile) -> Volume:
        """Read a volume, axis-aligned in mm LPS; its unit is "" if the file states none."""

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read the time frames; a file with one image has none."""
        return ()


class FramesReader(VolumeReader):
    """Reads volumes that can contain several time frames."""

    @classmethod
    @abstractmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        """Read all images: one, or one for each time frame."""

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        # Callers that know only volumes get one image: the sum of counts, else the mean.
        found = cls.images(file)
        return whole(found) if len(found) > 1 else found[0].volume

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        # A static scan is not a series, even if its format could store one.
        found = cls.images(file)
        return found if len(found) > 1 else ()


class VolumeWriter(Format):
    """Writes volumes.

    Attributes
    ----------
    detail : purpose of the format, in a few words
    takes_turned : True if the format can store a slice that is not parallel to the axes
    in_pieces : True if it writes a volume from disk without loading it into memory
    stores_errors : True if the error map of an image is written with it
    """

    detail: ClassVar[str] = ""
    takes_turned: ClassVar[bool] = False
    in_pieces: ClassVar[bool] = False
    stores_errors: ClassVar[bool] = False

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        """Return every file that writing to `path` creates."""
        return (path,)

    @classmethod
    def refuse_place(cls, path: Path) -> None:
        """Refuse a target that cannot be written, before a long run starts.

        Raises
        ------
        ResourceError
            if the folder is missing, read-only or full, or the name is not allowed
        """
        refuse_impossible(path)

    @classmethod
    def refuse_kind(cls, path: Path, *, is_emission: bool) -> None:
        """Refuse images of a kind that the format cannot store; most formats accept all."""
        return

    @classmethod
    def note(cls, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()) -> str:
        """Return a sentence that the user should read before writing.

        Parameters
        ----------
        volume
            image to write
        provenance
            its origin, as it will be stored
        frames
            its time frames, if it has any

        Returns
        -------
        text
            empty if there is nothing to say
        """
        return ""

    @classmethod
    @abstractmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        """Write a volume with its provenance, completely or not at all.

        Parameters
        ----------
        volume
            image to write; its values can be in a file
        path
            target; an existing file is replaced
        provenance
            origin of the image as JSON values

        Raises
        ------
        EngineError
            if the target cannot be written, or if the format cannot store the values
        """
