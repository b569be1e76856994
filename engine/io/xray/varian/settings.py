"""`Scan.xml` of a Varian scan: distances, the detector's place and the filter, in mm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.io.safety.open_input import InputFile
from engine.io.xray.text.xml_text import XmlText

NAME = "Scan.xml"
ROOT = re.compile(rb"<Scan[\s>]")
PLACE = ("Scan", "Acquisitions")
DISTANCES = "SAD", "SID"
WITHOUT_FILTER = "none", "no", "nobowtie", "false"


@dataclass(frozen=True)
class VarianSettings:
    """Planned settings of a scan.

    Attributes
    ----------
    path : of the file
    source_axis_mm, source_detector_mm : distances
    lateral_mm : of the detector's centre along its columns; None where it is not said
    bowtie : whether a bow-tie filter was in the beam
    """

    path: Path
    source_axis_mm: float
    source_detector_mm: float
    lateral_mm: float | None
    bowtie: bool


def is_settings(file: InputFile) -> bool:
    """Return True if a file is the settings of a scan, by its name and its first bytes."""
    return file.name.lower() == NAME.lower() and ROOT.search(file.head) is not None


class _Text(XmlText):
    """Texts of the acquisition."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.found: dict[str, str] = {}

    def closed(self, name: str, text: str) -> None:
        if tuple(self.places) == PLACE:
            self.found.setdefault(name, text)


def read_settings(file: InputFile) -> VarianSettings:
    """Return the settings; nothing else is loaded.

    Raises
    ------
    FileFormatError
        for damage, or where a distance is missing
    """
    seen = _Text(file)
    seen.read()
    source_axis, source_detector = (seen.number(seen.found, name) for name in DISTANCES)
    lateral = seen.number(seen.found, "ImagerLat") if seen.found.get("ImagerLat") else None
    bowtie = seen.found.get("Bowtie", "none").lower() not in WITHOUT_FILTER
    return VarianSettings(file.path, source_axis, source_detector, lateral, bowtie)
