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
        "Only the latest rotation, so that the slices follow motion; or all views from the first "
        "until the scan is complete, and keep that image",
        label="Views",
    )
    turn: Turn = setting("full", "Use the latest half or full rotation", label="Latest rotation")
    weights: RayWeights = setting(
        "auto",
        "Rays that an open scan measures twice: count all alike (even, quick), share their weight "
        "(shared), or share it as soon as no view comes (auto)",
        label="Rays measured twice",
        expert=True,
    )
    preview_edge: int = setting(
        128, "Edge of the coarse volume; 0: none", label="Preview", unit="voxels", ge=0, le=512
    )
