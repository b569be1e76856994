"""HDF5 loads no plugins from environment variables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = """
import engine.io, os, h5py
places = [h5py.h5pl.get(k).decode() for k in range(h5py.h5pl.size())]
print(os.environ.get("HDF5_PLUGIN_PATH"), os.environ["HDF5_PLUGIN_PRELOAD"], *places)
"""


def test_plugins_of_the_environment_are_not_loaded(tmp_path: Path) -> None:
    variables = os.environ | {"HDF5_PLUGIN_PATH": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("None ::")
    assert str(tmp_path) not in done.stdout
