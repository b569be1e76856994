"""X-ray CT: prepare projections and reconstruct them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.io.xray.find import find
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
    # A folder or a sidecar can describe the scan, so the path decides and not the content.
    return find(file.path) is not None


ENTRY = ModalityEntry(
    key="ct",
    place="engine.modalities.xray_ct.modality.XrayCt",
    accepts=accepts,
    gathers=never,
    roles=(),
)
