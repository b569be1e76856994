"""Read Siemens raw data in DICOM: a text header and the bytes that it describes, not decoded.

The header is in (0029,1010), or in (0029,1110) where a CSA header can be. ImageType states the kind
of data. The bytes are

    in (7fe1,1010) of the file itself (.dcm, .IMA), or
    in the .bf file of the same name in the same folder, or
    before the DICOM part of a .ptd, which ends with the length of that part (int32) and a mark.

After pet-rd-tools (Thomas, Thielemans, University College London, 2017 to 2020) and
fileformats-medimage (Close, 2023).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.io.dicom.bounded_stream import BoundedStream
from engine.io.dicom.headers import DAMAGE
from engine.io.dicom.preamble import has_preamble
from engine.io.folder import entries, is_file, state_of
from engine.io.interfile.header import MAX_HEADER_BYTES, InterfileHeader, header_in, is_interfile
from engine.io.safety.open_input import HEAD_BYTES, InputFile, InputPart, open_input

LIST_MODE, SINOGRAM, NORMALISATION = "list mode", "a sinogram", "a normalisation"
KINDS = {b"PET_LISTMODE": LIST_MODE, b"PET_EM_SINO": SINOGRAM, b"PET_NORM": NORMALISATION}
"""Third value of ImageType -> kind of data."""
HEADERS = ((0x0029, 0x1010), (0x0029, 0x1110))
DATA = (0x7FE1, 0x1010)
TRAILER = b"LARGE_PET_LM_RAWDATA"
LENGTH_BYTES = 4
WHOLE = ".ptd"
SUFFIXES = (".dcm", ".ima", WHOLE)
BYTES = ".bf"
UNDEFINED = 0xFFFFFFFF
LONGEST = 1 << 16
"""Longer elements are not loaded with the others."""
REMEDY = "Copy the file from the scanner again."


@dataclass(frozen=True)
class RawData:
    """Content of a raw file.

    Attributes
    ----------
    kind : kind of data
    text : text of the header
    data : file that contains the bytes
    start, n_bytes : position and number of the bytes in it
    """

    kind: str
    text: str
    data: Path
    start: int
    n_bytes: int


def kind_of(file: InputFile) -> str:
    """Return the kind of data in a Siemens raw file, "" for all other files.

    Parameters
    ----------
    file
        .dcm, .IMA or .ptd; a .bf has no header, see `kind_behind`

    Raises
    ------
    FileFormatError
        if a .ptd has no end mark, or its DICOM part is missing
    """
    part = _dicom_part(file)
    return _kind_in(part.head) if part is not None else ""


def kind_behind(file: InputFile) -> str:
    """Return the kind of data in a raw file or in the header of its data (.bf).

    Parameters
    ----------
    file
        header with or without data, or data (.bf)

    Returns
    -------
    kind
        "" if this is not Siemens raw data
    """
    if file.path.suffix.lower() != BYTES:
        return kind_of(file)
    header = other_file(file.path)
    if header is None:
        return ""
    with open_input(header) as header_file:
        return kind_of(header_file)


@contextmanager
def opened_behind(file: InputFile) -> Iterator[tuple[RawData, InterfileHeader, InputFile]]:
    """Open raw data, either by the header file or by the data file (.bf).

    Parameters
    ----------
    file
        header with or without data, or data (.bf)

    Yields
    ------
    raw, header, data
        as `opened`
    """
    header = other_file(file.path) if file.path.suffix.lower() == BYTES else None
    if header is None:
        with opened(file) as found:
            yield found
        return
    with (
        open_input(header, may_be_cut=file.may_be_cut) as header_file,
        opened(header_file) as found,
    ):
        yield found


@contextmanager
def opened(file: InputFile) -> Iterator[tuple[RawData, InterfileHeader, InputFile]]:
    """Open raw data by the header file.

    Parameters
    ----------
    file
        file with the header

    Yields
    ------
    raw
        kind of data, and position of the bytes
    header
        parsed header
    data
        the bytes as a file

    Raises
    ------
    FileFormatError
        if the file is truncated, has no header, or its data are missing
    """
    raw = _read(file)
    header = header_in(raw.text, file.path)
    if raw.data == file.path:
        yield raw, header, InputPart(file, raw.start, raw.n_bytes)
        return
    with open_input(raw.data, may_be_cut=file.may_be_cut) as data_file:
        yield raw, header, data_file


def other_file(path: Path) -> Path | None:
    """Return the header file of data (.bf), or the data of a header file.

    Parameters
    ----------
    path
        one of both files

    Returns
    -------
    other
        None if the other file is not in the same folder
    """
    if path.suffix.lower() == BYTES:
        candidates = [each for each in _adjacent(path) if each.suffix.lower() in SUFFIXES]
        for each in candidates:
            with open_input(each) as file:
                if kind_of(file):
                    return each
        return None
    if path.suffix.lower() not in SUFFIXES:
        return None
    return next((each for each in _adjacent(path) if each.suffix.lower() == BYTES), None)


def scan_in(folder: Path) -> Path | None:
    """Return the scan of a folder: its raw list mode, otherwise its raw sinogram.

    Parameters
    ----------
    folder
        exported folder of one scan

    Returns
    -------
    path
        None if there is no scan, or several
    """
    found: dict[str, list[Path]] = {}
    for each in entries(folder):
        if each.suffix.lower() in SUFFIXES and is_file(each):
            try:
                with open_input(each) as file:
                    found.setdefault(kind_of(file), []).append(each)
            except EngineError:
                continue  # a damaged file is reported when the user opens it
    scans = found.get(LIST_MODE) or found.get(SINOGRAM, [])
    return scans[0] if len(scans) == 1 else None


def _adjacent(path: Path) -> list[Path]:
    """Return the files in the folder with the same name and another ending."""
    return [
        each
        for each in entries(path.parent)
        if each.stem == path.stem and each.name != path.name and is_file(each)
    ]


def _kind_in(head: bytes) -> str:
    # ImageType (0008,0008) is among the first elements, so the first bytes contain it.
    return next((kind for mark, kind in KINDS.items() if mark in head), "")


def _dicom_part(file: InputFile) -> InputFile | None:
    """Return the DICOM part of a file, None if it has none."""
    if has_preamble(file.head):
        return file
    n_end = len(TRAILER) + LENGTH_BYTES
    # The DICOM part of a .ptd is at the end of the file, so it is found from there.
    end = file.read(n_end, max(file.size - n_end, 0))
    if not end.endswith(TRAILER) or len(end) < n_end:
        if file.path.suffix.lower() == WHOLE:
            raise FileFormatError(
                f"{file.name}: the end mark of Siemens raw data is missing, so the file is "
                f"truncated or has another format. {REMEDY}"
            )
        return None
    n_bytes = int.from_bytes(end[:LENGTH_BYTES], "little")
    start = file.size - n_end - n_bytes
    if start < 0 or not has_preamble(file.read(HEAD_BYTES, start)):
        raise FileFormatError(
            f"{file.name}: its last bytes state a DICOM part of {n_bytes:,} bytes, which was not "
            f"found. {REMEDY}"
        )
    return InputPart(file, start, n_bytes)


def _read(file: InputFile) -> RawData:
    part = _dicom_part(file)
    if part is None or not _kind_in(part.head):
        raise FileFormatError(
            f"{file.name}: not raw data from a Siemens scanner; choose another file."
        )
    elements = _elements(part)
    text, kind = _header_text(part, elements), _kind_in(part.head)
    if isinstance(part, InputPart):
        return RawData(kind, text, file.path, 0, part.start)
    start, n_bytes = elements.get(DATA, (0, 0))
    # A .bf next to the file wins over the element, which then does not contain the data.
    other = other_file(file.path)
    state = None if other is None else state_of(other)
    if other is not None and state is not None:
        return RawData(kind, text, other, 0, state[0])
    if not n_bytes:
        raise FileFormatError(
            f"{file.name}: contains only a header and no data; copy the data file "
            f"{file.path.stem}{BYTES} into the same folder."
        )
    return RawData(kind, text, file.path, start, n_bytes)


def _elements(part: InputFile) -> dict[tuple[int, int], tuple[int, int]]:
    """Return position and size of the header and data elements in a file."""
    from pydicom import dcmread
    from pydicom.config import disable_value_validation
    from pydicom.errors import BytesLengthException, InvalidDicomError
    from pydicom.tag import Tag

    found: dict[tuple[int, int], tuple[int, int]] = {}
    try:
        # Private elements of the scanner break rules of DICOM that do not matter here.
        with disable_value_validation():
            wanted = [Tag(each) for each in (*HEADERS, DATA)]
            # Refuses deflated files, in which positions of elements are meaningless.
            stream = BoundedStream(part, is_whole=True)
            dataset = dcmread(stream, defer_size=LONGEST, specific_tags=wanted)
            for tag in (*HEADERS, DATA):
                # Keep it deferred: the position is enough, and data can have gigabytes.
                item = dataset.get_item(tag, keep_deferred=True)
                start = getattr(item, "value_tell", None)
                if start is not None:
                    found[tag] = int(start), int(getattr(item, "length", UNDEFINED))
    except (InvalidDicomError, BytesLengthException, *DAMAGE) as e:
        raise FileFormatError(
            f"{part.name}: damaged DICOM file. Copy the file from the scanner again. Reason: {e}."
        ) from e
    # pydicom does not notice the truncation of an element that it does not load.
    for start, n_bytes in found.values():
        if n_bytes == UNDEFINED:
            raise FileFormatError(
                f"{part.name}: damaged DICOM file: the length of the raw data is missing. {REMEDY}"
            )
        if start + n_bytes > part.size:
            raise FileFormatError(
                f"{part.name}: the file is truncated; the raw data should end at byte "
                f"{start + n_bytes:,}, but the file has only {part.size:,} bytes. {REMEDY}"
            )
    return found


def _header_text(part: InputFile, elements: dict[tuple[int, int], tuple[int, int]]) -> str:
    for tag in HEADERS:
        start, n_bytes = elements.get(tag, (0, 0))
        content = part.read(min(n_bytes, MAX_HEADER_BYTES), start) if n_bytes else b""
        text = content.rstrip(b"\0 ").decode("utf-8", errors="replace")
        # (0029,1010) can contain a CSA header in binary form instead.
        if is_interfile(text.encode()):
            return text
    raise FileFormatError(
        f"{part.name}: the header of the raw data was not found in (0029,1010) or (0029,1110). "
        f"{REMEDY}"
    )
