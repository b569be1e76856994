"""X-ray CT: prepare projections and reconstruct them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.xray.find import find
from engine.modalities.modality_list import ModalityEntry, never

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile


def accepts(file: InputFile) -> bool:
    """Return whether a file is a scan of this kind."""
    return find(file.path) is not None


ENTRY = ModalityEntry(
    key="ct",
    place="engine.modalities.xray_ct.modality.XrayCt",
    accepts=accepts,
    gathers=never,
    roles=(),
)
