"""`_Frames.xml` of an Elekta XVI scan: gantry angle and centre of the panel in every frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from engine.errors import FileFormatError
from engine.io.open_input import InputFile

ENDING = "_frames.xml"
FRAME, ANGLE = "Frame", "GantryAngle"
PLACED = ANGLE, "UCentre", "VCentre"
SPELLINGS = {
    **dict.fromkeys((ANGLE, "Angle", ANGLE[1:], "Gantryngle"), ANGLE),
    **dict.fromkeys(("UCentre", "Uentre"), "UCentre"),
    **dict.fromkeys(("VCentre", "Ventre"), "VCentre"),
    **{name: name for name in ("Seq", "Exposed", "kV", "mA")},
}
"""Names of elements; those with a letter less stand in files made anonymous."""
MAX_BYTES, MAX_DEPTH = 50_000_000, 32
MARKS = (b"<Frame", b"Centre", b"entre>")


@dataclass(frozen=True)
class Frames:
    """What a scan says of its frames, one of each for every exposed one.

    Attributes
    ----------
    numbers : of the frames, from 1 where the file numbers none
    gantry_deg : (n,) [°]
    centre_mm : (n, 2) of the panel, along its columns and rows [mm]
    n_dark : frames without exposure, left out
    voltage_kv, current_ma : of the tube; 0 where they are not said
    """

    numbers: tuple[int, ...]
    gantry_deg: NDArray[np.float64]
    centre_mm: NDArray[np.float64]
    n_dark: int
    voltage_kv: float
    current_ma: float


def is_frames(file: InputFile) -> bool:
    """Whether a file lists the frames of a scan, by its name and its first bytes."""
    named = file.name.lower().endswith(ENDING)
    return named and MARKS[0] in file.head and any(mark in file.head for mark in MARKS[1:])


@dataclass
class _Text:
    """What the parser has seen: texts of the frame it is in, of those before, and of the scan."""

    path: Path
    frames: list[dict[str, str]] = field(default_factory=list)
    scan: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    inside: bool = False
    text: str = ""

    def start(self, name: str, _: dict[str, str]) -> None:
        self.depth += 1
        self.text = ""
        if self.depth > MAX_DEPTH:
            self.refuse("too many elements one in the other")
        if name.rpartition(":")[2] == FRAME:
            self.frames.append({})
            self.inside = True

    def end(self, name: str) -> None:
        self.depth -= 1
        plain = name.rpartition(":")[2]
        if plain == FRAME:
            self.inside = False
        elif (known := SPELLINGS.get(plain)) is not None:
            (self.frames[-1] if self.inside else self.scan).setdefault(known, self.text.strip())
        self.text = ""

    def data(self, text: str) -> None:
        self.text += text

    def doctype(self, *_: object) -> None:
        self.refuse("declares entities or other files, which is not read for safety")

    def number(self, said: dict[str, str], name: str, where: str) -> float:
        try:
            number = float(said[name])
        except KeyError:
            self.refuse(f"{where} has no {name}")
        except ValueError:
            self.refuse(f"{name} of {where} is {said[name][:40]!r}, want a number")
        if not math.isfinite(number):
            self.refuse(f"{name} of {where} is {number}")
        return number

    def refuse(self, what: str) -> NoReturn:
        raise FileFormatError(f"{self.path.name}: {what}; copy or export the scan again.")


def read_frames(file: InputFile) -> Frames:
    """Return the exposed frames of a scan.

    Raises
    ------
    FileFormatError
        for damage, or a frame that lacks its angle or the place of the panel
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
    numbered = [(_number(seen, said, k), said) for k, said in enumerate(seen.frames, 1)]
    exposed = [each for each in numbered if each[1].get("Exposed", "true").lower() != "false"]
    if not exposed:
        seen.refuse("no frame was exposed")
    rows = [
        [seen.number(said, name, f"frame {number}") for name in PLACED] for number, said in exposed
    ]
    values = np.array(rows)
    voltage, current = (
        seen.number(seen.scan, name, "the scan") if seen.scan.get(name) else 0.0
        for name in ("kV", "mA")
    )
    return Frames(
        tuple(number for number, _ in exposed),
        values[:, 0],
        values[:, 1:],
        len(numbered) - len(exposed),
        voltage,
        current,
    )


def _number(seen: _Text, said: dict[str, str], place: int) -> int:
    """Return the number of a frame: as it says, else its place."""
    if not said.get("Seq"):
        return place
    number = seen.number(said, "Seq", f"frame {place}")
    if not number.is_integer():
        seen.refuse(f"Seq of frame {place} is {number:g}, want a whole number")
    return int(number)
