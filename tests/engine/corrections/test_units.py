"""Tests of Bq/mL: the formula, refusals with reasons, and a cylinder of known activity."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.quality.cylinder import UprightCylinder, mean_inside
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.backend import cpu
from engine.corrections import ActivityConcentration
from engine.corrections.calibration import APPLIED, KEY, efficiencies_digest
from engine.corrections.normalisation import EFFICIENCIES
from engine.data.calibration import Calibration, CountedFrame
from engine.data.components import Components
from engine.data.listmode import ListMode
from engine.io import read_volume, save, write_listmode
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder as Solid
from tests.farm.scanners import small_ring

ON = cpu(2)
CALIBRATION = Calibration(2e6, 0.5, "ring", "0", ("attenuation", "line_geometry", "scatter"))
KNOWN = {
    "isotope": "F-18",
    "injected_at": "2026-11-22T10:00:00",
    "scan_start": "2026-11-22T11:49:46.2",
}


def scan(*, applied: tuple[str, ...] | None = None, duration_s: float = 600.0, **info: object):
    auxiliary = {"calibration": CALIBRATION}
    if applied is not None:
        auxiliary[APPLIED] = applied
    crystals = np.zeros((1, 2), np.int32)
    return ListMode(small_ring(), crystals, duration_s=duration_s, auxiliary=auxiliary, info=info)


def test_frame_counts_the_positrons_of_its_live_time() -> None:
    """A source of A Bq emits A b live ∫ 2^(−t/T½) dt positrons; the integral is a sum here."""
    frame = CountedFrame(duration_s=1800.0, half_life_s=4062.6, branching=0.889, live_fraction=0.8)
    times = (np.arange(100_000) + 0.5) * 1800 / 100_000
    positrons = 0.889 * 0.8 * 1800 * np.mean(np.exp2(-times / 4062.6))
    assert frame.decays_per_positron * positrons == pytest.approx(1, rel=1e-9)
    assert CALIBRATION.becquerel_per_ml(frame) == pytest.approx(2e6 / positrons, rel=1e-9)


def test_dead_time_that_is_stated_twice_prevents_units() -> None:
    blocks = np.ones(int(small_ring().groups.max()) + 1, np.float32)
    attach = EFFICIENCIES.attach
    assert attach is not None
    given = attach(scan(**KNOWN), Components(live=blocks))
    once = replace(given, info={**given.info})
    twice = replace(given, info={**given.info, "live_fraction": 0.9})
    assert ActivityConcentration().obstacle(once) is None
    obstacle = ActivityConcentration().obstacle(twice)
    assert obstacle is not None and "dead time twice" in obstacle
    left_out = replace(twice, auxiliary={**twice.auxiliary, APPLIED: CALIBRATION.corrections})
    assert ActivityConcentration().obstacle(left_out) is None, (
        "dead time is stated once if blocks were not applied"
    )
    bare = replace(CALIBRATION, corrections=())
    without_corrections = {**twice.auxiliary, "calibration": bare, APPLIED: ()}
    assert ActivityConcentration().obstacle(replace(twice, auxiliary=without_corrections)) is None


def test_values_at_the_injection_are_those_of_the_start_before_decay() -> None:
    data = scan(**KNOWN)
    start, injection = (
        ActivityConcentration(reference=at).apply(data, on=ON).auxiliary[KEY].per_count
        for at in ("start", "injection")
    )
    assert injection / start == pytest.approx(2, rel=1e-9)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (replace(scan(**KNOWN), auxiliary={}), "there is no calibration"),
        (scan(), "(missing: half_life_s, branching)"),
        (scan(isotope="Cu-64", half_life_s=45_720.0), "(missing: branching)"),
        (scan(duration_s=0.0, isotope="F-18"), "(missing: duration_s)"),
        (scan(**KNOWN, applied=("line_geometry",)), "measured with attenuation correction"),
        (
            scan(**KNOWN, applied=("attenuation", "line_geometry", "normalisation")),
            "measured without normalisation correction",
        ),
    ],
)
def test_values_without_calibration_stay_counts_with_a_reason(data: ListMode, reason: str) -> None:
    obstacle = ActivityConcentration().obstacle(data)
    assert obstacle is not None and obstacle.startswith("values are counts/mm: ")
    assert reason in obstacle


def test_reference_to_the_injection_needs_its_time() -> None:
    units, data = ActivityConcentration(reference="injection"), scan(isotope="F-18")
    assert "(missing: scan_start - injected_at)" in (units.obstacle(data) or "")
    assert units.obstacle(scan(**KNOWN)) is None


def test_other_crystal_efficiencies_are_refused() -> None:
    applied = ("attenuation", "line_geometry", "normalisation")
    calibration = replace(CALIBRATION, corrections=applied, efficiencies_sha256="1")
    assert calibration.difference(applied, "1") == ""
    assert "other crystal efficiencies" in calibration.difference(applied, "2")


def test_different_corrections_of_scan_and_calibration_are_reported() -> None:
    done = ActivityConcentration().apply(scan(**KNOWN, applied=("attenuation",)), on=ON)
    (note,) = done.auxiliary[KEY].notes
    assert "measured with scatter correction, unlike this scan" in note


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cylinder in a small ring, reconstructed in counts."""
    folder = tmp_path_factory.mktemp("units")
    phantom = ShapePhantom("cylinder", (Solid((3.0, -2.0, 0.0), (18.0, 18.0, 14.0), activity=1.0),))
    data = simulate_listmode(phantom, small_ring(), n_prompts=60_000, seed=4, duration_s=600.0)
    write_listmode(replace(data, mu_map=None, info={}), folder / "scan.h5")
    (folder / "tracer.toml").write_text(
        '[tracer]\nnuclide = "F-18"\nscan_start = 2026-11-22T11:00:00+01:00\nweight_kg = 70\n'
        "dose_mbq = 370\ninjected_at = 2026-11-22T11:00:00+01:00\n"
    )
    return folder


