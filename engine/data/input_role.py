"""Roles of auxiliary files of a study: purpose, reader and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

D = TypeVar("D")


@dataclass(frozen=True)
class Making:
    """Page of the window that creates a file of a role.

    Attributes
    ----------
    page : name of the page
    words, tip : text and tooltip of its button
    of_rings : True if it works only for ring scanners
    """

    page: str
    words: str
    tip: str
    of_rings: bool = False


@dataclass(frozen=True)
class InputRole:
    """A kind of auxiliary file, declared by the correction or modality that uses it.

    Command line, window, file dialogs, provenance, checkpoints and the replay line are built
    from it.

    Attributes
    ----------
    key : key in study files and on the command line, `--key`
    title : displayed name
    text : short description for help texts
    without : consequence of a missing file, one sentence
    suffixes : file name endings, for dialogs
    read : returns the content; called with the path, and the scanner of the scan or None. Raises
        `EngineError` if the file is of another kind or scanner
    describe : one line about the content of a file
    attach : returns a scan with the content; as an entry of its `auxiliary` by default
    accepts : True if an open file can only be of this kind
    format : name of such files in `engine.io.inspect`, if only their content identifies them
    takes_volume : True if a volume opened next to a scan is of this kind
    summary : summary of the content for the window; by default the content itself
    is_aligned_with_patient : True for a volume in the patient position of its scan, such as a CT
    of_scanner : True if a file belongs to the scanner and serves many scans; False: to one scan
    making : page on which it can be created, if there is one
    """

    key: str
    title: str
    text: str
    without: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, Any], Any]
    describe: Callable[[Any], str] = lambda content: ""
    attach: Callable[[Any, Any], Any] | None = None
    accepts: Callable[[Any], bool] = lambda file: False
    format: str = ""
    takes_volume: Callable[[Any], bool] = lambda volume: False
    summary: Callable[[Any], Any] = lambda content: content
    is_aligned_with_patient: bool = False
    of_scanner: bool = False
    making: Making | None = None

    def attached(self, data: D, content: Any) -> D:
        """Return the scan with the content of a file.

        Parameters
        ----------
        data
            scan of any modality
        content
            result of `read`
        """
        if self.attach is not None:
            attached: D = self.attach(data, content)
            return attached
        return with_auxiliary(data, self.key, content)


def with_auxiliary(data: D, key: str, content: Any) -> D:
    """Return the scan with one more entry in its `auxiliary`.

    Parameters
    ----------
    data
        scan with a field `auxiliary`
    key
        key of the input role
    content
        result of the reader of the role
    """
    auxiliary: Mapping[str, Any] = {**data.auxiliary, key: content}  # type: ignore[attr-defined]
    return replace(data, auxiliary=auxiliary)  # type: ignore[type-var]
