"""Tests of SUV: reference numbers, clocks of all kinds, one decay correction, required facts."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pytest

from engine.analysis.quality.suv import HALF_LIVES_S, SuvFacts, SuvKind, body_size, suv_factor
from engine.analysis.quality.suv_series import series_factor
from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.timing.decay import decayed, frame_factor
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save

F18, O15 = HALF_LIVES_S["F-18"], HALF_LIVES_S["O-15"]
INJECTED = datetime.fromisoformat("2026-11-22T10:00:00+01:00")
KNOWN = SuvFacts(
    weight_kg=70,
    dose_bq=370e6,
    half_life_s=F18,
    injected=INJECTED,
    started=INJECTED + timedelta(seconds=3600),
    decay="start",
    frame_s=600,
)


@pytest.mark.parametrize(
    ("half_life_s", "frame_s", "factor"),
    [(F18, 60, 1.003161), (F18, 600, 1.031905), (F18, 1800, 1.097707), (O15, 600, 3.51942)],
)
def test_frame_mean_is_below_its_start_by_the_known_factor(
    half_life_s: float, frame_s: float, factor: float
) -> None:
    """Compare with reference numbers, and with the mean of the decay curve."""
    assert frame_factor(frame_s, half_life_s) == pytest.approx(factor, rel=1e-6)
    times = (np.arange(100_000) + 0.5) * frame_s / 100_000
    mean = np.mean(np.exp2(-times / half_life_s))
    assert frame_factor(frame_s, half_life_s) * mean == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(
    ("decay", "after_s", "bq_ml"),
    [
        ("injection", 3600, 5285.714),
        ("start", 3600, 3618.774),
        ("start", 3900, 3506.304),
        ("none", 3600, 3618.774 / 1.031905),
    ],
)
def test_uniform_body_has_suv_1_for_every_decay_correction(
    decay: str, after_s: float, bq_ml: float
) -> None:
    facts = replace(KNOWN, decay=decay, started=INJECTED + timedelta(seconds=after_s))
    assert bq_ml * suv_factor(facts) == pytest.approx(1, rel=2e-7)


def at(text: str) -> datetime:
    """Parse a time, with an optional time zone at its end."""
    moment, _, zone = text.partition(" ")
    found = datetime.fromisoformat(moment)
    if not zone:
        return found
    try:
        return found.replace(tzinfo=ZoneInfo(zone))
    except ZoneInfoNotFoundError:
        pytest.skip("this system has no time zone database")


@pytest.mark.parametrize(
    ("injected", "started", "waited_s"),
    [
        ("2026-11-21T23:50", "2026-11-22T00:50", 3600),
        ("2026-12-31T23:50+00:00", "2027-01-01T00:50+00:00", 3600),
        ("2024-02-28T23:30", "2024-02-29T00:30", 3600),
        ("2026-11-22T10:00+01:00", "2026-11-22T10:00+00:00", 3600),
        ("2026-11-22T23:30-05:00", "2026-11-23T05:30+00:00", 3600),
        ("2026-03-29T01:30 Europe/Berlin", "2026-03-29T03:30 Europe/Berlin", 3600),
        ("2026-10-25T01:30 Europe/Berlin", "2026-10-25T03:30 Europe/Berlin", 3 * 3600),
        ("2026-10-25T01:30 Europe/Berlin", "2026-10-25T02:30+01:00", 2 * 3600),
        ("1926-11-21T23:50", "1926-11-22T00:50", 3600),
    ],
)
def test_decay_depends_on_elapsed_time_across_clock_changes(
    injected: str, started: str, waited_s: float
) -> None:
    """Cases: midnight, leap days, time zones, changes of summer time, commonly shifted dates."""
    facts = replace(KNOWN, injected=at(injected), started=at(started))
    expected = 70e3 / (370e6 * decayed(waited_s, F18))
    assert suv_factor(facts) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("injected", "started", "reason"),
    [
        ("2026-11-22T10:00", "2026-11-22T11:00+01:00", "Only one of the times .* has a time zone"),
        ("2026-11-22T10:00", "2026-11-22T09:00", "starts 3,600 s before the injection"),
        ("2026-11-20T10:00", "2026-11-22T11:00", "27 half-lives after the injection; check"),
        ("2026-11-22T23:50", "2026-11-22T00:50", "before the injection; check whether a date"),
    ],
)
def test_incomparable_clocks_give_no_suv(injected: str, started: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        suv_factor(replace(KNOWN, injected=at(injected), started=at(started)))


NEEDED = {
    "injection": {"weight_kg", "dose_bq", "half_life_s", "decay"},
    "start": {"weight_kg", "dose_bq", "half_life_s", "decay", "injected", "started"},
    "none": {field.name for field in fields(SuvFacts)},
}
NAMES = {
    "weight_kg": "The weight is not known",
    "dose_bq": "The dose is not known",
    "half_life_s": "The half-life is not known",
    "injected": "The time of injection is not known",
    "started": "The start of the scan is not known",
    "decay": "The reference time of the decay correction is not known",
    "frame_s": "The length of the frame is not known",
}


@pytest.mark.parametrize("decay", NEEDED)
@pytest.mark.parametrize("name", NAMES)
def test_missing_required_fact_gives_no_suv_and_is_named(decay: str, name: str) -> None:
    facts = replace(replace(KNOWN, decay=decay), **{name: None})
    if name not in NEEDED[decay]:
        suv_factor(facts)
        return
    with pytest.raises(DataError, match=NAMES[name]):
        suv_factor(facts)


def test_all_missing_facts_are_listed() -> None:
    with pytest.raises(DataError) as e:
        suv_factor(SuvFacts())
    assert all(name in str(e.value) for name in NAMES.values() if "length" not in name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"weight_kg": 0.0}, "The weight is 0 kg"),
        ({"weight_kg": 70_000.0}, "The weight is 70000 kg"),
        ({"weight_kg": float("nan")}, "The weight is nan kg"),
        ({"dose_bq": 0.0}, "The dose is 0"),
        ({"dose_bq": float("inf")}, "The dose is inf"),
        ({"half_life_s": -1.0}, "The half-life is -1"),
        ({"frame_s": 0.0}, "The frame duration is 0 s"),
    ],
)
def test_invalid_facts_give_no_suv(change: dict[str, float], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        suv_factor(replace(KNOWN, **change))


DIALECTS = {
    "SIEMENS": 0.00042748316187197236,
    "GE_MEDICAL_AND_BQML": 0.0005367387681819742,
    "PHILIPS_BQML": 0.0007463747013889488,
    "PHILIPS_CNTS_AND_BQML_SUV": 0.000551,
    "PHILIPS_CNTS_AND_SUV": 0.000728,
    "BQML_AC_DT_lessThan_S_DT_SIEMENS": 0.0004069156854009332,
    "CPS_AND_BQML_AC_DT_-_S_DT": 0.00026503312764157046,
    "RADIOPHARM_DATETIME_UNDEFINED": 0.0003721089202818729,
}


@pytest.mark.parametrize("name", DIALECTS)
def test_scans_of_three_vendors_have_the_published_factor(shared_data: Path, name: str) -> None:
    """Use the factors of another program's tests.

    Values are corrected to the start of the series, or of the first acquisition if it is earlier.
    Philips counts have their own factor.
    """
    path = shared_data / "suv-vendor-dialects" / f"{name}-instances.json"
    slices = json.loads(path.read_text())
    assert series_factor(slices) == pytest.approx(DIALECTS[name], rel=1e-6)


def slices_of(**changes: object) -> list[dict[str, object]]:
    """Return a series in Bq/mL, corrected to its start, an hour after the injection."""
    known: dict[str, object] = {
        "Units": "BQML",
        "DecayCorrection": "START",
        "SeriesDate": "20261122",
        "SeriesTime": "110000",
        "RadiopharmaceuticalStartTime": "100000",
        "PatientWeight": 70,
        "PatientSize": 1.75,
        "PatientSex": "M",
        "RadionuclideTotalDose": 370e6,
        "RadionuclideHalfLife": F18,
    }
    return [{**known, **changes}]


def test_counts_with_a_philips_factor_equal_the_concentration() -> None:
    private = {"ActivityConcentrationScaleFactor": "2.5"}
    counts = slices_of(Units="CNTS", PhilipsPETPrivateGroup=private)
    assert series_factor(counts) == pytest.approx(2.5 * series_factor(slices_of()), rel=1e-12)
    assert series_factor(slices_of()) * 3618.774 == pytest.approx(1, rel=2e-7)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Units": "CNTS"}, r"no factor .* \(unit: CNTS\)"),
        ({"Units": "PROPCPS"}, r"no factor .* \(unit: PROPCPS\)"),
        ({"DecayCorrection": "OTHER"}, "The reference time of the decay correction"),
        ({"SeriesTime": ""}, "The start of the scan is not known"),
        ({"PatientWeight": None}, "The weight is not known"),
        ({"RadiopharmaceuticalStartTime": "120000"}, "before the injection"),
    ],
)
def test_series_with_missing_attributes_has_no_suv(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        series_factor(slices_of(**changes))


@pytest.mark.parametrize(
    ("kind", "sex", "size"),
    [
        ("bw", "M", 70_000.0),
        ("lbm-james", "M", 1000 * (77 - 128 * 0.16)),
        ("lbm-james", "F", 1000 * (74.9 - 148 * 0.16)),
        ("lbm-janmahasatian", "M", 1000 * 9270 * 70 / (6680 + 216 * 70 / 1.75**2)),
        ("lbm-janmahasatian", "F", 1000 * 9270 * 70 / (8780 + 244 * 70 / 1.75**2)),
        ("bsa", "F", 18_481.0),
    ],
)
def test_body_size_follows_its_formula(kind: SuvKind, sex: str, size: float) -> None:
    """70 kg and 175 cm: formulas by hand, and a surface of 1.848 m² as in published tables."""
    facts = replace(KNOWN, kind=kind, sex=sex, height_cm=175.0)
    assert body_size(facts) == pytest.approx(size, rel=2e-4)
    assert suv_factor(facts) / suv_factor(KNOWN) == pytest.approx(body_size(facts) / 70e3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "bsa"}, "The height is not known"),
        ({"kind": "lbm-james", "height_cm": 175.0}, "The sex .* is not known"),
        ({"kind": "lbm-james", "height_cm": 175.0, "sex": "O"}, "The sex .* is not known"),
        ({"kind": "bsa", "height_cm": 1.75}, "The height is 1.75 cm"),
        (
            {"kind": "lbm-james", "height_cm": 100.0, "weight_kg": 200.0, "sex": "F"},
            "The formula of James gives no lean body mass",
        ),
    ],
)
def test_lean_mass_and_surface_require_height_and_sex(
    change: dict[str, object], reason: str
) -> None:
    with pytest.raises(DataError, match=reason):
        suv_factor(replace(KNOWN, **change))


class TestCommandLine:
    """Facts in our own images need no options. Missing facts are listed."""

    GRID = ImageGrid((2, 3, 4), (2.0, 2.0, 2.0))
    OPTIONS = ("--weight-kg", "70", "--dose-mbq", "370", "--nuclide", "F-18")
    TIMES = ("--injected-at", "2026-11-22T10:00+01:00", "--started-at", "2026-11-22T10:00+00:00")

    def write(self, folder: Path, bq_ml: float, unit: str = "Bq/mL", **info: object) -> str:
        values = np.full(self.GRID.shape, bq_ml, np.float32)
        save(Volume(values, self.GRID, unit), folder / "image.h5", info)
        return str(folder / "image.h5")

    @pytest.mark.parametrize(
        ("decay", "bq_ml", "more"),
        [
            ("injection", 5285.714, ()),
            ("start", 3618.774, ()),
            ("none", 3618.774 / 1.031905, ("--frame-s", "600")),
        ],
    )
    def test_uniform_body_has_suv_1_in_every_state(
        self, tmp_path: Path, decay: str, bq_ml: float, more: tuple[str, ...]
    ) -> None:
        command = ["suv", self.write(tmp_path, bq_ml), str(tmp_path / "suv.h5")]
        command += [*self.OPTIONS, *self.TIMES, "--decay-corrected-to", decay, *more]
        assert main(command) == DONE
        volume = read_volume(tmp_path / "suv.h5")
        np.testing.assert_allclose(volume.values, 1, rtol=1e-6)
        assert volume.unit == "g/mL" and volume.info["suv"]["decay"] == decay
        assert volume.info["suv"]["kind"] == "bw"

    def test_foreign_image_is_converted_by_its_series_attributes(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        attributes = tmp_path / "series.json"
        attributes.write_text(json.dumps(slices_of()))
        image, out = self.write(tmp_path, 3618.774, ""), tmp_path / "suv.h5"
        assert main(["suv", image, str(out), "--series", str(attributes)]) == DONE
        np.testing.assert_allclose(read_volume(out).values, 1, rtol=1e-6)
        attributes.write_text("[1]")
        command = ["suv", image, str(tmp_path / "no.h5"), "--series", str(attributes)]
        assert main(command) == USER_FAULT
        assert "expected a list with one object per slice" in capsys.readouterr().err

    def test_converted_image_is_not_corrected_twice(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = [*self.OPTIONS, *self.TIMES, "--decay-corrected-to", "start"]
        once = str(tmp_path / "suv.nii.gz")
        assert main(["suv", self.write(tmp_path, 3618.774), once, *options]) == DONE
        again = ["suv", once, str(tmp_path / "again.h5"), *options, "--bq-ml-per-unit", "1"]
        assert main(again) == USER_FAULT
        assert "is already in SUV" in capsys.readouterr().err
        ours = self.write(tmp_path, 1.0, "counts/mm", format="isocenter-provenance-1")
        twice = ["suv", ours, str(tmp_path / "ours.h5"), *options, "--bq-ml-per-unit", "1"]
        assert main(twice) == USER_FAULT
        assert "Images in counts are not decay-corrected. Remove" in capsys.readouterr().err
        assert not (tmp_path / "again.h5").exists() and not (tmp_path / "ours.h5").exists()

    def test_own_image_supplies_its_scan_facts(self, tmp_path: Path) -> None:
        scan = {
            "injected_bq": 370e6,
            "half_life_s": F18,
            "injected_at": "2026-11-22T10:00:00+01:00",
            "scan_start": "2026-11-22T10:00:00+00:00",
            "frame_s": 600.0,
        }
        value = 3618.774 / 1.031905 / 250
        image = self.write(tmp_path, value, "counts/mm", format="isocenter-provenance-1", scan=scan)
        command = ["suv", image, str(tmp_path / "suv.h5"), "--weight-kg", "70"]
        assert main([*command, "--bq-ml-per-unit", "250"]) == DONE
        np.testing.assert_allclose(read_volume(tmp_path / "suv.h5").values, 1, rtol=1e-6)

    @pytest.mark.parametrize(
        ("left_out", "reason"),
        [
            ("--weight-kg", "The weight is not known"),
            ("--dose-mbq", "The dose is not known"),
            ("--nuclide", "The half-life is not known"),
            ("--injected-at", "The time of injection is not known"),
            ("--started-at", "The start of the scan is not known"),
            ("--decay-corrected-to", "The reference time of the decay correction is not known"),
        ],
    )
    def test_missing_option_gives_one_sentence(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        left_out: str,
        reason: str,
    ) -> None:
        options = [*self.OPTIONS, *self.TIMES, "--decay-corrected-to", "start"]
        at = options.index(left_out)
        del options[at : at + 2]
        image = self.write(tmp_path, 1.0)
        assert main(["suv", image, str(tmp_path / "suv.h5"), *options]) == USER_FAULT
        output = capsys.readouterr().err
        assert output == f"isocenter: image.h5: SUV cannot be calculated. {reason}.\n"
        assert not (tmp_path / "suv.h5").exists()

    @pytest.mark.parametrize(
        ("option", "value", "reason"),
        [
            ("--injected-at", "2026-11-22", "is not a date with a time"),
            ("--injected-at", "10:00", "is not a date with a time"),
            ("--zone", "Mars/Olympus", "is not a time zone"),
            ("--bq-ml-per-unit", "2", "The image is already in Bq/mL"),
        ],
    )
    def test_invalid_options_are_refused(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        option: str,
        value: str,
        reason: str,
    ) -> None:
        times = ("--injected-at", "2026-11-22T10:00", "--started-at", "2026-11-22T11:00")
        command = ["suv", self.write(tmp_path, 1.0), str(tmp_path / "suv.h5"), *self.OPTIONS]
        command += [*times, "--decay-corrected-to", "start", option, value]
        assert main(command) == USER_FAULT
        assert reason in capsys.readouterr().err
