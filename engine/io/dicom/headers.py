"""Read headers of DICOM files: all attributes except the pixels, or the reason for a failure."""

from __future__ import annotations

import collections
import struct
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.io.dicom.bounded_stream import TOO_MANY, BoundedStream, max_pieces
from engine.io.dicom.nesting import refuse_deep
from engine.io.dicom.preamble import is_dicom
from engine.io.safety.open_input import InputFile, open_input

if TYPE_CHECKING:
    from pydicom.dataset import Dataset
    from pydicom.filebase import ReadableBuffer

UNDEFINED = 0xFFFFFFFF
PIXEL_GROUP = 0x7FE0
LONGEST_BYTES = 16 << 20
"""Maximum size of an attribute that is read; larger ones are errors of damaged files."""
ITEMS = (b"\xfe\xff\x00\xe0", b"\xff\xfe\xe0\x00")
"""Tag of an item in both byte orders."""
IMPLICIT, EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1"
EXPLICIT_BIG_ENDIAN = "1.2.840.10008.1.2.2"
STORAGE = "1.2.840.10008.5.1.4.1.1."
IMAGE_CLASSES = tuple(STORAGE + kind for kind in ("2", "2.1", "4", "4.1", "128", "130"))
"""CT, MR, PET and their Enhanced forms; without pixels such a file is damaged."""
REMEDY = "Export the series again."
WANTED = [
    *("SOPClassUID", "SOPInstanceUID", "Modality", "SeriesInstanceUID", "SeriesNumber"),
    *("SeriesDescription", "StudyInstanceUID", "InstanceNumber"),
    *("FrameOfReferenceUID", "PatientID", "IssuerOfPatientID", "ImageType", "ImageComments"),
    *("Rows", "Columns", "NumberOfFrames", "PixelSpacing", "SliceThickness", "NumberOfSlices"),
    *("ImageOrientationPatient", "ImagePositionPatient", "RescaleSlope", "RescaleIntercept"),
    *("RescaleType", "ModalityLUTSequence", "Units", "KVP", "PixelPaddingValue"),
    *("PixelPaddingRangeLimit", "SharedFunctionalGroupsSequence", "PixelRepresentation"),
    *("PerFrameFunctionalGroupsSequence", "SamplesPerPixel", "BitsAllocated"),
    *("SeriesType", "NumberOfTimeSlices", "SeriesDate", "SeriesTime", "AcquisitionDate"),
    *("AcquisitionTime", "FrameReferenceTime", "ActualFrameDuration", "DecayCorrection"),
    *("PatientWeight", "PatientSize", "PatientSex", "RadiopharmaceuticalInformationSequence"),
]
NUMBERS = (
    *("Rows", "Columns", "PixelSpacing", "ImageOrientationPatient", "ImagePositionPatient"),
    *("SliceThickness", "RescaleSlope", "RescaleIntercept"),
)
DAMAGE = (
    *(ValueError, LookupError, AttributeError, TypeError, NotImplementedError, EOFError, OSError),
    *(struct.error, ArithmeticError, AssertionError, RuntimeError),
)
"""Exceptions that pydicom raises for damaged files."""


@dataclass(frozen=True)
class Header:
    """Attributes of a DICOM file without its pixels.

    Attributes
    ----------
    path : file
    dataset : the attributes
    lacking_bytes : number of missing bytes at the end of its pixels; 0 for a complete file
    """

    path: Path
    dataset: Dataset
    lacking_bytes: int = 0

    def text(self, keyword: str) -> str:
        """Return an attribute as text, "" if it is missing."""
        found = self.dataset.get(keyword)
        return "" if found is None else str(found).strip()

    @property
    def series(self) -> str:
        """UID of the series."""
        return self.text("SeriesInstanceUID")

    @property
    def instance(self) -> str:
        """SOPInstanceUID of the object; copies of a file share it."""
        return self.text("SOPInstanceUID")

    @property
    def is_image(self) -> bool:
        """True if the file states a size in pixels."""
        return "Rows" in self.dataset and "Columns" in self.dataset

    def describe(self) -> str:
        """Return number, description and modality of the series for messages."""
        name = self.text("SeriesDescription")
        named = f" {name[:40]!r}" if name else ""
        return f"{self.text('SeriesNumber') or '?'}{named} ({self.text('Modality') or '?'})"


def read_dataset(
    stream: ReadableBuffer,
    *,
    wanted: Sequence[str] = (),
    defer_bytes: int | None = None,
    has_pixels: bool = True,
) -> Dataset:
    """Read the attributes of a DICOM file, with or without preamble.

    Parameters
    ----------
    stream
        file, positioned at its start
    wanted
        keywords of the attributes to read, which stops before the pixels; empty reads the whole
        file
    defer_bytes
        size above which a value is not read until it is used; None reads all values
    has_pixels
        False stops before the pixels

    Raises
    ------
    Exception
        one of `damage()` if the file is damaged
    """
    from pydicom import dcmread
    from pydicom.uid import UID

    with without_warnings():
        found = dcmread(
            stream,
            force=True,
            defer_size=defer_bytes,
            stop_before_pixels=bool(wanted) or not has_pixels,
            specific_tags=list(wanted) or None,
        )
    # Files without a meta header do not state it, but pydicom needs it to decode pixels.
    if "TransferSyntaxUID" not in found.file_meta:
        found.file_meta.TransferSyntaxUID = UID(_syntax_of(found))
    return found


