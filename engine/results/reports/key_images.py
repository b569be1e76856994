"""Key images of a result: pictures that a reader chose in the views for the report.

They are stored in one file next to the result, which is replaced as a whole. The file names its
result and the digest of its record, so that another result never shows these pictures.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from pydantic import ValidationError

from engine.core.errors import DataError, FileFormatError, ResourceError
from engine.core.settings import Settings, explain, setting
from engine.io.dicom.values import named
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import read_text
from engine.io.safety.seal import broken, seal_of
from engine.io.safety.set_aside import set_aside
from engine.io.text.json_text import from_json, to_json
from engine.results.result import Result

FILE = "key-images.json"
ASIDE = "key-images.damaged*.json"
"""Names of damaged files that were set aside."""
FORMAT = "isocenter-key-images-1"
MAX_IMAGES = 12
MAX_BYTES = 1 << 26
"""Size limit of the file."""
PNG = b"\x89PNG\r\n\x1a\n"
REMEDY = "Remove the file, and choose the key images again."


@dataclass(frozen=True)
class KeyImage:
    """A picture for the report.

    Attributes
    ----------
    png : content of the PNG file
    caption : plane, position, window, unit and second volume, without names of files
    patient : mark of the patient of the second volume, from `patient_mark`; empty if there is none
        or it is not known
    """

    png: bytes
    caption: str
    patient: str = ""


@dataclass(frozen=True)
class UsableKeyImages:
    """Key images that a report can show.

    Attributes
    ----------
    images : the chosen images in their order; empty if there are none, or the file is damaged
    fault : sentence about a damaged file; empty without one
    """

    images: tuple[KeyImage, ...] = ()
    fault: str = ""


class _StoredImage(Settings):
    """A picture in the file: its content as base64 text."""

    png: str
    caption: str = setting(max_length=1000)
    patient: str = setting("", max_length=64)


class _StoredImages(Settings):
    """Content of the file."""

    format: str = FORMAT
    result: str
    record: str
    images: tuple[_StoredImage, ...] = setting(max_length=MAX_IMAGES)


def patient_mark(patient_id: str) -> str:
    """Return a digest by which pictures of one patient are recognised.

    Parameters
    ----------
    patient_id
        PatientID of a volume

    Returns
    -------
    mark
        empty for no patient, and for our pseudonyms, which name nobody
    """
    known = named(patient_id)
    # The ID itself is written only where the user asks for it.
    return sha256(f"patient {known}".encode()).hexdigest() if known else ""


def read_key_images(result: Result) -> tuple[KeyImage, ...]:
    """Return the key images of a result, in their order.

    Parameters
    ----------
    result
        result with the key images

    Returns
    -------
    tuple of KeyImage
        empty if none were chosen

    Raises
    ------
    FileFormatError
        if the file is damaged, was changed, or belongs to another result
    """
    path = result.folder / FILE
    if not path.is_file():
        return ()
    text = read_text(path, MAX_BYTES)
    try:
        stated = from_json(text)
        seal = stated.pop("seal", None)
        found = _StoredImages.model_validate(stated)
        images = tuple(
            KeyImage(_png_of(each.png), each.caption, each.patient) for each in found.images
        )
    except ValidationError as e:
        raise FileFormatError(
            f"{result.id}/{FILE}: damaged key images. {REMEDY} Reason: {explain(e)}."
        ) from e
    except (ValueError, AttributeError) as e:
        raise FileFormatError(f"{result.id}/{FILE}: damaged key images ({e}). {REMEDY}") from e
    if seal != seal_of(**stated):
        raise broken(path, REMEDY)
    if (found.result, found.record) != (result.id, result.record.sha256):
        raise FileFormatError(
            f"{result.id}/{FILE}: these key images belong to the result {found.result}. {REMEDY}"
        )
    return images


def usable_key_images(result: Result) -> UsableKeyImages:
    """Return the key images of a result; a damaged file is set aside, and a sentence names it.

    The sentence returns until somebody chooses key images again, or deletes the file set aside.

    Parameters
    ----------
    result
        result with the key images

    Raises
    ------
    ResourceError
        if the file cannot be opened
    """
    path = result.folder / FILE
    try:
        if path.exists():
            return UsableKeyImages(read_key_images(result))
    except FileFormatError:
        # In a folder that is only readable the file stays, and the report names it.
        with suppress(ResourceError):
            set_aside(path)
    damaged = path if path.exists() else max(path.parent.glob(ASIDE), key=_time, default=None)
    if damaged is None:
        return UsableKeyImages()
    return UsableKeyImages(
        fault=f"{result.id}/{FILE}: these key images are damaged or belong to another result, so "
        "the automatic pictures replace them; the damaged file is now "
        f"{damaged.name}. Choose the key images again, or delete that file."
    )


def write_key_images(result: Result, images: tuple[KeyImage, ...]) -> None:
    """Store the key images of a result, completely or not at all.

    Parameters
    ----------
    result
        result that the pictures show
    images
        all its pictures, in the order of the report; empty removes the file

    Raises
    ------
    DataError
        if there are more than `MAX_IMAGES`, or they are too large
    ResourceError
        if the file cannot be written
    """
    path = result.folder / FILE
    if not images:
        path.unlink(missing_ok=True)
        return
    if len(images) > MAX_IMAGES:
        raise DataError(
            f"A report has at most {MAX_IMAGES} key images, not {len(images)}; remove some first."
        )
    stored = tuple(
        _StoredImage(png=b64encode(e.png).decode(), caption=e.caption, patient=e.patient)
        for e in images
    )
    content = _StoredImages(result=result.id, record=result.record.sha256, images=stored)
    stated = content.model_dump(mode="json")
    for each in stated["images"]:
        # Earlier versions read only files without this name.
        if not each["patient"]:
            del each["patient"]
    data = to_json(stated | {"seal": seal_of(**stated)}).encode()
    if len(data) > MAX_BYTES:
        raise DataError(
            f"The key images of {result.id} need {len(data):,} bytes, more than {MAX_BYTES:,}; "
            "remove some first."
        )
    # Pictures of a patient: only the owner may read them.
    write_atomically(data, path, private=True)


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns


def _png_of(text: str) -> bytes:
    """Return the bytes of a picture; raise `ValueError` if they are no PNG."""
    from PIL import Image, UnidentifiedImageError

    data = b64decode(text, validate=True)
    if not data.startswith(PNG):
        raise ValueError("a picture is no PNG")
    try:
        Image.open(BytesIO(data)).verify()
    except (UnidentifiedImageError, OSError, SyntaxError) as e:
        raise ValueError("a picture cannot be read") from e
    return data
