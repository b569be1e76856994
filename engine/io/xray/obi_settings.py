"""`ProjectionInfo.xml` of a Varian on-board imager: calibrated distances and the panel's place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from engine.errors import FileFormatError
from engine.io.open_input import InputFile

NAME = "projectioninfo.xml"
HALF_FAN = "halffan"
MAX_BYTES, MAX_DEPTH = 10_000_000, 32
NAMES = (
    *("CalibratedSAD", "CalibratedSID", "CalibratedDetectorOffsetX", "CalibratedDetectorOffsetY"),
    *("DetectorPosLat", "FanType"),
)


@dataclass(frozen=True)
class ObiSettings:
    """What a scan was planned as.

    Attributes
    ----------
    source_axis_mm, source_detector_mm : distances
    offset_mm : of the panel's centre, along its columns and rows
    """

    source_axis_mm: float
    source_detector_mm: float
    offset_mm: tuple[float, float]


def is_obi_settings(file: InputFile) -> bool:
    """Whether a file is the settings of a scan, by its name and its first bytes."""
    return file.name.lower() == NAME and file.head.lstrip(b"\xef\xbb\xbf\r\n ").startswith(b"<")


@dataclass
class _Text:
    """What the parser has seen: the first text of every element that is asked for."""

    path: Path
    found: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    text: str = ""

    def start(self, _: str, __: dict[str, str]) -> None:
        self.depth += 1
        self.text = ""
        if self.depth > MAX_DEPTH:
            self.refuse("too many elements one in the other")

    def end(self, name: str) -> None:
        self.depth -= 1
        plain = name.rpartition(":")[2]
        if plain in NAMES:
            self.found.setdefault(plain, self.text.strip())
        self.text = ""

    def data(self, text: str) -> None:
        self.text += text

    def doctype(self, *_: object) -> None:
        self.refuse("declares entities or other files, which is not read for safety")

    def number(self, name: str) -> float:
        try:
            number = float(self.found[name])
        except KeyError:
            self.refuse(f"has no {name}")
        except ValueError:
            self.refuse(f"{name} is {self.found[name][:40]!r}, want a number")
        if not math.isfinite(number):
            self.refuse(f"{name} is {number}")
        return number

    def refuse(self, what: str) -> NoReturn:
        raise FileFormatError(f"{self.path.name}: {what}; copy or export the scan again.")


def read_obi_settings(file: InputFile) -> ObiSettings:
    """Return the settings; nothing else is loaded.

    Raises
    ------
    FileFormatError
        for damage, or where a distance or the place of the panel is missing
    """
    seen = _Text(file.path)
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = seen.start, seen.end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = seen.data, seen.doctype
    parser.buffer_text = True
    try:
        parser.Parse(file.text(MAX_BYTES), True)
    except expat.ExpatError as e:
        seen.refuse(f"damaged XML ({e})")
    source_axis, source_detector, across, along = (seen.number(name) for name in NAMES[:4])
    if "FanType" not in seen.found:
        seen.refuse("has no FanType")
    if seen.found["FanType"].lower() == HALF_FAN:
        across += seen.number("DetectorPosLat")
    return ObiSettings(source_axis, source_detector, (across, along))
