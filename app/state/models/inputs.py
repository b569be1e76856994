"""The files of a study in the window. All of them have been read and checked.

They belong to one scan. Another scan has new `Inputs` and shares no file with the old ones. A
rejected file never becomes an input.
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
"""Roles of the scan and of its scanner. All other roles are auxiliary files."""


class XrayStudy(NamedTuple):
    """Projections, and the protocol that reconstructs them."""

    scan: ProjectionsSummary
    protocol: CtProtocol


@dataclass(frozen=True)
class Input:
    """One file (or scanner name) of the study, and its content.

    Attributes
    ----------
    value : path, or name of a scanner
    text : description for the user
    content : summary of the scan, a scanner, or the content that the input role defines
    origin : reason for its use if the user did not choose it for this scan; empty if somebody did
    fingerprint : fingerprint of the file that was read; empty for files of the scanner
    """

    value: str
    text: str = ""
    content: Any = None
    origin: str = ""
    fingerprint: str = ""

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
        """The scan; None until it has been read."""
        found = self.get(DATA)
        return found.content if found is not None else None

    @property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the files that were read, by role."""
        return {role: found.fingerprint for role, found in self.items() if found.fingerprint}

    @property
    def is_cut_off(self) -> bool:
        """True if the scan ends within a record and the user has accepted that."""
        return self.scan is not None and self.scan.is_cut_off

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use: the chosen one, or the one that the scan names."""
        # An explicit choice has priority, for scans that name the wrong scanner or an unknown one.
        chosen = self.get(SCANNER)
        if chosen is not None:
            scanner: Scanner | None = chosen.content
            return scanner
        return self.scan.scanner if self.scan is not None else None

    @property
    def open_study(self) -> OpenStudy:
        """The facts of the study that are known before it runs."""
        contents = {
            role: found.content
            for role, found in self.items()
            if role not in (DATA, SCANNER) and found.content is not None
        }
        return OpenStudy(self.scan, self.scanner, contents)

    @property
    def length_unit(self) -> str:
        """Unit of lengths: pixels if the scan does not state its pixel size."""
        return self.scan.length_unit if self.scan is not None else "mm"

    def describe(self, grid: ImageGrid) -> str:
        """Describe a grid in the length unit of the scan.

        Parameters
        ----------
        grid
            grid of the image

        Returns
        -------
        size and voxels, for the user
        """
        return grid.describe(self.length_unit)

    def to_study(self, protocol: Protocol) -> Study:
        """Return the study for the engine.

        Parameters
        ----------
        protocol
            the protocol to run

        Raises
        ------
        ValidationError
            no scan has been opened
        """
        values = {role: found.value for role, found in self.items()}
        how: Plain = {
            "protocol": protocol,
            "complete_events": self.is_cut_off,
            "fingerprints": self.fingerprints,
        }
        return Study.model_validate({**values, **how})

    def is_scan_of(self, study: Study) -> bool:
        """Return True if the open scan is that of a study.

        Parameters
        ----------
        study
            study of an image; the path decides only if it has no fingerprint of its scan
        """
        data, known = self.get(DATA), study.fingerprints.get(DATA)
        if data is None:
            return False
        # Another scan, perhaps of another patient, can take the place of a file.
        if known and data.fingerprint:
            return data.fingerprint == known
        return Path(data.value).absolute() == study.data.absolute()

    def fault(self) -> str:
        """Return the first reason why the study cannot run; empty if there is none."""
        if DATA not in self:
            return tr("Open a scan first.")
        # Formats such as plain list mode hold crystal numbers, which mean nothing without a
        # geometry.
        if self.scanner is None and (self.scan is None or self.scan.needs_scanner):
            return tr("The scan does not name its scanner; choose one in the card Scan.")
        return ""


def role_created_on(page: str) -> InputRole:
    """Return the input role for a file that a page of the window creates.

    Parameters
    ----------
    page
        key of the page, from `InputRole.making`

    Raises
    ------
    StopIteration
        no role is created there
    """
    return next(each for each in all_roles() if each.making and each.making.page == page)


def roles_of(modality: AnyModality) -> tuple[str, ...]:
    """Return the roles that studies of a modality may have, in reading order.

    Parameters
    ----------
    modality
        the kind of scan
    """
    # The scanner comes first, because some scans can only be read with its geometry.
    scanner = (SCANNER,) if modality.takes_scanner else ()
    return (*scanner, DATA, *(role.key for role in modality.inputs))
