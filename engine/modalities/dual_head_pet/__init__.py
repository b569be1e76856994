"""Dual-head PET: counts on the lines between two panels, and a stored response matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.formats import HISTOGRAM_READERS
from engine.modalities.modality_list import ModalityEntry, never

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile


def accepts(file: InputFile) -> bool:
    """Return True if a file is a scan of this modality.

    Parameters
    ----------
    file
        opened file
    """
    return HISTOGRAM_READERS.accepting(file) is not None


ENTRY = ModalityEntry(
    key="dual-head",
    place="engine.modalities.dual_head_pet.modality.DualHeadPet",
    accepts=accepts,
    gathers=never,
    roles=(
        "engine.corrections.roles.HISTOGRAM_ROLES",
        "engine.modalities.dual_head_pet.response_role.RESPONSE",
    ),
)
