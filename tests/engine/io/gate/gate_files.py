"""Write scans in the format of GATE: ROOT trees with the published branch names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.core.arrays import Array
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.tof import MM_PER_PS

DEPTH_MM = 4.0
"""Spread of photon positions around the mean depth."""


def library() -> ModuleType:
    """Return the library that reads and writes ROOT files, from the extra `gate`."""
    return pytest.importorskip("uproot")


def write(path: Path, trees: Mapping[str, Mapping[str, Array]]) -> Path:
    with library().recreate(path) as file:
        for name, branches in trees.items():
            file.mktree(name, {key: values.dtype for key, values in branches.items()})
            if len(next(iter(branches.values()))):
                file[name].extend(dict(branches))
    return path


def numbers(crystals: Array, ring: RingScanner, end: str) -> dict[str, Array]:
    """Number crystals as cylindricalPET does: rsectors around the axis, modules along it."""
    s = ring.settings
    ring_of, place = np.divmod(crystals, s.n_crystals_per_ring)
    sector, column = np.divmod(place, s.block_places)
    module, row = np.divmod(ring_of, s.block_rings)
    found = {
        "gantryID": np.zeros_like(place),
        "rsectorID": (sector + 3) % (s.n_crystals_per_ring // s.block_places),
        "moduleID": module,
        "submoduleID": np.zeros_like(place),
        "crystalID": row * s.block_places + column,
        "layerID": np.zeros_like(place),
    }
    return {name + end: values.astype(np.int32) for name, values in found.items()}


def places(crystals: Array, ring: RingScanner, rng: np.random.Generator) -> Array:
    """Return (n, 3) photon positions at various depths of their crystals."""
    points = ring.positions_mm[crystals]
    radius = np.hypot(points[:, 0], points[:, 1])
    deeper = 1 + rng.uniform(-DEPTH_MM, DEPTH_MM, len(points)) / radius
    return points * np.stack([deeper, deeper, np.ones_like(deeper)], -1)


def gate_9(scan: ListMode, rng: np.random.Generator) -> dict[str, Array]:
    """Return the branches of a scan's coincidences with the names of GATE 9."""
    ring = scan.scanner
    assert isinstance(ring, RingScanner)
    assert scan.time_ms is not None
    n = scan.n_events
    time1 = scan.time_ms / 1000
    difference_ps = np.zeros(n)
    if scan.tof_bins is not None:
        assert ring.tof is not None
        difference_ps = ring.tof.centres_mm[scan.tof_bins] / MM_PER_PS
    found: dict[str, Array] = {"time1": time1 + 1e-6, "time2": time1 + 1e-6 - difference_ps * 1e-12}
    for k, end in enumerate("12"):
        found |= numbers(scan.crystals[:, k], ring, end)
        points = places(scan.crystals[:, k], ring, rng)
        for axis, values in zip("XYZ", points.T, strict=True):
            found[f"globalPos{axis}{end}"] = values.astype(np.float32)
        found[f"eventID{end}"] = np.arange(n, dtype=np.int32)
        for name in ("comptonPhantom", "RayleighPhantom"):
            found[name + end] = np.zeros(n, np.int32)
    return found


def gate_10(scan: ListMode, rng: np.random.Generator, *, of_actor: bool) -> dict[str, Array]:
    """Return these branches with the names of GATE 10, which does not number crystals."""
    nine = gate_9(scan, rng)
    found: dict[str, Array] = {}
    for end in "12":
        found[f"GlobalTime{end}"] = nine[f"time{end}"] * 1e9
        found[f"EventID{end}"] = nine[f"eventID{end}"]
        for axis in "XYZ":
            name = f"PostPosition{end}_{axis}" if of_actor else f"PostPosition_{axis}{end}"
            found[name] = nine[f"globalPos{axis}{end}"]
    return found