def reconstruct(folder: Path, name: str, *more: str) -> Path:
    command = ["reconstruct", str(folder / "scan.h5"), "-o", str(folder / name), "--force"]
    command += ["--set", "grid.voxel_mm=[2, 2, 2]", "--set", "finishing=[]", "--device", "cpu"]
    assert main([*command, "--tracer", str(folder / "tracer.toml"), *more]) == DONE
    return folder / name


def calibrated(folder: Path) -> Path:
    out = folder / "calibration.json"
    if not out.exists():
        image = reconstruct(folder, "counts.h5")
        command = ["calibrate", str(image), "-o", str(out), "--activity-mbq", "1.0"]
        command += ["--volume-ml", "50", "--at", "2026-11-22T09:10:13.8+01:00"]
        assert main(command) == DONE
    return out


def test_measured_cylinder_has_the_known_activity(folder: Path) -> None:
    """1 MBq in 50 mL, a half-life before the scan, is 10 kBq/mL at its start; SUV follows."""
    counts = read_volume(calibrated(folder).with_name("counts.h5"))
    ledger = {c["kind"]: c for c in counts.info["corrections"]}
    assert counts.unit == "counts/mm" and ledger["units"]["state"] == "unavailable"
    image = reconstruct(folder, "activity.h5", "--calibration", str(folder / "calibration.json"))
    volume = read_volume(image)
    where = json.loads((folder / "calibration.json").read_text())["measured"]
    inside = UprightCylinder(tuple(where["centre_mm"]), where["radius_mm"], where["length_mm"])
    assert volume.unit == "Bq/mL"
    assert mean_inside(volume, inside).mean == pytest.approx(10_000, rel=1e-5)
    assert volume.info["scan"]["concentration"]["decay"] == "start"
    assert main(["suv", str(image), str(folder / "suv.h5"), "--force"]) == DONE
    suv = read_volume(folder / "suv.h5")
    assert mean_inside(suv, inside).mean == pytest.approx(10_000 * 70e3 / 370e6, rel=1e-5)


