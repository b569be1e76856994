"""`Scan.xml` of a Varian scan: distances, the detector's place and the filter, in mm."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from engine.errors import FileFormatError
from engine.io.open_input import InputFile

NAME = "Scan.xml"
ROOT = re.compile(rb"<Scan[\s>]")
MAX_BYTES, MAX_DEPTH = 10_000_000, 32
PLACE = ("Scan", "Acquisitions")
DISTANCES = "SAD", "SID"
WITHOUT_FILTER = "none", "no", "nobowtie", "false"


@dataclass(frozen=True)
class VarianSettings:
    """What a scan was planned as.

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
    """Whether a file is the settings of a scan, by its name and its first bytes."""
    return file.name.lower() == NAME.lower() and ROOT.search(file.head) is not None


@dataclass
class _Text:
    """What the parser has seen of the acquisition: names without their space, and texts."""

    path: Path
    found: dict[str, str] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    text: str = ""

    def start(self, name: str, _: dict[str, str]) -> None:
        self.places.append(name.rpartition(":")[2])
        self.text = ""
        if len(self.places) > MAX_DEPTH:
            self.refuse("too many elements one in the other")

    def end(self, _: str) -> None:
        name = self.places.pop()
        if tuple(self.places) == PLACE:
            self.found.setdefault(name, self.text.strip())
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


def read_settings(file: InputFile) -> VarianSettings:
    """Return the settings; nothing else is loaded.

    Raises
    ------
    FileFormatError
        for damage, or where a distance is missing
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
    source_axis, source_detector = (seen.number(name) for name in DISTANCES)
    lateral = seen.number("ImagerLat") if seen.found.get("ImagerLat") else None
    bowtie = seen.found.get("Bowtie", "none").lower() not in WITHOUT_FILTER
    return VarianSettings(file.path, source_axis, source_detector, lateral, bowtie)
