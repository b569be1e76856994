"""Tests that opening a dialog loads no library with a long import time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NAMES = ("studies", "queue", "storage", "settings", "measure_resolution", "calibrate", "normalise")
OPEN = """
import sys
from app.shell.application import make_app, make_window
from app.shell.shutdown import leave
app = make_app()
window = make_window(app)
window.show()
app.processEvents()
for name in sys.argv[1:]:
    getattr(window.dialogs, name)()
    app.processEvents()
sys.stdout.write(" ".join((type(app.activeWindow()).__name__, *sys.modules)))
leave(0)
"""


HEAVY = {"numba", "scipy", "h5py", "nibabel", "cupy", "pyqtgraph"}


def opened(*names: str) -> tuple[str, set[str]]:
    """Return the class of the last opened dialog, and the heavy libraries that were loaded."""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", OPEN, *names]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown, *loaded = done.stdout.split()
    return shown, HEAVY & set(loaded)


@pytest.mark.parametrize("names", [("normalise",), NAMES], ids=["normalisation", "many"])
def test_opening_dialogs_loads_no_heavy_library(names):
    assert opened(*names) == ("NormaliseDialog", set())


def test_tuning_dialog_opens_without_its_plot():
    # A thread imports the kernels to read the saved variants.
    shown, loaded = opened("tune")
    assert shown == "TuningDialog"
    assert "pyqtgraph" not in loaded
