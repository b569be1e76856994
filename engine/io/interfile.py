"""Interfile headers: lines of `key := value`, and the data file they name beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import FileFormatError
from engine.io.open_input import unreadable

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
            return float(text)
        except ValueError as e:
            raise FileFormatError(
                f"{self.path.name}: {key!r} is {text!r}, want a number; correct the header."
            ) from e

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
        path = self.path.parent / name
        if path.is_symlink() and path.resolve().parent != self.path.resolve().parent:
            raise FileFormatError(
                f"{self.path.name}: the data file {name!r} is a link out of the folder; "
                "for safety only a file in the header's own folder is opened, so copy it there."
            )
        return path


def is_interfile(head: bytes) -> bool:
    """Whether a file begins like an Interfile header."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"!INTERFILE")


def read_header(path: Path) -> InterfileHeader:
    """Read an Interfile header."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_HEADER_BYTES + 1)
    except OSError as e:
        raise unreadable(path, e) from e
    if len(data) > MAX_HEADER_BYTES or b"\0" in data:
        raise FileFormatError(f"{path.name}: not a header text; is this the data file?")
    values: dict[str, str] = {}
    for line in data.decode("utf-8", errors="replace").splitlines():
        key, assigned, value = line.partition(":=")
        if assigned:
            name = " ".join(key.strip().lstrip("!%").lower().split())
            values.setdefault(name, value.strip())
    return InterfileHeader(path, values)
