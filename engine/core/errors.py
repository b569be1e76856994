"""What can go wrong, one class per remedy; each message is one sentence to act on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

LONGEST = 1200
"""Characters of a message."""


class EngineError(Exception):
    """Base of all faults the user can mend: what, where, got and wanted, way out.

    Examples
    --------
    >>> import engine
    >>> try:
    ...     engine.read("no-such-scan.h5")
    ... except engine.EngineError as fault:
    ...     print(fault)
    no-such-scan.h5: no such file; check the path.
    """

    def __init__(self, message: str = "", *more: object) -> None:
        super().__init__(_shortened(" ".join(message.split("\n"))), *more)


def _shortened(text: str) -> str:
    """Return a sentence that fits on a screen, whatever a damaged file has put into it."""
    left = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:left]} … {text[-left:]}"


class FileFormatError(EngineError):
    """The file is damaged, incomplete or not what its name or header says."""


class UnknownFormatError(EngineError):
    """No reader recognises the file."""


class SettingsError(EngineError):
    """A protocol, scanner or study file, or an option, holds something it may not."""


class GeometryError(EngineError):
    """Data, scanner and images do not describe the same place."""


class ScannerMissingError(GeometryError):
    """The scan does not say which scanner it is from, and nobody has chosen one.

    Attributes
    ----------
    format : name of its format
    """

    def __init__(self, text: str, format_name: str) -> None:
        super().__init__(text, format_name)
        self.format = format_name

    def __str__(self) -> str:
        return str(self.args[0])


class CutOffError(FileFormatError):
    """List mode that ends within a record: copied again, or used as far as it is complete.

    Attributes
    ----------
    what : what is wrong with it, without the way out
    n_events : complete events in it
    """

    def __init__(self, what: str, n_events: int) -> None:
        super().__init__(what, n_events)
        self.what, self.n_events = what, n_events

    def __str__(self) -> str:
        events = "event" if self.n_events == 1 else "events"
        return (
            f"{self.args[0]}; copy the file again, or use its {self.n_events:,} complete {events} "
            "(--use-complete-events)."
        )


class FolderItem(NamedTuple):
    """A scan or image in a folder.

    Attributes
    ----------
    path : the file to open
    text : its format, or its series in words
    """

    path: Path
    text: str

    def place(self, folder: Path) -> str:
        """Return where it lies in a folder."""
        inside = self.path.is_relative_to(folder)
        return (self.path.relative_to(folder) if inside else self.path).as_posix()


class SeveralItemsError(FileFormatError):
    """A folder holds several scans or images, and one of them is to be chosen.

    Attributes
    ----------
    items : the scans and images
    """

    def __init__(self, text: str, items: tuple[FolderItem, ...]) -> None:
        super().__init__(text, items)
        self.items = items

    def __str__(self) -> str:
        return str(self.args[0])


class ReadingStoppedError(EngineError):
    """The user did not want to wait for it any longer."""


class DataError(EngineError):
    """The file reads well but its content cannot be used: no events, NaN, another unit."""


class ResourceError(EngineError):
    """Not enough memory or disk, or no permission."""


class WorkersGoneError(ResourceError):
    """No machine is left that works on a run; it rests at its last checkpoint."""


class TakenOverError(ResourceError):
    """Another process works on the run by now; this one has nothing more to say of it."""


class OutputError(EngineError):
    """What is to be written would take the place of an input, or of a file nobody gave up."""


class NumericalError(EngineError):
    """The reconstruction left the numbers it may hold; the last good image is kept."""


class DeviceError(EngineError):
    """The GPU or its driver failed, or its memory is used up; the CPU can do the same work."""


class DeviceMemoryError(DeviceError):
    """The memory of the GPU is used up."""
