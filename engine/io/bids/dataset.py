"""Write a PET image as a BIDS dataset: a folder with one participant, by pseudonym only.

    dataset_description.json  participants.tsv  participants.json  README
    sub-<scan>/pet/sub-<scan>_pet.nii.gz  sub-<scan>/pet/sub-<scan>_pet.json

The label of the participant is the start of the digest of the scan file. So images of one scan
belong to one participant, and images of two scans never do. The error of an image is a dataset of
its own, because it is not a raw image (`engine.io.bids.error_dataset`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.sidecar_writers import FolderWriter, write_folder
from engine.io.bids.error_dataset import FOLDER, error_files, has_errors
from engine.io.bids.sidecar import NOT_AVAILABLE, missing_from, sidecar_of
from engine.io.dicom.series import digest_of
from engine.io.dicom.subject import subject_of
from engine.io.dicom.transmission import is_emission
from engine.io.text.json_text import object_of
from engine.io.volumes.nifti import nifti_bytes, packed

VERSION = "1.10.0"
"""Version of BIDS."""
CLAIM = "Research use only. Not for diagnosis or treatment."
COLUMNS: Plain = {
    "sex": {"Description": "Sex", "Levels": {"F": "female", "M": "male"}},
    "weight": {"Description": "Body weight", "Units": "kg"},
    "height": {"Description": "Body height", "Units": "cm"},
}
FACTS = {"sex": "sex", "weight": "weight_kg", "height": "height_cm"}
"""Column -> fact of the scan."""
TEXT_BYTES = 16_384
"""Upper limit for the size of all text files."""


class BidsWriter(FolderWriter):
    """BIDS dataset of one PET image."""

    stores_errors: ClassVar[bool] = True
    detail: ClassVar[str] = "a folder for sharing brain PET"

    @classmethod
    def refuse_kind(cls, path: Path, *, is_emission: bool) -> None:
        if not is_emission:
            raise DataError(
                f"{path.name}: only PET images can be saved as a BIDS dataset; choose "
                "another format."
            )

    @classmethod
    def note(cls, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()) -> str:
        _refuse_errors(volume, "the dataset")
        missing = missing_from(sidecar_of(volume, provenance, frames))
        # "InjectedMassUnits" adds nothing if "InjectedMass" is missing, too.
        named = [each for each in missing if each.removesuffix("Units") not in {*missing} - {each}]
        if not missing:
            return ""
        return (
            f"BIDS requires values that this scan does not state: {', '.join(named)}. They are "
            "missing in the dataset; state them in a tracer file, or add them to the JSON file "
            "next to the image."
        )

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_dataset(volume, path, provenance)


def write_dataset(
    volume: Volume, path: Path, provenance: Plain, frames: Sequence[FrameVolume] = ()
) -> None:
    """Write an image, or its time frames, as a dataset, completely or not at all.

    Parameters
    ----------
    volume
        PET image; for several frames their sum or mean
    path
        new folder
    provenance
        origin of the volume as JSON values
    frames
        time frames on the same grid, written as one file with four axes in place of `volume`

    Raises
    ------
    DataError
        if the volume is no PET image, or shows errors instead of the image
    ResourceError
        if the folder exists or cannot be written
    """
    BidsWriter.refuse_kind(path, is_emission=is_emission(volume, provenance))
    _refuse_errors(volume, path.name)
    # Uncompressed size: the compressed size is not known before the work is done. Errors take the
    # same space again.
    n_images = max(len(frames), 1) * (2 if has_errors(volume, frames) else 1)
    needed = volume.values.size * 4 * n_images + TEXT_BYTES
    write_folder(path, needed, _files(volume, provenance, frames), volume.unit, provenance)


def _files(
    volume: Volume, provenance: Plain, frames: Sequence[FrameVolume]
) -> Iterator[tuple[str, bytes]]:
    """Yield place and content of each file."""
    # A pseudonym even for identified studies: BIDS datasets are made for sharing.
    who = f"sub-{subject_of(provenance, digest_of(volume)).attributes['StudyID']}"
    fields = sidecar_of(volume, provenance, frames)
    image = Path(f"{who}/pet/{who}_pet.nii.gz")
    version = str(object_of(provenance.get("environment")).get("isocenter", ""))
    maker = {"Name": "Isocenter"} | ({"Version": version} if version else {})
    description: Plain = {
        "Name": f"PET image of scan {who}",
        "BIDSVersion": VERSION,
        # BIDS counts reconstructed PET images as raw data. "derivative" means later processing.
        "DatasetType": "raw",
        "GeneratedBy": [maker],
    }
    yield "dataset_description.json", _json(description)
    yield "README", _readme(missing_from(fields), f"{who}_pet.json", has_errors(volume, frames))
    yield "participants.tsv", _participants(who, provenance)
    yield "participants.json", _json(COLUMNS)
    yield str(image.with_name(f"{who}_pet.json").as_posix()), _json(fields)
    yield image.as_posix(), packed(nifti_bytes(volume, frames), image)
    if has_errors(volume, frames):
        yield from error_files(
            volume, frames, who, {"BIDSVersion": VERSION, "GeneratedBy": [maker]}, fields
        )


def _refuse_errors(volume: Volume, name: str) -> None:
    """Refuse an image of errors, which is not a raw image."""
    if volume.quantity:
        raise DataError(
            f"{name}: the image shows the {volume.quantity}, and a BIDS dataset begins with the "
            "reconstructed image. Export that image; its error map becomes part of the dataset."
        )


def _participants(who: str, provenance: Plain) -> bytes:
    known = object_of(provenance.get("scan"))
    values = [str(known.get(fact) or NOT_AVAILABLE) for fact in FACTS.values()]
    # No age: the provenance contains no date of birth.
    rows = (("participant_id", *FACTS), (who, *values))
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def _readme(missing: Sequence[str], name: str, has_error: bool) -> bytes:
    lines = ["A PET image, written by Isocenter.", CLAIM]
    lines.append("Pseudonym of the participant: the start of a digest of the scan.")
    if has_error:
        lines.append(f"Standard deviation of each voxel, from replicates of the counts: {FOLDER}")
    if missing:
        lines.append(f"BIDS requires these values of {name}, but no input states them:")
        lines += [f"- {each}" for each in missing]
    return ("\n".join(lines) + "\n").encode()


def _json(content: Plain) -> bytes:
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
