"""Settings for the reconstruction of a running list-mode scan."""

from __future__ import annotations

from typing import Literal

from engine.core.settings import Settings, setting

EventsOfImage = Literal["sliding", "growing"]


class LivePetSettings(Settings):
    """Which events of a running scan are in its image, and whether motion is watched for."""

    mode: EventsOfImage = setting(
        "growing",
        "The newest seconds, which follow what changes; or all events from the first, which are "
        "kept",
        label="Events",
    )
    newest_s: float = setting(
        10.0, "Of the sliding image", label="Newest", unit="s", ge=1.0, le=60.0
    )
    motion: bool = setting(True, "Say when the object has moved", label="Watch for motion")
    memory_share: float = setting(
        0.5, "Share of the free memory to use for stored events", label="Memory", gt=0, le=0.9,
        expert=True,
    )  # fmt: skip
