"""Settings for the reconstruction of a running list-mode scan."""

from __future__ import annotations

from typing import Literal

from engine.core.settings import Settings, setting

EventsOfImage = Literal["sliding", "growing"]


class LivePetSettings(Settings):
    """Which events of a running scan are in its image, and whether motion is watched for."""

    mode: EventsOfImage = setting(
        "growing",
        "Use only the latest events, so that the image follows changes, or use and store all "
        "events",
        label="Events",
    )
    newest_s: float = setting(
        10.0,
        "Length of the time window for the sliding image",
        label="Newest",
        unit="s",
        ge=1.0,
        le=60.0,
    )
    motion: bool = setting(True, "Report movements of the object", label="Detect motion")
    memory_share: float = setting(
        0.5, "Fraction of the free memory that stored events may use", label="Memory", gt=0, le=0.9,
        expert=True,
    )  # fmt: skip
