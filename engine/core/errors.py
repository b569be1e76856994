"""Exceptions, one class per remedy; each message is one sentence with the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

LONGEST = 1200
"""Maximum number of characters in a message."""


class EngineError(Exception):
    """Base class of problems that the user can fix: place, problem, values, remedy.

    Examples
    --------
    >>> import engine
    >>> try:
    ...     engine.read("no-such-scan.h5")
    ... except engine.EngineError as fault:
    ...     print(fault)
    no-such-scan.h5: this file does not exist; check the path.
    """

    def __init__(self, message: str = "", *more: object) -> None:
        # One line: messages go to logs, table cells and the status bar.
        super().__init__(_shortened(" ".join(message.split("\n"))), *more)


def _shortened(text: str) -> str:
    """Return a text that fits on the screen, even if a damaged file contributed a long value."""
    # Both ends are kept: the place is at the beginning, the remedy at the end.
    left = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:left]} … {text[-left:]}"


class FileFormatError(EngineError):
    """The file is damaged, incomplete or not what its name or header says."""


class UnknownFormatError(EngineError):
    """No reader recognises the file."""


class SettingsError(EngineError):
    """A protocol, scanner or study file, or an option, contains an invalid value."""


class InvalidSettingsError(SettingsError, ValueError):
    """Settings created in a Python program contain an invalid value.

    It is a `ValueError` too. A check of other settings therefore reports it like its own errors.
    """


class ArgumentError(SettingsError, TypeError, ValueError):
    """A call from Python has a wrong argument.

    It is a `TypeError` and a `ValueError` too, as Python programs expect.
    """


class GeometryError(EngineError):
    """Data, scanner and images do not match in space."""


class ScannerMissingError(GeometryError):
    """The scan does not name its scanner, and the user has not selected one.

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
    """List mode ends within a record: copy it again, or use the complete events.

    Attributes
    ----------
    what : the problem, without the remedy
    n_events : number of complete events
    """

    def __init__(self, what: str, n_events: int) -> None:
        super().__init__(what, n_events)
        self.what, self.n_events = what, n_events

    def __str__(self) -> str:
        return (
            f"{self.args[0]}. Copy the file again, or use only its complete events with "
            f"--use-complete-events (complete events: {self.n_events:,})."
        )


class FolderItem(NamedTuple):
    """A scan or image in a folder.

    Attributes
    ----------
    path : the file to open
    text : name of its format, or description of its series
    """

    path: Path
    text: str

    def place(self, folder: Path) -> str:
        """Return the path relative to a folder, or the whole path outside of it.

        Parameters
        ----------
        folder
            the folder that was opened
        """
        inside = self.path.is_relative_to(folder)
        return (self.path.relative_to(folder) if inside else self.path).as_posix()


class SeveralItemsError(FileFormatError):
    """A folder contains several scans or images; the user must choose one.

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
    """The user cancelled reading."""


class DataError(EngineError):
    """The file is readable but its content is unusable: no events, NaN, wrong unit."""


class LongUnitError(DataError):
    """The unit of a volume is too long for the records of results and checkpoints.

    Attributes
    ----------
    n : number of characters
    """

    def __init__(self, text: str, n: int) -> None:
        super().__init__(text, n)
        self.n = n

    def __str__(self) -> str:
        return str(self.args[0])


class ResourceError(EngineError):
    """Not enough memory or disk space, or no permission."""


class WorkersLostError(ResourceError):
    """All machines that worked on a run have stopped; it pauses at its last checkpoint."""


class OwnerChangedError(ResourceError):
    """Another process has taken over the run; this process must not report on it any more."""


class OutputError(EngineError):
    """Output would overwrite an input, or a file without permission to replace it."""


class NumericalError(EngineError):
    """The reconstruction left the valid range of numbers; the last good image is saved."""


class DeviceError(EngineError):
    """The GPU or its driver failed, or its memory is exhausted; the CPU can do the same work."""


class DeviceMemoryError(DeviceError):
    """The memory of the GPU is exhausted."""
