"""A tracer file identifies its scan by content, not by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.core.errors import DataError
from engine.corrections.calibration import TRACER
from engine.data.listmode import ListMode
from engine.data.timing.tracer import Tracer
from engine.io.auxiliary.tracer_file import read_tracer, write_tracer
from engine.io.scan_fingerprint import scan_digest
from engine.modalities.attaching import attached


def test_fingerprint_depends_on_content_and_not_on_name(tmp_path: Path) -> None:
    scan, moved = tmp_path / "a.h5", tmp_path / "b.dat"
    long = bytes(range(256)) * 8200  # of more than two ends
    for path in (scan, moved):
        path.write_bytes(long)
    assert scan_digest(scan) == scan_digest(moved)
    others = (b"\1" + long[1:], long[:-1] + b"\1", long + b"\0", long[:2000])
    digests = []
    for text in others:
        moved.write_bytes(text)
        digests.append(scan_digest(moved))
    assert len({*digests, scan_digest(scan)}) == len(others) + 1


def test_folder_is_identified_by_its_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    first = scan_digest(tmp_path)
    (tmp_path / "two").write_text("three")
    assert scan_digest(tmp_path) != first


def test_tracer_file_of_another_scan_is_refused(tmp_path: Path) -> None:
    events = ListMode(engine.read_scanner("demo-ring"), np.zeros((1, 2), np.int32))
    scan, other, file = (tmp_path / name for name in ("scan.h5", "other.h5", "tracer.toml"))
    scan.write_text("events of one patient")
    other.write_text("events of another one")
    write_tracer(Tracer(nuclide="F-18", weight_kg=70, of_scan=scan_digest(scan)), file)
    assert read_tracer(file).of_scan == scan_digest(scan)
    found = attached((TRACER,), {"tracer": file}, events, of=scan)
    assert found.info["weight_kg"] == 70
    with pytest.raises(
        DataError,
        match=r"tracer\.toml: this tracer file was filled in for a different scan than other",
    ):
        attached((TRACER,), {"tracer": file}, events, of=other)
