"""Classify a volume as anatomy (CT, MR, attenuation) or function (PET, SPECT), without Qt."""

from __future__ import annotations

from app.views.colour.windows import is_ct
from engine.data import Volume

ANATOMICAL, FUNCTIONAL = ("CT", "MR"), ("PT", "NM")
"""DICOM modalities (PS3.3 C.7.3.1.1.1) of either kind."""


def is_anatomical(volume: Volume) -> bool:
    """Return True if a volume belongs below one that shows function.

    The DICOM modality decides. Without it, attenuation and values without a unit, such as an MR
    image in NIfTI, count as anatomy. Activity always has a unit.

    Parameters
    ----------
    volume
        the volume
    """
    kind = str(volume.info.get("kind", ""))
    if kind in (*ANATOMICAL, *FUNCTIONAL):
        return kind in ANATOMICAL
    return is_ct(volume.unit) or not volume.unit
