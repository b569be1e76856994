"""Read rows of numbers from text: fields separated by blanks or commas, `#` starts a comment."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import FileFormatError

Row = tuple[int, list[str]]
"""Number of a line, from 1, and its fields."""


def rows_of(lines: list[str]) -> list[Row]:
    """Return the lines that contain fields; comments and empty lines are skipped.

    Parameters
    ----------
    lines
        lines of a text file

    Returns
    -------
    rows
        line number from 1 and fields, separated by blanks or commas
    """
    return [
        (number, fields)
        for number, line in enumerate(lines, 1)
        if (fields := line.partition("#")[0].replace(",", " ").split())
    ]


def numbers_of(path: Path, row: Row, n_columns: int, what: str = "") -> list[float]:
    """Return the numbers of a row.

    Parameters
    ----------
    path
        file, for error messages
    row
        line number and fields
    n_columns
        expected number of fields
    what
        sentence about the columns, for error messages; "" if they have no names

    Raises
    ------
    FileFormatError
        if there are more or fewer fields, or one is not a number
    """
    line, fields = row
    if len(fields) != n_columns:
        raise FileFormatError(
            f"{path.name}, line {line}: the number of columns is {len(fields)}, expected "
            f"{n_columns}; correct this line. {what}".rstrip()
        )
    try:
        return [float(text) for text in fields]
    except ValueError as e:
        raise FileFormatError(
            f"{path.name}, line {line}: contains {' '.join(fields)!r}, expected only numbers; "
            "correct this line."
        ) from e


def is_number(text: str) -> bool:
    """Return True if Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
