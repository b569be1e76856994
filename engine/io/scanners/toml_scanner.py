"""Scanners in TOML files: the built-in ones and those of the user."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.geometry.dual_head import DualHead, DualHeadSettings
from engine.geometry.ring import RingScanner, RingSettings
from engine.io.text.toml_file import read_toml

ScannerSettings = RingSettings | DualHeadSettings

RADIUS_MM = (20.0, 1000.0)
"""Radii of real scanners, from the smallest animal scanner to the widest bore."""
MIN_CRYSTAL_PITCH_MM = 0.45
"""Smaller than every crystal built so far: such lengths are probably in cm."""


def builtin_keys() -> tuple[str, ...]:
    """Return the names of the scanner files that come with the program."""
    folder = files("resources") / "scanners"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def builtin_settings(key: str) -> ScannerSettings:
    """Return the settings of a scanner that comes with the program."""
    text = (files("resources") / "scanners" / f"{key}.toml").read_text(encoding="utf-8")
    return scanner_settings(tomllib.loads(text), where=f"{key}.toml")


def scanner_settings(values: Plain, *, where: str) -> ScannerSettings:
    """Return the settings of a scanner: two panels if `kind` is "dual-head", otherwise a ring.

    Parameters
    ----------
    values
        table of a scanner file
    where
        file name, for error messages

    Raises
    ------
    SettingsError
        if a value is missing, unknown or out of range
    """
    # Scanner files written before two panels were supported have no `kind`.
    if values.get("kind") == "dual-head":
        return parse(DualHeadSettings, values, where=where)
    return parse(RingSettings, values, where=where)


def scanner_of(settings: ScannerSettings) -> RingScanner | DualHead:
    """Return the scanner with these settings."""
    if isinstance(settings, DualHeadSettings):
        return DualHead(settings)
    return RingScanner(settings)


def is_scanner_toml(path: Path) -> bool:
    """Return True if a TOML file describes a scanner.

    Parameters
    ----------
    path
        TOML file; protocols and studies have the same ending

    Raises
    ------
    SettingsError
        if the file is not TOML
    """
    values = read_toml(path)
    # Do not parse all settings: a scanner file with a wrong value must still be reported as a
    # scanner.
    return "n_rings" in values or values.get("kind") in ("ring", "dual-head")


def read_toml_scanner(path: Path) -> RingScanner | DualHead:
    """Read a scanner file.

    Parameters
    ----------
    path
        TOML file of a ring scanner or of two panels

    Raises
    ------
    SettingsError
        if a value is missing or wrong, or lengths are not in mm
    """
    settings = scanner_settings(read_toml(path), where=path.name)
    refuse_wrong_unit(settings, path.name)
    return scanner_of(settings)


def refuse_wrong_unit(settings: ScannerSettings, where: str) -> None:
    """Refuse a scanner if its lengths are apparently in cm or m.

    Parameters
    ----------
    settings
        settings of a ring scanner or of two panels
    where
        file name, for error messages

    Raises
    ------
    SettingsError
        if the ring radius or a crystal pitch is not plausible in mm
    """
    if isinstance(settings, DualHeadSettings):
        _refuse_pitch(settings.pitch_mm, "pitch_mm", where)
        return
    low, high = RADIUS_MM
    if not low <= settings.radius_mm <= high:
        raise SettingsError(
            f"{where}: 'radius_mm' is {settings.radius_mm:g}, expected {low:g} to {high:g} mm; "
            "give lengths in mm."
        )
    # The arc between two places, gaps included; it differs little from the distance of the
    # crystals.
    across = 2 * np.pi * settings.radius_mm / settings.n_crystals_per_ring
    for key, pitch in (("n_crystals_per_ring", across), ("ring_pitch_mm", settings.ring_pitch_mm)):
        _refuse_pitch(pitch, key, where)


def _refuse_pitch(pitch_mm: float, key: str, where: str) -> None:
    if pitch_mm < MIN_CRYSTAL_PITCH_MM:
        raise SettingsError(
            f"{where}: the crystal pitch from {key!r} is {pitch_mm:.3f} mm, expected at least "
            f"{MIN_CRYSTAL_PITCH_MM:g} mm; give lengths in mm, not cm."
        )
