"""Error of a PET image as a BIDS derivative next to the raw image.

    derivatives/isocenter/dataset_description.json
    derivatives/isocenter/sub-<scan>/pet/sub-<scan>_desc-std_pet.nii.gz and .json

BIDS has no entity or suffix for a standard deviation. In derivative datasets `desc` distinguishes
images of the same suffix, and the sidecar describes the image (BIDS 1.11, "Common data types and
metadata"). The fields of the raw image also hold for its error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.core.json_types import Plain
from engine.data.error_volume import deviations_of
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.volumes.nifti import nifti_bytes, packed

FOLDER = "derivatives/isocenter"
LABEL = "std"
"""Label of the entity `desc`."""


def has_errors(volume: Volume, frames: Sequence[FrameVolume] = ()) -> bool:
    """Return True if the images of a dataset have error maps.

    Parameters
    ----------
    volume
        image, or sum of the frames
    frames
        time frames that are written in place of the image
    """
    images = [each.volume for each in frames] or [volume]
    return all(each.error is not None for each in images)


def error_files(
    volume: Volume, frames: Sequence[FrameVolume], who: str, dataset: Plain, fields: Plain
) -> Iterator[tuple[str, bytes]]:
    """Yield place and content of each file of the error of an image.

    Parameters
    ----------
    volume, frames
        images for which `has_errors` is True
    who
        label of the participant with its key, "sub-..."
    dataset
        version and program, as in the description of the raw dataset
    fields
        sidecar of the raw image
    """
    of_frames = tuple(each._replace(volume=deviations_of(each.volume)) for each in frames)
    shown = of_frames[0].volume if of_frames else deviations_of(volume)
    source = frames[0].volume.error if frames else volume.error
    stem = f"{FOLDER}/{who}/pet/{who}_desc-{LABEL}_pet"
    description: Plain = {
        "Name": f"Error of the PET image of scan {who}",
        **dataset,
        "DatasetType": "derivative",
        "DatasetLinks": {"raw": "../.."},
    }
    if source is not None:
        fields = {
            **fields,
            "Description": f"Standard deviation of each voxel over {source.source}, in the unit "
            "of the image",
            "Sources": [f"bids:raw:{who}/pet/{who}_pet.nii.gz"],
            "SkullStripped": False,
            "ErrorMethod": source.method,
            "ErrorStatistic": "standard deviation",
            "ErrorReplicates": source.n,
            "ErrorSeed": source.seed,
        }
    image = Path(f"{stem}.nii.gz")
    yield f"{FOLDER}/dataset_description.json", _json(description)
    yield f"{stem}.json", _json(fields)
    yield image.as_posix(), packed(nifti_bytes(shown, of_frames), image)


def _json(content: Plain) -> bytes:
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
