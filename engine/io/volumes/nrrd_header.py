"""Read headers of NRRD: fields as parsed by pynrrd, and the files of the values.

An attached header ends with an empty line, and the values follow. A detached one (.nhdr) ends with
its file or with an empty line, and names the files of the values (teem, "Definition of NRRD file
format"):

    data file: NAME                       one file
    data file: NAME%03d MIN MAX STEP [S]  numbered files
    data file: LIST [S]                   one name on each of the lines that follow
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.folder import below
from engine.io.safety.open_input import InputFile

DETACHED = ".nhdr"
EMPTY_LINE = (b"\n\n", b"\r\n\r\n")
HEAD_BYTES = 2**20
DATA_FILE = re.compile(r"data ?file:[ =]*(?P<value>.*)", re.IGNORECASE)
NUMBERED = re.compile(
    r"(?P<form>\S*%0?\d*d\S*)\s+(?P<least>-?\d+)\s+(?P<most>-?\d+)\s+(?P<step>-?\d+)"
)
MAX_FILES = 10_000


@dataclass(frozen=True)
class NrrdHeader:
    """Header of an NRRD file.

    Attributes
    ----------
    fields : name -> value, as parsed by pynrrd
    start : byte offset after the header
    files : names of the files with the values; empty if these follow the header
    """

    fields: Plain
    start: int
    files: tuple[str, ...] = ()


def read_header(file: InputFile) -> NrrdHeader:
    """Read the header of an NRRD file.

    Parameters
    ----------
    file
        attached or detached header of at most 1 MiB

    Raises
    ------
    FileFormatError
        if the header is damaged or has no end
    """
    import nrrd

    head = file.read(HEAD_BYTES)
    # Some programs write CRLF; the first empty line of either kind ends the header.
    ends = [(at, mark) for mark in EMPTY_LINE if (at := head.find(mark)) >= 0]
    end, mark = min(ends) if ends else (len(head), b"")
    lines = head[:end].decode("utf-8", "replace").splitlines()
    # Data files are resolved here, where their folder is checked.
    without_files, files = _without_files(file, lines)
    # A detached header may end without an empty line, but must then be read completely.
    if not ends and (not files or file.size > HEAD_BYTES):
        raise FileFormatError(
            f"{file.name}: its header neither ends with an empty line nor names a data file; "
            "copy the file again."
        )
    try:
        fields: Plain = dict(nrrd.read_header([f"{line}\n" for line in without_files]))
        missing = [name for name in ("type", "sizes", "encoding") if name not in fields]
        if missing:
            raise ValueError(f"the field {missing[0]!r} is missing")
    except (nrrd.NRRDError, ValueError, LookupError, TypeError) as e:
        raise FileFormatError(
            f"{file.name}: damaged NRRD header; export the file again. Reason: {e}."
        ) from e
    return NrrdHeader(fields, end + len(mark), files)


def files_named(path: Path, file: InputFile) -> tuple[Path, ...]:
    """Return the data files of a detached header; () for an attached one.

    Parameters
    ----------
    path
        path of the header
    file
        the same file, open

    Raises
    ------
    FileFormatError
        if the header is damaged or names a file outside its folder
    """
    return tuple(below(path, name) for name in read_header(file).files)


def _without_files(file: InputFile, lines: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines for pynrrd, and the names of the data files."""
    for k, line in enumerate(lines):
        found = DATA_FILE.fullmatch(line.strip())
        if found is None:
            continue
        value = found["value"].strip()
        if value.split()[:1] == ["LIST"]:
            # After LIST, all lines up to the end of the header are file names.
            names = tuple(each.strip() for each in lines[k + 1 :] if each.strip())
            return list(lines[:k]), _relative(names)
        rest = [*lines[:k], *lines[k + 1 :]]
        numbered = NUMBERED.match(value)
        return rest, _relative((value,) if numbered is None else _counted(file, numbered))
    return list(lines), ()


def _counted(file: InputFile, found: re.Match[str]) -> tuple[str, ...]:
    least, most, step = (int(found[key]) for key in ("least", "most", "step"))
    n = (most - least) // step + 1 if step else 0
    if not 0 < n <= MAX_FILES:
        raise FileFormatError(
            f"{file.name}: its data files are numbered from {least} to {most} in steps of {step}, "
            f"expected 1 to {MAX_FILES:,} files; export it again."
        )
    return tuple(found["form"] % (least + k * step) for k in range(n))


def _relative(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.removeprefix("./") for name in names)
