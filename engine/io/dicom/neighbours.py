"""Read the headers of all DICOM files in a folder, and note unreadable files and copies.

An unreadable file never prevents the others from being read: it is ignored with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.io.dicom.headers import Header, damage, header_of, read_dataset
from engine.io.dicom.preamble import is_dicom
from engine.io.dicom.private_block import without_log
from engine.io.folder import entries, is_folder, state_of
from engine.io.safety.open_input import InputFile, open_input

SUFFIXES = (".dcm", ".ima", ".dic", ".dicom")
MAX_NAMED = 5
"""Maximum number of files that a note names."""


@dataclass(frozen=True)
class LeftOut:
    """A file that is not used.

    Attributes
    ----------
    path : the file
    reason : sentence with the reason, which names the file
    """

    path: Path
    reason: str


@dataclass(frozen=True)
class FolderHeaders:
    """The DICOM files of a folder, sorted by name.

    Attributes
    ----------
    headers : headers of all readable files
    unreadable : damaged or locked files, and files whose suffix is DICOM but whose content is not
    """

    headers: tuple[Header, ...]
    unreadable: tuple[LeftOut, ...]


def headers_in(folder: Path) -> FolderHeaders:
    """Return the headers of all DICOM files in a folder, without its subfolders."""
    files = (each for each in entries(folder) if not is_folder(each))
    return _headers_of(tuple((each, state_of(each)) for each in files))


# Recognising, reading and hashing a series need the same headers. Size and time of each file are
# part of the key, so a changed file is read again.
@lru_cache(maxsize=2)
def _headers_of(states: tuple[tuple[Path, tuple[int, int] | None], ...]) -> FolderHeaders:
    headers, unreadable = list[Header](), list[LeftOut]()
    for path, _ in states:
        try:
            header = _header_at(path)
        except EngineError as e:
            unreadable.append(LeftOut(path, str(e)))
        else:
            headers += [header] if header is not None else []
    return FolderHeaders(tuple(headers), tuple(unreadable))


def _header_at(path: Path) -> Header | None:
    """Return the header of a DICOM file, None for others; refuse a bad file with a DICOM suffix."""
    is_named_so = path.suffix.lower() in SUFFIXES
    # Many archives name slices by their UID, whose last component looks like a suffix.
    has_no_ending = not path.suffix.strip(".0123456789") and not path.name.startswith(".")
    try:
        with open_input(path) as file:
            if is_dicom(file.head):
                return header_of(file)
            is_binary = b"\0" in file.head
    except EngineError:
        if is_named_so or has_no_ending:
            raise
        return None
    if is_named_so or (has_no_ending and is_binary):
        raise FileFormatError(
            f"{path.name}: not a DICOM file, although its name suggests one; copy it again, or "
            "choose another file."
        )
    return None


def members_of(
    found: FolderHeaders, series: str, chosen: Path
) -> tuple[list[Header], tuple[LeftOut, ...]]:
    """Return the images of a series, and the files of the folder that are not used.

    Parameters
    ----------
    found
        all DICOM files of the folder
    series
        SeriesInstanceUID
    chosen
        file that the user opened; it is preferred to its copies

    Raises
    ------
    FileFormatError
        if two files have the same SOPInstanceUID but different content
    """
    images = [each for each in found.headers if each.series == series and each.is_image]
    different, copies = without_copies(images, chosen)
    # Truncated files of other series are named too, because they should be copied again.
    cut = (each for each in found.headers if each.series != series and each.lacking_bytes)
    others = (
        LeftOut(
            each.path,
            f"{each.path.name}: the end of the pixels is missing (bytes: "
            f"{each.lacking_bytes:,}); copy the file again.",
        )
        for each in cut
    )
    left_out = (each for each in found.unreadable if each.path != chosen)
    return different, (*left_out, *others, *copies)


def without_copies(
    headers: Sequence[Header], chosen: Path
) -> tuple[list[Header], tuple[LeftOut, ...]]:
    """Return one header for each object, in the given order, and the copies that are not used.

    Parameters
    ----------
    headers
        headers of several files
    chosen
        file that is preferred to its copies

    Raises
    ------
    FileFormatError
        if two files have the same SOPInstanceUID but different content
    """
    left_out = list[LeftOut]()
    by_instance = sorted((each for each in headers if each.instance), key=lambda h: h.instance)
    for _, group in groupby(by_instance, key=lambda header: header.instance):
        left_out += _copies_in(sorted(group, key=lambda header: _rank(header, chosen)))
    paths = {each.path for each in left_out}
    return [each for each in headers if each.path not in paths], tuple(left_out)


def _rank(header: Header, chosen: Path) -> tuple[bool, bool, int, str]:
    """Return the sort key of copies: complete, then chosen, then with a short name."""
    name = header.path.name
    return header.lacking_bytes > 0, header.path != chosen, len(name), name


def _copies_in(ranked: Sequence[Header]) -> Iterable[LeftOut]:
    """Return all but the first of the files with one SOPInstanceUID; refuse different content."""
    first, *others = ranked
    for other in others:
        # A truncated copy need not be compared: its complete copy is used.
        if other.lacking_bytes and not first.lacking_bytes:
            reason = (
                f"{other.path.name}: this is a truncated copy of {first.path.name} (missing bytes: "
                f"{other.lacking_bytes:,})."
            )
        else:
            reason = _copy_note(first, other)
        yield LeftOut(other.path, reason)


def _copy_note(one: Header, other: Header) -> str:
    """Return the note about a copy; refuse different content."""
    with open_input(one.path) as a, open_input(other.path) as b:
        if a.size == b.size and a.sha256() == b.sha256():
            return (
                f"{b.name}: this is a copy of {a.name} with the same SOPInstanceUID and the same "
                "bytes."
            )
        # Archives rewrite the meta header or the transfer syntax, so equal objects can differ in
        # bytes.
        if _same_attributes(a, b):
            return (
                f"{b.name}: this is a copy of {a.name} with the same SOPInstanceUID, attributes "
                "and pixels."
            )
    raise FileFormatError(
        f"{one.path.name} and {other.path.name} have the same SOPInstanceUID but different "
        "content; remove the wrong file, or export the series again."
    )


def _same_attributes(one: InputFile, other: InputFile) -> bool:
    try:
        first, second = (without_log(read_dataset(each.stream())) for each in (one, other))
        return bool(first == second)
    except damage():
        return False


def note_on(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Return notes that name the first ignored files and state the number of the others."""
    notes = [f"Ignored: {each.reason}" for each in left_out[:MAX_NAMED]]
    more = len(left_out) - MAX_NAMED
    return (*notes, *([f"Ignored: {more:,} more files of the folder."] if more > 0 else []))


def names_of(left_out: Sequence[LeftOut]) -> str:
    """Return the names of the first ignored files, separated by commas."""
    names = ", ".join(each.path.name for each in left_out[:MAX_NAMED])
    return names + (" ..." if len(left_out) > MAX_NAMED else "")
