"""`ProjectionInfo.xml` of a Varian on-board imager: calibrated distances and the panel's place."""

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
    source_axis_mm, source_detector_mm : distances
    offset_mm : of the panel's centre, along its columns and rows
    """

    source_axis_mm: float
    source_detector_mm: float
    offset_mm: tuple[float, float]


def is_obi_settings(file: InputFile) -> bool:
    """Return True if a file is the settings of a scan, by its name and its first bytes."""
    return file.name.lower() == NAME and file.head.lstrip(b"\xef\xbb\xbf\r\n ").startswith(b"<")


class _Text(XmlText):
    """The first text of every element that is asked for."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.found: dict[str, str] = {}

    def closed(self, name: str, text: str) -> None:
        if name in NAMES:
            self.found.setdefault(name, text)


def read_obi_settings(file: InputFile) -> ObiSettings:
    """Return the settings; nothing else is loaded.

    Raises
    ------
    FileFormatError
        for damage, or where a distance or the place of the panel is missing
    """
    seen = _Text(file)
    seen.read()
    source_axis, source_detector, across, along = (
        seen.number(seen.found, name) for name in NAMES[:4]
    )
    if "FanType" not in seen.found:
        seen.refuse("has no FanType")
    if seen.found["FanType"].lower() == HALF_FAN:
        across += seen.number(seen.found, "DetectorPosLat")
    return ObiSettings(source_axis, source_detector, (across, along))
