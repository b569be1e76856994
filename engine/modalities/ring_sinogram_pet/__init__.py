"""Ring PET with coincidences in sinograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.folder import is_folder
from engine.io.formats import SINOGRAM_READERS
from engine.io.siemens import ENDINGS
from engine.modalities.modality_list import ModalityEntry

if TYPE_CHECKING:
    from pathlib import Path

    from engine.io.safety.open_input import InputFile


def accepts(file: InputFile) -> bool:
    """Return True if a file is a scan of this modality.

    Parameters
    ----------
    file
        opened file
    """
    return SINOGRAM_READERS.accepting(file) is not None


def gathers(path: Path) -> bool:
    """Return True if a path may be a folder of Siemens software, or a file in one.

    Parameters
    ----------
    path
        file or folder; its name decides
    """
    # Only the name is tested, because this runs for every path that is opened.
    return is_folder(path) or path.name.lower().endswith(ENDINGS)


ENTRY = ModalityEntry(
    key="pet-sinogram",
    place="engine.modalities.ring_sinogram_pet.modality.RingSinogramPet",
    accepts=accepts,
    gathers=gathers,
    roles=("engine.corrections.sinogram_roles.SINOGRAM_ROLES",),
)
