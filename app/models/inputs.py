"""The files of a study as the window knows them: chosen, being read, ready or at fault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.models.histogram_scan import HistogramScan
from app.models.xray_scan import XrayScan
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.scanner import Scanner
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol

Role = Literal["data", "scanner", "attenuation", "normalisation", "response"]
AnyProtocol = ListModeProtocol | DualHeadProtocol | CtProtocol
"""A protocol of any kind of scan."""


@dataclass(frozen=True)
class Scan:
    """What the window keeps of a PET scan: facts, and a few events to ask the corrections about."""

    sample: ListMode
    n_events: int
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


AnyScan = Scan | HistogramScan | XrayScan


@dataclass(frozen=True)
class Input:
    """One file (or scanner name) of the study and what was found in it.

    Attributes
    ----------
    value : path, or name of a scanner
    text : what it is, in plain words; empty while it is being read
    fault : why it cannot be used, one sentence
    content : what the engine made of it: Scan, HistogramScan, XrayScan, Scanner, Volume (μ-map),
        efficiencies, or the panels whose response it is
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


class Inputs(dict[Role, Input]):
    """The inputs of a study by role; `pending` names files that may soon take a place."""

    def __init__(self, **inputs: Input) -> None:
        super().__init__(inputs)  # type: ignore[arg-type]
        self.pending: dict[Role, str] = {}

    @property
    def scan(self) -> AnyScan | None:
        """The scan, once it is read."""
        found = self.get("data")
        return found.content if found and isinstance(found.content, AnyScan) else None

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use: the chosen one, or the one the scan names."""
        chosen = self.get("scanner")
        if chosen is not None:
            return chosen.content if isinstance(chosen.content, Scanner) else None
        if isinstance(self.scan, HistogramScan):
            return self.scan.scanner
        return self.scan.sample.scanner if isinstance(self.scan, Scan) else None

    @property
    def length_unit(self) -> str:
        """In what lengths are told: pixels where a scan does not say how large they are."""
        scan = self.scan
        is_known = not isinstance(scan, XrayScan) or scan.empty_scan.pixel_mm_known
        return "mm" if is_known else "pixels"

    def describe(self, grid: ImageGrid) -> str:
        """Return a grid in plain words, in the unit of the scan."""
        unit = self.length_unit
        if grid.voxel_mm == (1.0, 1.0, 1.0):
            unit = unit.removesuffix("s")
        return grid.describe().replace(" mm", f" {unit}")

    def to_study(self, protocol: AnyProtocol) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen."""
        values = {role: found.value for role, found in self.items()}
        return Study.model_validate({**values, "protocol": protocol})

    def fault(self) -> str:
        """Return the first reason why this study cannot run, empty if there is none."""
        if "data" not in self:
            return "Open a scan first."
        for found in self.values():
            if found.fault:
                return found.fault
        for found in self.values():
            if found.is_reading:
                return f"{found.name} is still being read."
        for value in self.pending.values():
            return f"{Path(value).name} is still being read."
        if self.scanner is None and not isinstance(self.scan, XrayScan):
            return "The scan does not say which scanner it is from; choose one in step 1."
        return ""
