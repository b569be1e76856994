"""Read rows of numbers from text: fields separated by blanks or commas, `#` starts a comment."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import FileFormatError

Row = tuple[int, list[str]]
"""Number of a line, from 1, and its fields."""


def rows_of(lines: list[str]) -> list[Row]:
    """Return the lines that hold anything besides a comment."""
    return [
        (number, fields)
        for number, line in enumerate(lines, 1)
        if (fields := line.partition("#")[0].replace(",", " ").split())
    ]


def numbers_of(path: Path, row: Row, n_columns: int, what: str = "") -> list[float]:
    """Return the numbers of a row; `what` they are goes into the sentence if there are others."""
    line, fields = row
    if len(fields) != n_columns:
        wanted = f"{n_columns}: {what}" if what else f"{n_columns}"
        raise FileFormatError(
            f"{path.name}, line {line}: {len(fields)} columns, expected {wanted}."
        )
    try:
        return [float(text) for text in fields]
    except ValueError as e:
        raise FileFormatError(
            f"{path.name}, line {line}: {' '.join(fields)!r}, expected numbers."
        ) from e
