"""Read CASToR headers (.cdh, .hscan): lines of `key: value`; `#` begins a comment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.interfile.header import is_interfile
from engine.io.safety.open_input import InputFile
from engine.io.text.header_values import HeaderValues

MAX_BYTES = 1_000_000
MARKS = (b"data filename", b"data mode", b"scanner name")
"""Keys in the header of every data file."""


@dataclass(frozen=True)
class CastorHeader(HeaderValues):
    """Keys, in lower case and single-spaced, with their values; versions of CASToR differ."""

    def text(self, *keys: str) -> str:
        """Return the value of a key; "" if it is missing."""
        return super().text(*keys) or ""

    def number(self, *keys: str) -> float:
        """Return the value of a key as a number; 0 if it is missing."""
        return super().number(*keys) or 0.0

    def whole(self, *keys: str) -> int:
        """Return the value of a key as an integer of at least 0; 0 if it is missing."""
        number = super().whole(*keys) or 0
        if number < 0:
            raise FileFormatError(
                f"{self.path.name}: {keys[0]!r} is {number}, expected a whole number of at least "
                "0; correct the header."
            )
        return number

    @property
    def data_file(self) -> Path:
        """Data file in the folder of the header, whatever path the header contains."""
        # CASToR often writes the absolute path on the computer that made the file, so only the name
        # counts.
        name = self.text("data filename").replace("\\", "/").rpartition("/")[2]
        if name in ("", ".", "..") or any(sign in name for sign in ":\0"):
            raise FileFormatError(
                f"{self.path.name}: does not name a data file; add the line `Data filename: FILE`, "
                "and put the file in the same folder."
            )
        return self.path.parent / name


def is_header(head: bytes) -> bool:
    """Return True if a file begins like the header of a CASToR data file.

    CASToR images contain a copy of that header, but begin as Interfile.
    """
    lower = head.lower()
    # Three keys, because each of them alone occurs in headers of other programs.
    return not is_interfile(head) and all(mark in lower for mark in MARKS)


def read_header(file: InputFile) -> CastorHeader:
    """Read a header.

    Raises
    ------
    FileFormatError
        if the file is not text, or too large
    """
    values: dict[str, str] = {}
    for line in file.text(MAX_BYTES).splitlines():
        key, _, value = line.partition("#")[0].partition(":")
        name = " ".join(key.lower().split())
        if name and value.strip():
            # A repeated key keeps its first value.
            values.setdefault(name, value.strip())
    return CastorHeader(file.path, values)
