"""SPECT: a rotating gamma camera with a parallel-hole or a pinhole collimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.interfile.header import is_interfile, is_spect
from engine.modalities.modality_list import ModalityEntry

if TYPE_CHECKING:
    from pathlib import Path

    from engine.io.safety.open_input import InputFile

HEADER = ".hs"


def accepts(file: InputFile) -> bool:
    """Return True for a header of SPECT projections in Interfile."""
    if not (is_interfile(file.head) and is_spect(file.head)):
        return False
    # Reconstructed images have the same marks, except for their status.
    return b"reconstructed" not in file.head.lower()


def gathers(path: Path) -> bool:
    """Return True for a header. Its folder may contain collimator, crystal and μ-map."""
    return path.suffix.lower() == HEADER


ENTRY = ModalityEntry(
    "spect", "isocenter_spect.modality.Spect", accepts, gathers,
    ("isocenter_spect.camera.ROLES",), (HEADER,),
)  # fmt: skip
