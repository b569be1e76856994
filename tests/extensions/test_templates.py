"""Tests of the templates in the guide: each works after it is copied and registered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.cli import main
from engine.io import read_listmode, read_volume
from engine.simulate.phantoms import NEMA_SPHERES_MM, sphere_centres_mm
from tests.extensions.conftest import tiny_trial
from tests.extensions.trial import Trial

EXACT = ["--set", "reproducible=true", "--set", "algorithm.iterations=1"]
TICK_MS = 100
DEMO = "demo/demo-gamma-camera"
CONTRAST = 4.0
"""Activity of the demo's spheres; the cylinder around them has 1."""
N_BINS, RADIUS = 64, 20.0


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """Return one copy for all templates. They share no file and no table."""
    made = tiny_trial(tmp_path_factory.mktemp("templates"))
    made.add_template("engine/io/crystal_pairs.py")
    made.register_format("LISTMODE", "engine.io.crystal_pairs.CrystalPairs")
    made.add_template("app/run/statistics_panel.py")
    made.register("app/shell/panels.py", "TABS", "app.run.statistics_panel.StatisticsTab")
    made.add_template("engine/modalities/gamma_camera")
    entry = "engine.modalities.gamma_camera.ENTRY"
    made.register("engine/modalities/__init__.py", "MODALITIES", entry)
    return made


# the reader

REFUSED = ("cut", "header", "elsewhere", "other")


def write_pairs(trial: Trial) -> int:
    """Write the events of scan.h5 as pairs of crystals, some marked as delayed."""
    scan = read_listmode(trial.work / "scan.h5")
    a, b = scan.crystals.T.astype(np.uint64)
    time = np.arange(scan.n_events, dtype=np.uint64) % 50
    events = a | b << np.uint64(21) | time << np.uint64(42)
    header = {"format": "crystal pairs", "scanner": "ring.toml", "duration_s": scan.duration_s}
    line = json.dumps(header).encode() + b"\n"
    (trial.work / "scan.pairs").write_bytes(line + events.astype("<u8").tobytes())
    (trial.work / "cut.pairs").write_bytes(line + events.astype("<u8").tobytes()[:-3])
    delayed = events | np.where(time < 5, np.uint64(1 << 63), np.uint64(0))
    (trial.work / "delayed.pairs").write_bytes(line + delayed.astype("<u8").tobytes())
    (trial.work / "header.pairs").write_bytes(line.replace(b"duration", b"length"))
    elsewhere = line.replace(b"ring.toml", b"//host/share/ring.toml")
    (trial.work / "elsewhere.pairs").write_bytes(elsewhere + events.astype("<u8").tobytes())
    events[7] = 48 * 4
    (trial.work / "other.pairs").write_bytes(line + events.astype("<u8").tobytes())
    return int(np.count_nonzero(time < 5))


