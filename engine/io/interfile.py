"""Interfile headers: lines of `key := value`, and the data file they name beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from engine.errors import FileFormatError
from engine.io.open_input import InputFile

MAX_HEADER_BYTES = 1_000_000


@dataclass(frozen=True)
class InterfileHeader:
    """An Interfile header; keys are lower-case, without `!` and `%`, single-spaced."""

    path: Path
    values: dict[str, str]

    def text(self, key: str) -> str | None:
        """Return the value of a key, None where it is absent or empty."""
        return self.values.get(key) or None

    def number(self, key: str) -> float | None:
        """Return the value of a key as a number, None where it is absent."""
        text = self.text(key)
        if text is None:
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {text[:40]!r}, want a number; correct the header."
            )
        return number

    def whole(self, key: str) -> int | None:
        """Return the value of a key as a whole number, None where it is absent."""
        number = self.number(key)
        if number is None:
            return None
        if not number.is_integer():
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {number}, want a whole number; correct the header."
            )
        return int(number)

    @property
    def data_file(self) -> Path:
        """The data file, which lies in the header's own folder."""
        name = self.text("name of data file")
        if name is None:
            raise FileFormatError(
                f"{self.path.name}: names no data file; add `name of data file := FILE`."
            )
        if name in (".", "..") or any(sign in name for sign in "/\\:\0"):
            raise FileFormatError(
                f"{self.path.name}: names the data file {name!r}; for safety only a file in the "
                "header's own folder is opened, so put it there and correct the name."
            )
        return self.path.parent / name


def is_interfile(head: bytes) -> bool:
    """Whether a file begins like an Interfile header."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"!INTERFILE")


def read_header(file: InputFile) -> InterfileHeader:
    """Read an Interfile header."""
    data = file.read() if file.size <= MAX_HEADER_BYTES else b"\0"
    if b"\0" in data:
        raise FileFormatError(f"{file.name}: not a header text; is this the data file?")
    values: dict[str, str] = {}
    for line in data.decode("utf-8", errors="replace").splitlines():
        key, assigned, value = line.partition(":=")
        if assigned:
            name = " ".join(key.strip().lstrip("!%").lower().split())
            values.setdefault(name, value.strip())
    return InterfileHeader(file.path, values)
