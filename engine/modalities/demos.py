"""Demos: one simulated scan for each kind of scan, made on this machine when it is wanted."""

from __future__ import annotations

from pathlib import Path

from engine.modalities import MODALITIES
from engine.modalities.demo import Demo

DEMOS: dict[str, Demo] = {modality.key: modality.demo for modality in MODALITIES}
"""By key; the first one is shown to who asks for none."""


def demo_folder() -> Path:
    """Return the folder of the demos among the user's caches; made if absent."""
    from engine.core.paths import cache_dir, made

    return made(cache_dir() / "demo")


__all__ = ["DEMOS", "Demo", "demo_folder"]