@pytest.fixture(scope="module")
def read(trial: Trial, pet_scan: list[str]) -> dict[str, Any]:
    """Return the results of the program for scans that the template reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(trial.work)
        assert main(pet_scan) == 0
    n_delayed = write_pairs(trial)
    answers: dict[str, Any] = trial.run(
        ["inspect", "scan.pairs"],
        ["inspect", "delayed.pairs"],
        ["reconstruct", "scan.h5", "-o", "known.h5", *EXACT],
        ["reconstruct", "scan.pairs", "-o", "pairs.h5", *EXACT],
        ask={"refusals": {"names": [f"{name}.pairs" for name in REFUSED]}},
    )
    return answers | {"n_delayed": n_delayed}


def test_template_reader_gives_the_same_image(trial: Trial, read: dict[str, Any]) -> None:
    known, pairs = (read_volume(trial.work / f"{name}.h5") for name in ("known", "pairs"))
    assert known.values.max() > 0
    np.testing.assert_array_equal(pairs.values, known.values)
    n_events = read_listmode(trial.work / "scan.h5").n_events
    whole, delayed = read["printed"][:2]
    assert "Crystal pairs" in whole and f"{n_events:,} prompts" in whole
    assert "0 to 4,900 ms" in whole
    assert f"{n_events - read['n_delayed']:,} prompts" in delayed


def test_template_reader_gives_one_sentence_for_damaged_scans(read: dict[str, Any]) -> None:
    cut, header, elsewhere, other = read["refusals"]
    assert "cut.pairs: the file is truncated; its last event has only 5 of 8 bytes" in cut
    assert "header.pairs: the first line is not a valid header ('duration_s')" in header
    assert "elsewhere.pairs: the scan states the scanner '//host/share/ring.toml'" in elsewhere
    assert "other.pairs: an event names crystal 192, but Tiny ring has 192 crystals" in other


# the modality


@pytest.fixture(scope="module")
def camera(trial: Trial) -> dict[str, Any]:
    """Return the results of the program for the demo of the gamma camera."""
    answers: dict[str, Any] = trial.run(
        ["demo", "gamma-camera", "--headless", "-o", "demo"],
        ["inspect", f"{DEMO}.camera"],
        ["reconstruct", f"{DEMO}.camera", "-o", "camera.h5", "--set", "finishing=[]"],
        ask={
            "offered_texts": {},
            "adjoint": {"scan": f"{DEMO}.camera", "subsets": 7},
            "view_of_disc": {"n_bins": N_BINS, "radius": RADIUS, "angle": 0.4},
        },
    )
    return answers


def test_template_modality_names_its_scan(camera: dict[str, Any]) -> None:
    report = camera["printed"][1]
    assert "gamma camera" in report and "60 over a full turn" in report
    assert "FAULT" not in report


@pytest.mark.usefixtures("camera")
def test_template_modality_image_agrees_with_the_phantom(trial: Trial) -> None:
    truth = read_volume(trial.work / f"{DEMO}-truth.nii.gz")
    image = read_volume(trial.work / "camera.h5")
    assert image.unit == "counts" and image.grid == truth.grid
    # the counts have Poisson statistics, so their sum is within 5 standard deviations of the mean
    assert image.values.sum(dtype=float) == pytest.approx(2_000_000, abs=5 * 2_000_000**0.5)
    correlation = np.corrcoef(image.values.ravel(), truth.values.ravel())[0, 1]
    assert correlation > 0.95
    for name, volume in {"truth": truth, "image": image}.items():
        # pixels of 6 mm and few iterations reduce the contrast, even in the middle of 37 mm
        tolerance = 0.02 if name == "truth" else 0.15
        assert ratio(volume) == pytest.approx(CONTRAST, rel=tolerance), name


def ratio(volume: Any) -> float:
    """Return the mean of the largest sphere, without its edge, divided by that of the cylinder."""
    grid = volume.grid
    x, y, z = (grid.centres_mm(axis) for axis in range(3))
    points = np.stack(np.broadcast_arrays(x, y[:, None], z[:, None, None]), axis=-1)

    def near(centre: Any, radius_mm: float) -> Any:
        return volume.values[np.linalg.norm(points - np.array(centre), axis=-1) < radius_mm]

    sphere = near(sphere_centres_mm()[-1], NEMA_SPHERES_MM[-1] / 2 - 10)
    body = near((110.0, 0.0, 0.0), 20.0)
    assert sphere.size > 8 and body.size > 100
    return float(sphere.mean() / body.mean())


def test_template_modality_projector_is_adjoint(camera: dict[str, Any]) -> None:
    assert len(camera["adjoint"]) == 8
    for forward, back in camera["adjoint"]:
        assert forward == pytest.approx(back, rel=1e-5)
    # a disc of radius r projects to 2 sqrt(r² - s²), except near its edge
    s = np.arange(N_BINS) - (N_BINS - 1) / 2
    view, inner = np.array(camera["view_of_disc"]), np.abs(s) < RADIUS - 3
    chords = 2 * np.sqrt(RADIUS**2 - s[inner] ** 2)
    np.testing.assert_allclose(view[inner], chords, rtol=0.03)
    assert view.sum() == pytest.approx(np.pi * RADIUS**2, rel=1e-3)


def test_forms_offer_the_protocol_of_the_template_modality(camera: dict[str, Any]) -> None:
    words = camera["offered_texts"]["gamma-camera"]
    assert {"OSEM", "MLEM", "Gaussian"} <= set(words)


def damage(trial: Trial, name: str, change: Callable[[bytes], bytes]) -> None:
    data = (trial.work / f"{DEMO}.camera").read_bytes()
    (trial.work / name).write_bytes(change(data))


@pytest.mark.usefixtures("camera")
def test_template_modality_gives_one_sentence_for_damaged_scans(trial: Trial) -> None:
    line, _, _ = (trial.work / f"{DEMO}.camera").read_bytes().partition(b"\n")
    damage(trial, "cut.camera", lambda data: data[:-1])
    damage(trial, "header.camera", lambda data: data.replace(b"pixel_mm", b"size"))
    damage(trial, "negative.camera", lambda data: data[:-4] + b"\0\0\x80\xbf")
    damage(trial, "zero.camera", lambda data: line + b"\n" + bytes(len(data) - len(line) - 1))
    names = [f"{name}.camera" for name in ("cut", "header", "negative", "zero")]
    cut, header, negative, zero = trial.run(ask={"refusals": {"names": names}})["refusals"]
    assert "cut.camera: truncated, expected" in cut
    assert "header.camera: the first line is not a valid header ('pixel_mm')" in header
    assert "negative.camera: some counts are below 0" in negative
    assert "zero.camera: all counts are 0" in zero


# the panel


@pytest.mark.usefixtures("read", "camera")
def test_template_panel_shows_figures_of_an_image(trial: Trial) -> None:
    paths = ["known.h5", f"{DEMO}.camera"]
    answers = trial.run(ask={"window": {"paths": paths, "tab": "Statistics"}})["window"]
    empty, image, scan = answers
    assert empty["tabs"][-1] == "Statistics"
    assert empty["words"] == ["No image yet. Reconstruct a scan or open an image."]
    volume = read_volume(trial.work / "known.h5")
    total = volume.values.sum(dtype=float)
    mean, top = total / volume.values.size, float(volume.values.max())
    for words, factor in ((image["words"], 1), (image["doubled"], 2)):
        expected = [f"{factor * each:.5g} {volume.unit}" for each in (mean, top)]
        expected.append(f"{factor * total:.5g}")
        assert [word for word in words if word[0].isdigit()] == expected
    # the same window knows the modality: the scan selects its protocol, grid and forecast
    assert scan["protocol"] == "Standard gamma camera"
    assert scan["grid"] == "6 mm, 64 × 64 × 16"
    assert scan["needs"].startswith("Memory needed: ")