@contextmanager
def without_warnings() -> Iterator[None]:
    """Let pydicom read invalid values without a warning; values in use are checked here."""
    from pydicom.config import disable_value_validation

    with disable_value_validation(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _syntax_of(dataset: Dataset) -> str:
    """Return the transfer syntax that pydicom used for a dataset without a meta header."""
    is_implicit, is_little = dataset.original_encoding
    if not is_little:
        return EXPLICIT_BIG_ENDIAN
    return IMPLICIT if is_implicit else EXPLICIT_LITTLE_ENDIAN


def damage() -> tuple[type[Exception], ...]:
    """Return all exceptions that pydicom raises for damaged files."""
    from pydicom.errors import BytesLengthException, InvalidDicomError

    return (BytesLengthException, InvalidDicomError, *DAMAGE)


def header_at(path: Path) -> Header | None:
    """Return the header of a DICOM file, None for other files.

    Raises
    ------
    EngineError
        if the file cannot be read, or is a damaged DICOM file
    """
    with open_input(path) as file:
        return header_of(file) if is_dicom(file.head) else None


def header_of(file: InputFile) -> Header:
    """Return the header of an open DICOM file.

    Parameters
    ----------
    file
        a file that begins as DICOM

    Raises
    ------
    FileFormatError
        if the header is damaged or incomplete, or the file uses the deflated transfer syntax
    """
    stream, max_items = BoundedStream(file), max_pieces(file.size)
    try:
        with without_warnings():
            found = read_dataset(stream, wanted=WANTED, defer_bytes=LONGEST_BYTES)
            _refuse_crowded(found, max_items)
            refuse_deep(found)
            # pydicom parses a value at its first use. Use all of them now, while errors are caught.
            collections.deque(found.iterall(), maxlen=0)
            _refuse_text_for_numbers(found)
    except damage() as e:
        raise _damaged(file, e) from e
    end = stream.tell()
    header = Header(file.path, found, _lacking_bytes(file, found, end))
    _refuse_cut(header, file, end)
    return header


def _damaged(file: InputFile, e: Exception) -> FileFormatError:
    return FileFormatError(
        f"{file.name}: damaged DICOM file. Export the series again. Reason: {reason_of(e)}."
    )


def _refuse_crowded(dataset: Dataset, max_items: int) -> None:
    """Refuse sequences with too many items before they are parsed."""
    # Iterating over the dataset itself would parse its values, so use the keys.
    for tag in tuple(dataset.keys()):
        value = getattr(dataset.get_item(tag, keep_deferred=True), "value", None)
        if isinstance(value, bytes) and sum(map(value.count, ITEMS)) > max_items:
            raise ValueError(TOO_MANY.format(max_items))


def _refuse_text_for_numbers(dataset: Dataset) -> None:
    # With validation disabled, pydicom returns text for an invalid number.
    for keyword in NUMBERS:
        found = dataset.get(keyword)
        is_list = isinstance(found, Sequence) and not isinstance(found, str)
        values = found if is_list else () if found is None else (found,)
        for value in values:
            try:
                float(value)
            except (TypeError, ValueError) as e:
                raise ValueError(f"{keyword!r} is {str(value)[:20]!r}, expected a number") from e


def reason_of(fault: Exception) -> str:
    """Return the reason that a library gives, without a full stop at its end.

    Parameters
    ----------
    fault
        exception of the library
    """
    # pydicom reports it as a missing tag at some position, once for each level
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, RecursionError):
            return "its sequences are nested too deeply"
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(fault).split())[:200].rstrip(".") or type(fault).__name__


def _refuse_cut(header: Header, file: InputFile, end: int) -> None:
    """Refuse a header that ends with the file although pixels must follow."""
    try:
        meta = header.dataset.file_meta
        kind = header.text("SOPClassUID") or str(meta.get("MediaStorageSOPClassUID", ""))
    except damage() as e:  # the meta header is decoded here for the first time
        raise _damaged(file, e) from e
    is_cut = end > file.size or (header.is_image and end == file.size)
    if is_cut or not kind or (kind in IMAGE_CLASSES and not header.is_image):
        is_short = end >= file.size
        raise FileFormatError(
            f"{file.name}: its header is cut off at {file.size:,} bytes. Copy the file again, or "
            "export the series again."
            if is_short
            else f"{file.name}: the DICOM header states no SOP class. Copy the file again, or "
            "export the series again."
        )


def _lacking_bytes(file: InputFile, dataset: Dataset, start: int) -> int:
    """Return the number of pixel bytes that a file lacks, from the position of its pixels."""
    is_implicit, is_little = dataset.original_encoding
    order = "<" if is_little else ">"
    head = file.read(12, start)
    if len(head) < 12 or struct.unpack_from(order + "H", head)[0] != PIXEL_GROUP:
        return 0
    # Tag and length: 4 + 4 bytes in implicit VR; with VR and a reserved field 4 + 4 + 4 (PS3.5,
    # 7.1).
    first = start + (8 if is_implicit else 12)
    (length,) = struct.unpack_from(order + "I", head, first - start - 4)
    # Compressed pixels have an undefined length. Their fragments are checked when they are decoded.
    return 0 if length == UNDEFINED else max(first + int(length) - file.size, 0)
