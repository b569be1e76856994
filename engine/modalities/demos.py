"""Demos: one simulated scan for each kind of scanner, made on this machine when it is wanted."""

from __future__ import annotations

from pathlib import Path

from engine.modalities.demo import Demo
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.xray_ct.demo import CtDemo

DEMOS: dict[str, Demo] = {demo.key: demo for demo in (PetDemo(), CtDemo(), DualHeadDemo())}
"""By key; the first one is shown to who asks for none."""


def demo_folder() -> Path:
    """Return the folder of the demos among the user's caches; made if absent."""
    from engine.paths import cache_dir, made

    return made(cache_dir() / "demo")


__all__ = ["DEMOS", "CtDemo", "Demo", "DualHeadDemo", "PetDemo", "demo_folder"]
