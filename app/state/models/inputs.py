"""The files of a study as the window knows them: all were read and are sound.

They belong to the scan among them. Another scan begins other `Inputs`; none goes from one to the
other. A file that is refused never becomes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from app.language.translation import tr
from engine.data import InputRole, Plain
from engine.geometry import ImageGrid, Scanner
from engine.modalities import (
    AnyModality,
    CtProtocol,
    OpenStudy,
    ProjectionsSummary,
    Protocol,
    ScanSummary,
    Study,
    all_roles,
)

DATA, SCANNER = "data", "scanner"
"""Keys of the scan and of its scanner; the others are those of auxiliary files."""


class XrayStudy(NamedTuple):
    """Projections, and the protocol that reconstructs them."""

    scan: ProjectionsSummary
    protocol: CtProtocol


@dataclass(frozen=True)
class Input:
    """One file (or scanner name) of the study and what was found in it.

    Attributes
    ----------
    value : path, or name of a scanner
    text : what it is, in plain words
    content : what is kept of it: a summary of the scan, a scanner, or what its role says
    origin : why it is here though nobody chose it for this scan; empty if somebody did
    """

    value: str
    text: str = ""
    content: Any = None
    origin: str = ""

    @property
    def name(self) -> str:
        """File name without its folder, or the scanner's name."""
        return Path(self.value).name


class Inputs(dict[str, Input]):
    """The inputs of one study by role; the scan stands for all of them."""

    def __init__(self, **inputs: Input) -> None:
        super().__init__(inputs)

    @property
    def scan(self) -> ScanSummary | None:
        """The scan, once it is read."""
        found = self.get(DATA)
        return found.content if found is not None else None

    @property
    def is_cut_off(self) -> bool:
        """Whether the scan's file ends within a record, as the user knows."""
        return self.scan is not None and self.scan.is_cut_off

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use: the chosen one, or the one the scan names."""
        chosen = self.get(SCANNER)
        if chosen is not None:
            scanner: Scanner | None = chosen.content
            return scanner
        return self.scan.scanner if self.scan is not None else None

    @property
    def open_study(self) -> OpenStudy:
        """What is known of the study before it runs."""
        contents = {
            role: found.content
            for role, found in self.items()
            if role not in (DATA, SCANNER) and found.content is not None
        }
        return OpenStudy(self.scan, self.scanner, contents)

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
        how: Plain = {"protocol": protocol, "complete_events": self.is_cut_off}
        return Study.model_validate({**values, **how})

    def fault(self) -> str:
        """Return the first reason why this study cannot run, empty if there is none."""
        if DATA not in self:
            return tr("Open a scan first.")
        if self.scanner is None and (self.scan is None or self.scan.needs_scanner):
            return tr("The scan does not name its scanner; choose one in step 1.")
        return ""


def role_made_on(page: str) -> InputRole:
    """Return the kind of file that is made on a page of the window."""
    return next(each for each in all_roles() if each.making and each.making.page == page)


def roles_of(modality: AnyModality) -> tuple[str, ...]:
    """Return the keys of the inputs that studies of a kind may hold, in the order to read them."""
    scanner = (SCANNER,) if modality.takes_scanner else ()
    return (*scanner, DATA, *(role.key for role in modality.inputs))
