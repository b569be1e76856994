"""Tests of the screenshots of all states: complete, right size, not blank, no faults.

ISOCENTER_SCREENSHOTS=FOLDER saves the screenshots in a folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.ui.theme.theme import THEMES
from tests.app.gallery.acts import ACTS, part_of

ROOT = Path(__file__).resolve().parents[3]
SIZE, SCALE = (1276, 686), 2
"""Scale of the window on a small screen: half as many pixels."""
SIZES = {"layout-narrow": (1010, 600), "layout-full-screen": (1280, 720)}
"""Other sizes of the window: its minimum, and the full screen."""
OTHERS = (
    *("dialog", "question", "menu", "devices", "looking-results-floating", "looking-straightened"),
    *(f"long-{name}" for name in ("delete", "export", "input", "replace", "storage")),
    *(f"{kind}-closing" for kind in ("pet", "ct", "dual")),
)
"""Prefixes of the names of screenshots of a dialog, a menu or a panel."""
PARTS = tuple(f"{number}/6" for number in range(1, 7))
"""Number of parts; all acts in one test would exceed its time limit."""
DELAYS = ("median", "99th percentile", "longest")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Return one home for all screenshots, so that the demo is simulated once."""
    return tmp_path_factory.mktemp("pictures-home")


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    """Return one folder for all parts, so that each demo is simulated once."""
    return Path(os.environ.get("ISOCENTER_SCREENSHOTS", tmp_path_factory.mktemp("pictures")))


def test_parts_contain_each_act_once():
    played = [act for part in PARTS for act in part_of(ACTS, part)]
    assert sorted(map(ACTS.index, played)) == [*range(len(ACTS))]


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_every_photographed_state_of_the_window_has_no_faults(out, part):
    command = [
        *("tests.app.take_screenshots", "--out", out, "--part", part),
        *("--screen", "2560x1440", "--scale", SCALE),
    ]
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    folder = out / "2560x1440"
    assert (folder / "faults.txt").read_text().split() == []
    names = [name for act in part_of(ACTS, part) for name in act.pictures]
    for theme in THEMES:
        for name in names:
            with Image.open(folder / f"{name}-{theme}.png") as picture:
                if not name.startswith(OTHERS):
                    width, height = SIZES.get(name, SIZE)
                    assert picture.size == (width * SCALE, height * SCALE), name
                pixels = np.asarray(picture.convert("L"))
            assert pixels.std() > 5, f"{name} is blank"
            background = np.bincount(pixels.ravel()).argmax()
            assert (background < 64) == (theme == "dark"), f"{name} is not {theme}"


@pytest.mark.slow
def test_reaction_time_of_the_window_during_a_run_can_be_measured(home):
    settings = {"QT_QPA_PLATFORM": "offscreen", "ISOCENTER_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "app.shell.measured_window"],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    delays = [figures[f"event loop delay, {each} [ms]"] for each in DELAYS]
    assert figures["ticks"] > 0
    assert 0 <= delays[0] <= delays[1] <= delays[2]
    quick = figures["start to first picture [s]"] < 2 and delays[1] < 50
    assert figures["meets both bars"] == quick