def test_required_units_that_are_impossible_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reconstruct", str(folder / "scan.h5"), "-o", str(folder / "no.h5")]
    assert main([*command, "--set", "corrections.units.use=on"]) == USER_FAULT
    assert "This correction is set to 'on' but cannot be applied." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--activity-mbq", "0", "a number above 0"),
        ("--at", "2026-11-22T09:10", "Give a time zone for both times or for neither"),
        ("--region", "0,0,0,2,2", "expected at least 24"),
        ("--region", "0,0", "expected X,Y,Z,RADIUS,LENGTH"),
        ("-o", "calibration.h5", "must end with .json"),
    ],
)
def test_impossible_calibration_gives_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, reason: str
) -> None:
    image = calibrated(folder).with_name("counts.h5")
    options = {"--activity-mbq": "1", "--volume-ml": "50", "-o": str(folder / "other.json")}
    options[option] = str(folder / value) if option == "-o" else value
    command = [word for pair in options.items() for word in pair]
    assert main(["calibrate", str(image), *command]) == USER_FAULT
    assert reason in capsys.readouterr().err
    assert not (folder / "other.json").exists()


def test_image_in_becquerel_is_not_calibrated_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration = str(calibrated(folder))
    image = reconstruct(folder, "activity.h5", "--calibration", calibration)
    command = ["calibrate", str(image), "-o", str(folder / "other.json")]
    assert main([*command, "--activity-mbq", "1", "--volume-ml", "50"]) == USER_FAULT
    assert (
        "the image has the wrong unit (unit: Bq/mL, expected: counts/mm)" in capsys.readouterr().err
    )


def test_partial_frames_are_not_calibrated(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = read_volume(calibrated(folder).with_name("counts.h5"))
    frames = [{"start_s": 0.0, "duration_s": 1.0}]
    scan = {**volume.info["scan"], "frames": frames}
    save(replace(volume, info={**volume.info, "scan": scan}), folder / "part.h5")
    command = ["calibrate", str(folder / "part.h5"), "-o", str(folder / "other.json")]
    assert main([*command, "--activity-mbq", "1", "--volume-ml", "50"]) == USER_FAULT
    assert "reconstruct the cylinder without frames" in capsys.readouterr().err


def test_image_with_dead_time_stated_twice_gives_no_calibration(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = read_volume(calibrated(folder).with_name("counts.h5"))
    scan = {**volume.info["scan"], "live_blocks": 4, "live_fraction": 0.9}
    save(replace(volume, info={**volume.info, "scan": scan}), folder / "twice.h5")
    command = ["calibrate", str(folder / "twice.h5"), "-o", str(folder / "other.json")]
    assert main([*command, "--activity-mbq", "1", "--volume-ml", "50"]) == USER_FAULT
    assert "dead time twice" in capsys.readouterr().err


def test_digest_of_a_normalisation_covers_crystals_and_tables() -> None:
    data = scan()
    crystals = np.ones(data.scanner.n_crystals, np.float32)
    table = np.ones((3, 5), np.float32)
    kinds = [
        data,
        replace(data, efficiencies=crystals),
        replace(data, components=Components(geometry=table)),
        replace(data, components=Components(interference=table.T)),
        replace(data, efficiencies=crystals, components=Components(geometry=table)),
        replace(data, efficiencies=2 * crystals),
    ]
    digests = [efficiencies_digest(kind) for kind in kinds]
    assert digests[0] == "" and len(set(digests)) == len(kinds)


def test_different_live_times_give_the_same_normalisation_digest() -> None:
    ring = small_ring()
    attach = EFFICIENCIES.attach
    assert attach is not None
    crystals = np.linspace(0.5, 1.5, ring.n_crystals, dtype=np.float32)
    n_blocks = int(ring.groups.max()) + 1
    shares = [None, np.full(n_blocks, 0.9, np.float32), np.linspace(0.8, 1, n_blocks, dtype="f4")]
    scans = [attach(scan(), Components(crystals=crystals, live=live)) for live in shares]
    assert len({efficiencies_digest(each) for each in scans}) == 1
    other = attach(scan(), Components(crystals=crystals[::-1].copy(), live=shares[1]))
    assert efficiencies_digest(other) != efficiencies_digest(scans[0])
