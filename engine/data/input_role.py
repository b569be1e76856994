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
    page : its name
    words, tip : text and tip of its button
    of_rings : True if it is made for scanners of rings alone
    """

    page: str
    words: str
    tip: str
    of_rings: bool = False


@dataclass(frozen=True)
class InputRole:
    """One kind of auxiliary file, declared by the correction or modality that uses it.

    Command line, window, file dialogs, provenance, checkpoints and the replay line all follow
    from it.

    Attributes
    ----------
    key : key in study files and on the command line, `--key`
    title : displayed name
    text : short description for help texts
    without : consequence of a missing file, one sentence
    suffixes : endings of its files, for dialogs
    read : returns its content; called with its path and with the scan's scanner, None if it has
        none. Raises `EngineError` where the file is no such thing, or not of this scanner
    describe : one line about a content
    attach : returns a scan with the content; as an entry of its `auxiliary` by default
    accepts : True if a file, opened, can only be one of these
    format : name under which `engine.io.inspect` knows such files, where only content tells
    takes_volume : True if a volume that is opened beside a scan is meant to be one of these
    summary : summary of a content for the window; by default the content
    is_aligned_with_patient : True for a volume in the patient position of its own scan, as a CT
    of_scanner : True if a file belongs to the scanner and serves many scans; else to one scan alone
    making : the page on which it can be made, where there is one
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
        """Return the scan with this content."""
        if self.attach is not None:
            attached: D = self.attach(data, content)
            return attached
        return with_auxiliary(data, self.key, content)


def with_auxiliary(data: D, key: str, content: Any) -> D:
    """Return the scan with one more entry in its `auxiliary`."""
    auxiliary: Mapping[str, Any] = {**data.auxiliary, key: content}  # type: ignore[attr-defined]
    return replace(data, auxiliary=auxiliary)  # type: ignore[type-var]
