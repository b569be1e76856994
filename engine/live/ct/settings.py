"""Settings for the reconstruction of a running scan."""

from __future__ import annotations

from typing import Literal

from engine.core.settings import Settings, setting

Mode = Literal["sliding", "growing"]
Turn = Literal["half", "full"]
RayWeights = Literal["auto", "even", "shared"]


class LiveSettings(Settings):
    """Which views of a running scan are in its slices, and how their rays count."""

    mode: Mode = setting(
        "growing",
        "Use only the latest rotation, so that the slices follow motion, or use all views until "
        "the scan is complete and keep the final image",
        label="Views",
    )
    turn: Turn = setting("full", "Use the latest half or full rotation", label="Latest rotation")
    weights: RayWeights = setting(
        "auto",
        'Weight of rays that are measured twice when the rotation is incomplete. "even": both '
        'at full weight (fast). "shared": the two measurements share one weight. "auto": '
        '"even" during the scan, "shared" once it is complete',
        label="Rays measured twice",
        expert=True,
    )
    preview_edge: int = setting(
        128,
        "Edge length of the coarse preview volume; 0: no preview",
        label="Preview",
        unit="voxels",
        ge=0,
        le=512,
    )
