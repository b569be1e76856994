"""Parts of a scan read from disk equal those of the whole scan."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.paths import cache_dir
from engine.corrections.preprocess import STEPS, PreprocessStep
from engine.data.projections import Projections
from engine.geometry.orbits import circle, parallel
from engine.jobs.loader import CallsHere, ForeignFiles
from engine.modalities.xray_ct.projections_summary import ProjectionsSummary
from engine.modalities.xray_ct.radiograph_store import RadiographStore

SHAPE = (40, 7, 48)


@pytest.fixture
def scan() -> Projections:
    """Return noisy counts with flats at two times and a dead pixel."""
    rng = np.random.default_rng(3)
    geometry = parallel(circle(SHAPE[0]), shape=SHAPE[1:], pixel_mm=0.5)
    counts = rng.uniform(2e3, 9e3, SHAPE).astype(np.float32)
    flats = np.full((4, *SHAPE[1:]), 1e4, np.float32)
    flats[2:] *= 1.2
    bad = np.zeros(SHAPE[1:], bool)
    bad[3, 20] = True
    info = {"flat_views": [0, 0, SHAPE[0], SHAPE[0]]}
    darks = np.full((2, *SHAPE[1:]), 50, np.float32)
    return Projections(counts, geometry, "counts", flats, darks, bad, info=info)


def prepared(scan: Projections, kinds: list[type[PreprocessStep]]) -> Projections:
    for step in (kind() for kind in kinds):
        if step.obstacle(scan) is None:
            scan = step.apply(scan, on=cpu(1))
    return scan


def test_raw_parts_are_unchanged_values(scan):
    store = RadiographStore.of(scan)
    one, row = store.projection(11), store.sinogram(3)
    assert np.array_equal(one.values, scan.values[11])
    assert np.array_equal(row.values, scan.values[:, 3])
    assert (one.kind, row.kind) == ("counts", "counts")
    assert np.array_equal(one.bad, scan.bad_pixels)
    assert np.array_equal(row.bad, scan.bad_pixels[3][None])


@pytest.mark.parametrize("view", [0, 17, 39])
def test_projection_is_prepared_as_in_the_whole_scan(scan, view):
    steps = tuple(kind() for kind in STEPS)
    part = RadiographStore.of(scan).projection(view, steps)
    assert part.kind == "integrals"
    of_a_view = prepared(scan, [step for step in STEPS if step.of_a_view])
    np.testing.assert_allclose(part.values, of_a_view.values[view], rtol=1e-5)


@pytest.mark.parametrize("row", [0, 3, 6])
def test_sinogram_is_prepared_as_in_the_whole_scan(scan, row):
    steps = tuple(kind() for kind in STEPS)
    part = RadiographStore.of(scan).sinogram(row, steps)
    assert part.kind == "integrals"
    of_a_row = prepared(scan, [step for step in STEPS if step.of_a_row])
    np.testing.assert_allclose(part.values, of_a_row.values[:, row], rtol=1e-5)


def test_disabled_steps_are_skipped(scan):
    steps = tuple(kind(use="off") for kind in STEPS)
    part = RadiographStore.of(scan).projection(5, steps)
    assert part.kind == "counts"
    assert np.array_equal(part.values, scan.values[5])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts open files in /proc")
def test_file_is_removed_with_the_scan(scan):
    def n_maps() -> int:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        return sum(str(cache_dir()) in line and "(deleted)" in line for line in maps)

    gc.collect()  # release the maps of other tests
    before = n_maps()
    summary = ProjectionsSummary.of(scan, Path("scan.h5"))
    summary.obstacles(tuple(kind() for kind in STEPS))
    assert n_maps() == before + 3
    del summary
    gc.collect()
    assert n_maps() == before


def test_full_disk_loses_only_the_images(scan, tmp_path, monkeypatch):

    def full(*_, **__):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    summary = ProjectionsSummary.of(scan, Path("scan.h5"))
    assert summary.radiographs is None
    assert "No space left" in summary.notes[-1]


def test_opened_scan_has_its_images(scan, tmp_path):
    from engine.io import write_projections

    write_projections(replace(scan, bad_pixels=None), tmp_path / "scan.h5")
    found = ForeignFiles(CallsHere()).scan(tmp_path / "scan.h5", None)
    assert np.array_equal(found.radiographs.projection(7).values, scan.values[7])
