"""Read `_Frames.xml` of an Elekta XVI scan: gantry angle and panel centre of each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.io.safety.open_input import InputFile
from engine.io.xray.text.xml_text import XmlText

ENDING = "_frames.xml"
FRAME, ANGLE = "Frame", "GantryAngle"
PLACED = ANGLE, "UCentre", "VCentre"
SPELLINGS = {
    **dict.fromkeys((ANGLE, "Angle", ANGLE[1:], "Gantryngle"), ANGLE),
    **dict.fromkeys(("UCentre", "Uentre"), "UCentre"),
    **dict.fromkeys(("VCentre", "Ventre"), "VCentre"),
    **{name: name for name in ("Seq", "Exposed", "kV", "mA")},
}
"""Element names. Some anonymisers remove a letter from them."""
MARKS = (b"<Frame", b"Centre", b"entre>")


@dataclass(frozen=True)
class Frames:
    """Values of the exposed frames of a scan.

    Attributes
    ----------
    numbers : frame numbers, from 1 if the file has none
    gantry_deg : (n,) gantry angle [°]
    centre_mm : (n, 2) panel centre along its columns and rows [mm]
    n_dark : number of frames without exposure, which are left out
    voltage_kv, current_ma : of the tube; 0 if not stated
    """

    numbers: tuple[int, ...]
    gantry_deg: NDArray[np.float64]
    centre_mm: NDArray[np.float64]
    n_dark: int
    voltage_kv: float
    current_ma: float


def is_frames(file: InputFile) -> bool:
    """Return True if name and first bytes of a file are those of a list of frames."""
    # Both, because other programs also write lists of frames in XML.
    named = file.name.lower().endswith(ENDING)
    return named and MARKS[0] in file.head and any(mark in file.head for mark in MARKS[1:])


class _Text(XmlText):
    """Texts of each frame and of the scan."""

    most_bytes = 50_000_000

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.frames: list[dict[str, str]] = []
        self.scan: dict[str, str] = {}

    def opened(self, name: str) -> None:
        if name == FRAME:
            self.frames.append({})

    def closed(self, name: str, text: str) -> None:
        if (known := SPELLINGS.get(name)) is not None:
            # If a name occurs twice in a frame, its first text counts.
            (self.frames[-1] if FRAME in self.places else self.scan).setdefault(known, text)


def read_frames(file: InputFile) -> Frames:
    """Return the exposed frames of a scan.

    Parameters
    ----------
    file
        `_Frames.xml`

    Raises
    ------
    FileFormatError
        if the file is damaged, no frame was exposed, or a frame lacks its angle or panel centre
    """
    seen = _Text(file)
    seen.read()
    numbered = [(_number(seen, stated, k), stated) for k, stated in enumerate(seen.frames, 1)]
    # Frames without exposure are dark images, not views.
    exposed = [each for each in numbered if each[1].get("Exposed", "true").lower() != "false"]
    if not exposed:
        seen.refuse("no frame was exposed")
    rows = [
        [seen.number(stated, name, f"frame {number}") for name in PLACED]
        for number, stated in exposed
    ]
    values = np.array(rows)
    # The tube values are the same for all frames and are stated for the scan.
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


def _number(seen: _Text, stated: dict[str, str], place: int) -> int:
    """Return the stated number of a frame, otherwise its position in the file."""
    if not stated.get("Seq"):
        return place
    number = seen.number(stated, "Seq", f"frame {place}")
    if not number.is_integer():
        seen.refuse(f"Seq of frame {place} is {number:g}, expected an integer")
    return int(number)
