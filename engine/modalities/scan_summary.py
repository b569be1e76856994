"""Summary of a scan after reading: facts and a sample, without its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner

if TYPE_CHECKING:
    from engine.modalities.xray_ct.radiograph_store import RadiographStore

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class ScanSummary:
    """A scan without its values. Each modality adds the facts that it needs before a run.

    Attributes
    ----------
    modality : key of the kind of scan whose protocols suit it best
    text : description in one line
    facts : (label, text), in the order to show them
    notes : notes of the reader, one sentence each
    scanner : the scanner it names; None where it is not needed, or not known
    format : name of its format where such files do not say which scanner they are from, else empty
    needs_scanner : True if a run needs a scanner
    fault : why the scan cannot be reconstructed, empty if it can
    is_cut_off : True if its file ends within a record, of which the user knows
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

    @property
    def length_unit(self) -> str:
        """Unit of lengths: "pixels" where the scan does not say how large they are."""
        return "mm"

    def describe(self, grid: ImageGrid) -> str:
        """Return a grid in plain words, in the unit of the scan."""
        return grid.describe(self.length_unit)

    @property
    def is_list_mode(self) -> bool:
        """True if it holds coincidences one by one."""
        return False

    @property
    def said(self) -> Plain:
        """Facts of the scan, by the keys of its reader; empty if not requested."""
        return {}

    @property
    def brings(self) -> tuple[str, ...]:
        """Keys of the auxiliary inputs that are in the scan itself."""
        return ()

    @property
    def projections(self) -> RadiographStore | None:
        """The projections of an X-ray scan, to be looked at one by one; None: it has none."""
        return None

    @property
    def phantom(self) -> Plain | None:
        """Simulated phantom, if the scan states it; else None."""
        return None
