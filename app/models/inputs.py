"""The files of a study as the window knows them: chosen, being read, ready or at fault."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.geometry import ImageGrid, Scanner
from engine.modalities import OpenStudy, Protocol, ScanSummary, Study

DATA, SCANNER = "data", "scanner"
"""Keys of the scan and of its scanner; the others are those of auxiliary files."""


@dataclass(frozen=True)
class Input:
    """One file (or scanner name) of the study and what was found in it.

    Attributes
    ----------
    value : path, or name of a scanner
    text : what it is, in plain words; empty while it is being read
    fault : why it cannot be used, one sentence
    content : what is kept of it: a summary of the scan, a scanner, or what its role says
    """

    value: str
    text: str = ""
    fault: str = ""
    content: Any = None

    @property
    def name(self) -> str:
        """File name without its folder, or the scanner's name."""
        return Path(self.value).name

    @property
    def is_reading(self) -> bool:
        """Whether the file is still being read."""
        return not self.text and not self.fault

    @property
    def usable(self) -> Any:
        """The content; None while it is being read, and of a file at fault."""
        return None if self.fault else self.content


class Inputs(dict[str, Input]):
    """The inputs of a study by role; `pending` names files that may soon take a place."""

    def __init__(self, **inputs: Input) -> None:
        super().__init__(inputs)
        self.pending: dict[str, str] = {}

    @property
    def scan(self) -> ScanSummary | None:
        """The scan, once it is read."""
        found = self.get(DATA)
        return found.usable if found is not None else None

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use: the chosen one, or the one the scan names."""
        chosen = self.get(SCANNER)
        if chosen is not None:
            scanner: Scanner | None = chosen.usable
            return scanner
        return self.scan.scanner if self.scan is not None else None

    @property
    def open_study(self) -> OpenStudy:
        """What is known of the study before it runs."""
        contents = {
            role: found.content
            for role, found in self.items()
            if role not in (DATA, SCANNER) and found.usable is not None
        }
        return OpenStudy(self.scan, self.scanner, contents)

    @property
    def expected_study(self) -> OpenStudy:
        """The same, with the scan's own scanner while the chosen one is being read."""
        known = self.open_study
        if known.scanner is None and known.scan is not None:
            return replace(known, scanner=known.scan.scanner)
        return known

    @property
    def length_unit(self) -> str:
        """Unit of lengths: pixels where a scan does not say how large they are."""
        return self.scan.length_unit if self.scan is not None else "mm"

    def describe(self, grid: ImageGrid) -> str:
        """Return a grid in plain words, in the unit of the scan."""
        return grid.describe(self.length_unit)

    def to_study(self, protocol: Protocol) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen."""
        values = {role: found.value for role, found in self.items()}
        return Study.model_validate({**values, "protocol": protocol})

    def fault(self) -> str:
        """Return the first reason why this study cannot run, empty if there is none."""
        if DATA not in self:
            return "Open a scan first."
        for found in self.values():
            if found.fault:
                return found.fault
        for found in self.values():
            if found.is_reading:
                return f"{found.name} is still being read."
        for value in self.pending.values():
            return f"{Path(value).name} is still being read."
        if self.scanner is None and (self.scan is None or self.scan.needs_scanner):
            return "The scan does not say which scanner it is from; choose one in step 1."
        return ""
