"""Summary of a scan after reading: facts and a sample, without its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine.core.json_types import Plain
from engine.data.runs.events import warnings_among
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.io.safety.cut_off import ONLY_COMPLETE

if TYPE_CHECKING:
    from engine.modalities.xray_ct.radiograph_store import RadiographStore

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class ScanSummary:
    """A scan without its values. Each modality adds the facts that it needs before a run.

    Attributes
    ----------
    modality : key of the modality that suits it best
    text : description in one line
    facts : (label, text) in display order
    notes : notes of the reader, one sentence each
    scanner : the scanner it names; None if it is unknown or not needed
    format : name of its format if such files do not name their scanner, otherwise empty
    needs_scanner : True if a run needs a scanner
    fault : why the scan cannot be reconstructed; empty if it can
    is_cut_off : True if its file ends within a record and the user has accepted this
    fingerprint : fingerprint of the files that were read (`engine.io.fingerprint_of`)
    linked : files that the scan refers to in HDF5 (`engine.io.input_files.links_behind`)
    """

    modality: ClassVar[str]
    text: str
    facts: Facts
    notes: tuple[str, ...] = ()
    scanner: Scanner | None = None
    format: str = ""
    needs_scanner: bool = True
    fault: str = ""
    is_cut_off: bool = False
    fingerprint: str = field(default="", kw_only=True)
    linked: tuple[Path, ...] = field(default=(), kw_only=True)

    @property
    def length_unit(self) -> str:
        """Unit of lengths; "pixels" if the scan does not state their size."""
        return "mm"

    def describe(self, grid: ImageGrid) -> str:
        """Return a grid in words, in the unit of the scan.

        Parameters
        ----------
        grid
            grid of an image
        """
        return grid.describe(self.length_unit)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Notes about assumed values and losses that the user has not accepted yet."""
        known = warnings_among(self.notes)
        return tuple(text for text in known if not (self.is_cut_off and ONLY_COMPLETE in text))

    # The base class answers for scans without these features, so that general code need not ask.
    @property
    def is_list_mode(self) -> bool:
        """True if it contains individual coincidences."""
        return False

    @property
    def stated(self) -> Plain:
        """Facts of the scan by the keys of its reader; empty if they were not read."""
        return {}

    @property
    def brings(self) -> tuple[str, ...]:
        """Keys of the auxiliary inputs that are in the scan itself."""
        return ()

    @property
    def projections(self) -> RadiographStore | None:
        """Projections of an X-ray scan for viewing; None if there are none."""
        return None

    @property
    def phantom(self) -> Plain | None:
        """Simulated phantom, if the scan states it; else None."""
        return None
