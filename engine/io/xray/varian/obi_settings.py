"""Read `ProjectionInfo.xml` of a Varian on-board imager: distances and panel position."""

from __future__ import annotations

from dataclasses import dataclass

from engine.io.safety.open_input import InputFile
from engine.io.xray.text.xml_text import XmlText

NAME = "projectioninfo.xml"
HALF_FAN = "halffan"
NAMES = (
    *("CalibratedSAD", "CalibratedSID", "CalibratedDetectorOffsetX", "CalibratedDetectorOffsetY"),
    *("DetectorPosLat", "FanType"),
)


@dataclass(frozen=True)
class ObiSettings:
    """Planned settings of a scan.

    Attributes
    ----------
    source_axis_mm, source_detector_mm : calibrated distances
    offset_mm : offset of the panel centre, along its columns and rows
    """

    source_axis_mm: float
    source_detector_mm: float
    offset_mm: tuple[float, float]


def is_obi_settings(file: InputFile) -> bool:
    """Return True if name and first bytes of a file are those of the settings of a scan."""
    return file.name.lower() == NAME and file.head.lstrip(b"\xef\xbb\xbf\r\n ").startswith(b"<")


class _Text(XmlText):
    """The first text of each required element."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.found: dict[str, str] = {}

    def closed(self, name: str, text: str) -> None:
        if name in NAMES:
            self.found.setdefault(name, text)


def read_obi_settings(file: InputFile) -> ObiSettings:
    """Return the settings without loading other files.

    Parameters
    ----------
    file
        `ProjectionInfo.xml`

    Raises
    ------
    FileFormatError
        if the file is damaged, or a distance or the panel position is missing
    """
    seen = _Text(file)
    seen.read()
    source_axis, source_detector, across, along = (
        seen.number(seen.found, name) for name in NAMES[:4]
    )
    if "FanType" not in seen.found:
        seen.refuse("has no FanType")
    # In a half fan, the panel is shifted sideways to widen the field of view.
    if seen.found["FanType"].lower() == HALF_FAN:
        across += seen.number(seen.found, "DetectorPosLat")
    return ObiSettings(source_axis, source_detector, (across, along))
