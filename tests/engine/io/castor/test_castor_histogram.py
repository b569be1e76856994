"""Tests of CASToR histograms: each count becomes an event on its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_listmode, scan_file, write_listmode
from engine.io.input_files import files_behind
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.engine.io.castor import castor_files as files

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=3, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=2, n_tangential=23, voxel_mm=(5, 5, 5), fov_mm=(60, 15),
    )
)  # fmt: skip
LINES = RING.lors(np.arange(RING.n_lors))
LINES = LINES[RING.in_coincidence(LINES)]
SETTINGS = (
    *("algorithm.iterations=2", "algorithm.subsets=1", "finishing=[]", "fit_to_scan=false"),
    *("grid.voxel_mm=[5, 5, 5]", "grid.diameter_mm=60", "grid.length_mm=15"),
)


@pytest.fixture(scope="module")
def scan() -> ListMode:
    """Return a scan of a small cylinder off-centre in x and y."""
    shape = Cylinder((8.0, 6.0, 2.0), (15.0, 15.0, 6.0), activity=1.0, mu_per_mm=0.0)
    found = simulate_listmode(
        ShapePhantom("cylinder", (shape,)), RING, n_prompts=2500, seed=5, randoms_fraction=0,
        duration_s=3,
    )  # fmt: skip
    return replace(found, mu_map=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files.write_table(tmp_path / "SMALL_RING.lut", RING)
    return tmp_path


def packed(crystals: np.ndarray) -> np.ndarray:
    low, high = np.sort(crystals, axis=1).astype(np.int64).T
    return low * RING.n_crystals + high


def counts_of(scan: ListMode) -> np.ndarray:
    """Return (lines, 1) counts; each line is searched in the list of all lines."""
    order = np.argsort(packed(LINES))
    at = order[np.searchsorted(packed(LINES)[order], packed(scan.crystals))]
    return np.bincount(at, minlength=len(LINES))[:, None].astype(np.float32)


@pytest.mark.parametrize("suffix", [".cdh", ".cdf"])
def test_every_count_is_an_event_of_its_line(scan: ListMode, folder: Path, suffix: str) -> None:
    path = files.write_histogram(folder / "scan.cdh", LINES, counts_of(scan), {})
    found = read_listmode(path.with_suffix(suffix))
    np.testing.assert_array_equal(np.sort(packed(found.crystals)), np.sort(packed(scan.crystals)))
    assert found.duration_s == 3 and found.additive is None and found.components is None
    (note,) = found.notes
    assert "left-handed" in note


def test_folder_opens_the_scan_and_not_its_normalisation(scan, folder) -> None:
    path = files.write_histogram(folder / "scan.cdh", LINES, counts_of(scan), {})
    files.write_normalisation(folder / "norm.cdh", LINES, {"norm": np.ones(len(LINES))})
    assert scan_file(folder) == path
    for named in (path, path.with_suffix(".cdf")):
        behind = {each.name for each in files_behind(named)}
        assert {"scan.cdh", "scan.cdf", "SMALL_RING.lut", "SMALL_RING.hscan"} <= behind


def test_image_equals_that_of_list_mode_with_its_normalisation(scan, folder) -> None:
    """With the inverse geometric factor as correction, the image equals that of our own scan."""
    write_listmode(scan, folder / "ours.h5")
    columns = {"norm": 1 / RING.geometric_factor(LINES)}
    path = files.write_histogram(folder / "scan.cdh", LINES, counts_of(scan), columns)
    protocol = with_settings(ListModeProtocol(), SETTINGS)
    ours, theirs = (
        next(e for e in run(Study(data=each, protocol=protocol), on=cpu(1)) if is_last(e)).volume
        for each in (folder / "ours.h5", path)
    )
    assert ours.values.any()
    np.testing.assert_allclose(theirs.values, ours.values, atol=1e-4 * ours.values.max())


def is_last(event: object) -> bool:
    return isinstance(event, Finished)


def test_background_is_the_rate_of_the_line_times_the_duration(scan, folder) -> None:
    rng, counts = np.random.default_rng(1), counts_of(scan)
    randoms, scatter = rng.random(len(LINES)), rng.random((len(LINES), 4))
    shared = np.zeros((len(LINES), 4), np.float32)
    shared[np.arange(len(LINES)), rng.integers(0, 4, len(LINES))] = counts[:, 0]
    columns = {"acf": 1 + rng.random(len(LINES)), "randoms": randoms}
    path = files.write_histogram(folder / "scan.cdh", LINES, shared, columns, scatter)
    found = read_listmode(path)
    expected = dict(zip(packed(LINES), 3 * (randoms + scatter.sum(1)), strict=True))
    want = [expected[line] for line in packed(found.crystals)]
    np.testing.assert_allclose(found.additive, want, rtol=1e-5)
    np.testing.assert_array_equal(np.sort(packed(found.crystals)), np.sort(packed(scan.crystals)))
    assert found.tof_bins is None and found.components is None
    assert any("summed" in note for note in found.notes)
    assert any("attenuation" in note for note in found.notes)


def test_histogram_of_only_nonzero_lines_has_no_normalisation(scan, folder) -> None:
    counts = counts_of(scan)
    has_counts = counts[:, 0] > 0
    ones = np.ones(np.count_nonzero(has_counts))
    path = files.write_histogram(
        folder / "scan.cdh", LINES[has_counts], counts[has_counts], {"norm": ones}
    )
    found = read_listmode(path)
    assert found.components is None and found.n_events == scan.n_events
    assert any("does not cover all lines" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"Number of events": 7}, FileFormatError, "describes 7 lines"),
        ({"Maximum number of lines per event": 2}, FileFormatError, "up to 2 lines"),
        ({"Data mode": "histories"}, DataError, "1.5 counts"),
        ({"Data mode": "sinogram"}, FileFormatError, "list-mode or histogram"),
        ({"Attenuation correction flag": 1}, FileFormatError, "copy both files again"),
        ({"TOF information flag": 1}, FileFormatError, "0 TOF bins"),
        ({"counts": 1.5}, DataError, "whole"),
        ({"counts": -1}, DataError, "at least 0"),
        ({"counts": np.nan}, DataError, "nan counts"),
        ({"crystal": 96}, GeometryError, "has only 96"),
        ({"nothing": 0}, DataError, "contains 0 counts"),
        ({"randoms": 1.0, "Duration (s)": 0}, FileFormatError, "no `Duration"),
        ({"randoms": -1.0}, DataError, "are negative"),
        ({"norm": -1.0}, DataError, "line 0 is -1"),
    ],
)
def test_faulty_histogram_is_refused_with_the_reason(scan, folder, change, error, message) -> None:
    counts, lines = counts_of(scan), LINES.copy()
    counts[0] = change.get("counts", 1.5 if "histories" in str(change) else counts[0])
    lines[0, 0] = change.get("crystal", lines[0, 0])
    counts *= "nothing" not in change
    columns = {
        key: np.full(len(lines), change[key]) for key in ("randoms", "norm") if key in change
    }
    header = {key: value for key, value in change.items() if key[0].isupper()}
    path = files.write_histogram(folder / "scan.cdh", lines, counts, columns, **header)
    with pytest.raises(error, match=message):
        read_listmode(path)
