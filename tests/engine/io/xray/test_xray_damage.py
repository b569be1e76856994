"""Damaged files are read completely or refused with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import EngineError
from engine.io import read_projections
from tests.engine.io.xray.test_xray_htc import write as matlab
from tests.engine.io.xray.test_xray_rtk import write as rtk
from tests.engine.io.xray.test_xray_sidecar import write as sidecar
from tests.engine.io.xray.xray_files import bruker, flexray, nikon


@pytest.mark.parametrize(
    "write", [flexray, nikon, bruker, sidecar, rtk, matlab], ids=lambda w: w.__module__ + w.__name__
)
def test_damaged_file_gives_one_sentence(
    tmp_path: Path, rng: np.random.Generator, write: Callable[..., Path]
) -> None:
    path = write(tmp_path)
    files = sorted(tmp_path.iterdir())
    n_refused = 0
    for trial in range(60):
        file = path if trial % 2 else files[rng.integers(len(files))]
        whole = file.read_bytes()
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 6)):
            damaged[rng.integers(len(damaged))] = rng.integers(256)
        file.write_bytes(damaged if trial % 3 else damaged[: rng.integers(1, len(damaged))])
        try:
            read_projections(path)
        except EngineError as e:
            n_refused += 1
            assert "\n" not in str(e)
        file.write_bytes(whole)
    assert n_refused > 10
    assert read_projections(path).n_views
