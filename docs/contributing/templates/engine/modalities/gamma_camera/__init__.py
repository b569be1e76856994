"""Rotating gamma camera with a parallel-hole collimator.

Template of a modality. Copy the folder to `engine/modalities`, import `gamma_camera` in
`engine/modalities/__init__.py`, and add `gamma_camera.ENTRY` to `MODALITIES` there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.modalities.modality_list import ModalityEntry, never

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile

MARK = b'{"format": "gamma camera"'
"""First bytes of a scan."""


def accepts(file: InputFile) -> bool:
    """Return True if a file is a scan of this kind."""
    return file.head.startswith(MARK)


# This module is always imported. It must not import the rest of the folder, which is loaded when
# the first scan of this kind is opened.
ENTRY = ModalityEntry(
    key="gamma-camera",
    place="engine.modalities.gamma_camera.modality.GammaCamera",
    accepts=accepts,
    gathers=never,
    suffixes=(".camera",),
)
