"""Fixtures for trials of extensions: a copy of the program, and commands that simulate scans."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extensions.trial import Trial

RING = """
name = "Tiny ring"
n_rings = 4
n_crystals_per_ring = 48
radius_mm = 80
ring_pitch_mm = 6
max_ring_difference = 3
n_tangential = 24
voxel_mm = [6, 6, 6]
fov_mm = [96, 24]
"""


def tiny_trial(folder: Path) -> Trial:
    """Return a copy of the program with a tiny scanner file in its working folder."""
    made = Trial.made(folder)
    (made.work / "ring.toml").write_text(RING, encoding="utf-8")
    return made


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """A copy of the program with a tiny scanner file in its working folder."""
    return tiny_trial(tmp_path)


@pytest.fixture(scope="session")
def pet_scan() -> list[str]:
    """The command that simulates a tiny PET scan, scan.h5."""
    return [
        *("simulate", "listmode", "-o", "scan.h5", "--scanner", "ring.toml"),
        *("--phantom", "spheres", "--prompts", "20000", "--randoms", "0", "--no-attenuation"),
    ]


@pytest.fixture(scope="session")
def ct_scan() -> list[str]:
    """The command that simulates a tiny X-ray scan without noise, scan.h5."""
    return [
        *("simulate", "projections", "-o", "scan.h5", "--phantom", "head", "--scale", "0.2"),
        *("--views", "24", "--detector", "32", "8", "--pixel", "4", "--noiseless"),
    ]
