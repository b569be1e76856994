"""Scans of all formats open next to hostile files with any file extension."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.modalities.inspection import inspect
from tests.engine.io.dicom.hostile_dicom import HOSTILE
from tests.engine.io.xray import xray_files

ENDINGS = (".tif", ".hdr", ".toml", ".dcm", ".csv", ".json")
NAMES = ("sequences nested in one another", "zero length", "random bytes", "link to itself")


@pytest.mark.parametrize("kind", ["a.nii.gz", "a.tif", "a.mha", "projections"])
def test_scan_opens_next_to_hostile_files(tmp_path: Path, kind: str) -> None:
    if kind == "projections":
        path = xray_files.dxchange(tmp_path)
    else:
        path = tmp_path / kind
        values = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        save(Volume(values, ImageGrid((3, 4, 5), (1.0, 1.0, 1.0)), "1/mm"), path)
    expected = inspect(path)
    assert not expected.faults
    for hostile in HOSTILE:
        if hostile.name in NAMES:
            for ending in ENDINGS:
                hostile.make(tmp_path / f"bad{ending}", path, np.random.default_rng(3))
            assert inspect(path) == expected
            for ending in ENDINGS:
                (tmp_path / f"bad{ending}").unlink()
