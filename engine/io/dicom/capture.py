"""Write an overview image as DICOM Secondary Capture, for archives and viewers. PS3.3 A.8.1.

The pixels are those of the PNG snapshot, in RGB. The image belongs to the study of the volume, as
the series writer names it, and refers to the slices of its series. The default page shows no
patient name or date, so it has no burned-in annotation (PS3.3 C.7.6.1).
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
from engine.data.patient_position import with_axes_facts
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.base import VolumeWriter
from engine.io.dicom.general import encoded, general_attributes
from engine.io.dicom.headers import Header
from engine.io.dicom.private_block import SIGNED
from engine.io.dicom.series import digest_of, frames_in_series, instance_uid, references_of
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.values import uid_of, words
from engine.io.raster.png import page_of
from engine.io.safety.atomic_write import write_atomically
from engine.io.text.json_text import object_of

CLASS_UID = "1.2.840.10008.5.1.4.1.1.7"
"""Secondary Capture Image Storage."""
DERIVATION = "Three slices and a projection"


class DicomCaptureWriter(VolumeWriter):
    """Overview image as one DICOM file."""

    detail: ClassVar[str] = "three slices for archives and viewers (secondary capture)"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_capture(volume, path, provenance)


@dataclass(frozen=True)
class CapturedPage:
    """An image of a page for Secondary Capture.

    Attributes
    ----------
    pixels : (rows, columns, 3) uint8
    title : text before the description of the series
    derivation : how the page was made from the volume
    number : SeriesNumber
    is_annotated : True if the page shows the patient's name or the date of the scan
    signed : text by which the file states its signature; empty if it is not signed
    """

    pixels: NDArray[np.uint8]
    title: str = "Picture"
    derivation: str = DERIVATION
    number: str = "902"
    is_annotated: bool = False
    signed: str = ""


def write_capture(
    volume: Volume,
    path: Path,
    provenance: Plain,
    subject: Subject | None = None,
    series: Sequence[Header] = (),
    frames: Sequence[FrameVolume] = (),
) -> None:
    """Write an overview of a volume as a DICOM file.

    Parameters
    ----------
    volume
        image to show
    path
        target; it is written completely or not at all
    provenance
        origin of the volume as JSON values
    subject
        patient and study; None uses pseudonyms
    series
        headers of the DICOM series that the volume was read from, in the same study; if empty, a
        volume that was not read from a series refers to the series that this program would write
    frames
        time frames or gates, if the volume is their sum or mean
    """
    page = CapturedPage(np.asarray(page_of(volume).convert("RGB"), np.uint8))
    write_atomically(capture_of(page, volume, provenance, subject, series, frames), path)


def _has_frames(provenance: Plain) -> bool:
    """Return True if the series of an image has time frames, which its UIDs depend on."""
    found = object_of(provenance.get("scan")).get("frames")
    frames = [object_of(each) for each in found] if isinstance(found, list) else []
    return len(frames) > 1 and not any("gate" in each for each in frames)


def capture_of(
    page: CapturedPage,
    volume: Volume,
    provenance: Plain,
    subject: Subject | None = None,
    series: Sequence[Header] = (),
    frames: Sequence[FrameVolume] = (),
) -> bytes:
    """Return the bytes of a DICOM file with a page; for the other parameters see `write_capture`.

    Parameters
    ----------
    page
        page to store
    volume
        image that the page was made from
    provenance
        origin of the volume as JSON values
    subject
        patient and study; None uses pseudonyms
    series
        headers of the DICOM series that the volume was read from
    frames
        time frames or gates, if the volume is their sum or mean; without them a picture of a
        dynamic image refers to no slice
    """
    digest = digest_of(volume, frames_in_series(volume, provenance, frames))
    identity = subject or subject_of(with_axes_facts(provenance, volume.info), digest)
    study = str(identity.attributes["StudyInstanceUID"])
    pixels = sha256(page.pixels.tobytes()).hexdigest()
    # UIDs from the content: a second export of the same page does not add a duplicate to an
    # archive.
    own = uid_of("picture", study, digest, pixels)
    general = general_attributes(volume, provenance, identity)
    attributes: Plain = {
        **general,
        **(
            references_of(volume, provenance, identity, series, frames)
            if series or frames or not _has_frames(provenance)
            else identity.references
        ),
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": page.number,
        "SeriesDescription": words(f"{page.title}, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        # "OT" (other): with "PT" or "CT", viewers would offer SUV or Hounsfield units for these
        # pixels.
        "Modality": "OT",
        # Workstation. This attribute is type 1 in the SC Equipment module (PS3.3 C.8.6.1).
        "ConversionType": "WSD",
        "DateOfSecondaryCapture": general["ContentDate"],
        "TimeOfSecondaryCapture": general["ContentTime"],
        "SecondaryCaptureDeviceManufacturer": "Isocenter",
        "SecondaryCaptureDeviceSoftwareVersions": general["SoftwareVersions"],
        "ImageType": ["DERIVED", "SECONDARY"],
        "DerivationDescription": page.derivation,
        "PatientOrientation": "",
        "BurnedInAnnotation": "YES" if page.is_annotated else "NO",
        SIGNED: page.signed,
    }
    return encoded(attributes, page.pixels)
