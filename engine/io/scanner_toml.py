"""Scanners of a known kind, each in one TOML file: those that come with us and the user's own."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np

from engine.errors import SettingsError
from engine.geometry.ring import RingScanner, RingSettings
from engine.io.door import open_head
from engine.settings import parse, read_toml

RADIUS_MM = (20.0, 1000.0)
"""From the smallest animal scanner to the widest bore."""
MIN_CRYSTAL_PITCH_MM = 0.45
"""Below every crystal built so far: the lengths are then in cm."""


def builtin_keys() -> tuple[str, ...]:
    """Names of the scanner files that come with the program."""
    folder = files("resources") / "scanners"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def builtin_settings(key: str) -> RingSettings:
    """Return the settings of a scanner that comes with the program."""
    text = (files("resources") / "scanners" / f"{key}.toml").read_text(encoding="utf-8")
    return parse(RingSettings, tomllib.loads(text), where=f"{key}.toml")


def read_ring(path: Path) -> RingScanner:
    """Read a ring scanner's file; refuse lengths that are not millimetres."""
    open_head(path)
    settings = parse(RingSettings, read_toml(path), where=path.name)
    refuse_wrong_unit(settings, path.name)
    return RingScanner(settings)


def refuse_wrong_unit(settings: RingSettings, where: str) -> None:
    """Refuse a ring whose lengths are centimetres or metres instead of millimetres."""
    low, high = RADIUS_MM
    if not low <= settings.radius_mm <= high:
        raise SettingsError(
            f"{where}: radius_mm = {settings.radius_mm:g}, want {low:g} to {high:g} mm; "
            "lengths are in mm."
        )
    across = 2 * np.pi * settings.radius_mm / settings.n_crystals_per_ring
    for what, pitch in (("around the ring", across), ("between rings", settings.ring_pitch_mm)):
        if pitch < MIN_CRYSTAL_PITCH_MM:
            raise SettingsError(
                f"{where}: crystals would be {pitch:.3f} mm apart {what}, less than any "
                "crystal; lengths are in mm, were they given in cm?"
            )
