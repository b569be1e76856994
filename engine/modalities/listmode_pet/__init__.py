"""List-mode PET: each event is traced along its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.formats import LISTMODE_READERS
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
    return LISTMODE_READERS.accepting(file) is not None


ENTRY = ModalityEntry(
    key="pet",
    place="engine.modalities.listmode_pet.modality.ListModePet",
    accepts=accepts,
    gathers=never,
    roles=(
        "engine.corrections.roles.LISTMODE_ROLES",
        "engine.modalities.listmode_pet.trigger_times.TRIGGERS",
    ),
)
