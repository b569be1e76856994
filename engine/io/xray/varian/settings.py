"""Read `Scan.xml` of a Varian scan: distances, detector position and filter, in mm."""

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
    path : path of the file
    source_axis_mm, source_detector_mm : planned distances
    lateral_mm : offset of the detector centre along its columns; None if not stated
    bowtie : True if a bow-tie filter was in the beam
    """

    path: Path
    source_axis_mm: float
    source_detector_mm: float
    lateral_mm: float | None
    bowtie: bool


def is_settings(file: InputFile) -> bool:
    """Return True if name and first bytes of a file are those of the settings of a scan."""
    return file.name.lower() == NAME.lower() and ROOT.search(file.head) is not None


class _Text(XmlText):
    """Texts of the acquisition."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.found: dict[str, str] = {}

    def closed(self, name: str, text: str) -> None:
        # Names such as SAD can occur in other sections too.
        if tuple(self.places) == PLACE:
            self.found.setdefault(name, text)


def read_settings(file: InputFile) -> VarianSettings:
    """Return the settings without loading other files.

    Parameters
    ----------
    file
        `Scan.xml`

    Raises
    ------
    FileFormatError
        if the file is damaged or a distance is missing
    """
    seen = _Text(file)
    seen.read()
    source_axis, source_detector = (seen.number(seen.found, name) for name in DISTANCES)
    # Some files lack this element; then the images state the position.
    lateral = seen.number(seen.found, "ImagerLat") if seen.found.get("ImagerLat") else None
    bowtie = seen.found.get("Bowtie", "none").lower() not in WITHOUT_FILTER
    return VarianSettings(file.path, source_axis, source_detector, lateral, bowtie)
