"""Find out if the views show the result that a command exports or signs off."""

from __future__ import annotations

from app.state.models.images.open_volumes import OpenVolumes

OF_RUN = ("image", "iterate")
"""Kinds of volumes that a result contains."""


def is_result_shown(volumes: OpenVolumes, result_id: str) -> bool:
    """Return False if the views show volumes, and the current result is none of them.

    Parameters
    ----------
    volumes
        open volumes of the window
    result_id
        identifier of the current result; "" if it is not stored
    """
    shown = [each for each in (volumes.base, volumes.overlay) if each is not None]
    # Opened from the list of results, the result has a key of its own.
    own = f"result:{result_id}"
    return not shown or any(each.kind in OF_RUN or each.key == own for each in shown)
