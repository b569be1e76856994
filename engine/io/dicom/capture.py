"""Write an overview image as DICOM Secondary Capture, for archives and viewers. PS3.3 A.8.1.

The pixels are those of the PNG picture, in colours (RGB). It lies in the study of the image, as the
series writer names it, and refers to the slices of its series. Nothing in that picture says whose
it is or when it was measured, which is what burned-in annotation means (PS3.3 C.7.6.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.base import VolumeWriter
from engine.io.dicom.general import encoded, general_attributes
from engine.io.dicom.headers import Header
from engine.io.dicom.references import references_of
from engine.io.dicom.series import digest_of, instance_uid
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import words
from engine.io.raster.png import page_of
from engine.io.safety.atomic_write import write_atomically

CLASS_UID = "1.2.840.10008.5.1.4.1.1.7"
"""Secondary Capture Image Storage."""
DERIVATION = "Three slices and a projection"


class DicomCaptureWriter(VolumeWriter):
    """A picture as one DICOM file."""

    name: ClassVar[str] = "DICOM picture"
    suffixes: ClassVar[tuple[str, ...]] = (".capture.dcm",)
    detail: ClassVar[str] = "three slices for archives and viewers (secondary capture)"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_capture(volume, path, provenance)


@dataclass(frozen=True)
class CapturedPage:
    """A picture made of an image.

    Attributes
    ----------
    pixels : (rows, columns, 3) uint8
    title : before the description of its series
    derivation : what was made of the image
    number : of its series
    is_annotated : whether what is burned in says whose it is, or when it was measured
    """

    pixels: NDArray[np.uint8]
    title: str = "Picture"
    derivation: str = DERIVATION
    number: str = "902"
    is_annotated: bool = False


def write_capture(
    volume: Volume,
    path: Path,
    provenance: Plain,
    subject: Subject | None = None,
    series: Sequence[Header] = (),
) -> None:
    """Write a picture of a volume.

    Parameters
    ----------
    volume
        what to show
    path
        target; whole, or not at all
    provenance
        of the volume
    subject
        patient and study; by pseudonyms if None
    series
        headers of the DICOM series that the volume was read from, of the same study; the series
        that we would write is referred to if empty and the volume is from no series
    """
    page = CapturedPage(np.asarray(page_of(volume).convert("RGB"), np.uint8))
    write_atomically(capture_of(page, volume, provenance, subject, series), path)


def capture_of(
    page: CapturedPage,
    volume: Volume,
    provenance: Plain,
    subject: Subject | None = None,
    series: Sequence[Header] = (),
) -> bytes:
    """Return a picture made of a volume as a DICOM file, as `write_capture` writes its own."""
    whose = subject or subject_of(provenance, digest_of(volume))
    study = str(whose.attributes["StudyInstanceUID"])
    pixels = sha256(page.pixels.tobytes()).hexdigest()
    own = uid_of("picture", study, digest_of(volume), pixels)
    general = general_attributes(volume, provenance, whose)
    attributes: Plain = {
        **general,
        **references_of(volume, provenance, whose, series),
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": page.number,
        "SeriesDescription": words(f"{page.title}, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        "Modality": "OT",
        "ConversionType": "WSD",
        "DateOfSecondaryCapture": general["ContentDate"],
        "TimeOfSecondaryCapture": general["ContentTime"],
        "SecondaryCaptureDeviceManufacturer": "Isocenter",
        "SecondaryCaptureDeviceSoftwareVersions": general["SoftwareVersions"],
        "ImageType": ["DERIVED", "SECONDARY"],
        "DerivationDescription": page.derivation,
        "PatientOrientation": "",
        "BurnedInAnnotation": "YES" if page.is_annotated else "NO",
    }
    return encoded(attributes, page.pixels)
