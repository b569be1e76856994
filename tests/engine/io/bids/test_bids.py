"""Tests of BIDS datasets: published schema, nibabel as reader, and no invented fields."""

from __future__ import annotations

import csv
import json
import re
from importlib.util import find_spec
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.cli.main import main
from engine.core.errors import DataError, ResourceError, SettingsError
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import can_save, save, save_frames, save_note
from engine.io.auxiliary.tracer_file import read_tracer
from engine.io.bids.sidecar import REQUIRED, missing_from, sidecar_of
from engine.protocols.privacy.records import without_names

GRID = ImageGrid((4, 5, 6), (2.0, 2.5, 3.0), (1.0, -2.0, 30.0))
SCAN = {
    "scanner": "Siemens Biograph mMR",
    "isotope": "F-18",
    "radiopharmaceutical": "FDG",
    "half_life_s": 6586.2,
    "injected_bq": 3.7e8,
    "injected_at": "2026-11-22T23:30:00+01:00",
    "scan_start": "2026-11-22T23:31:02.250+00:00",
    "duration_s": 600.0,
    "weight_kg": 71.5,
    "sex": "F",
    "concentration": {"decay": "injection"},
}
INFO = {
    "format": "isocenter-provenance-1",
    "inputs": {"data": {"sha256": "ab" * 32}},
    "protocol": {
        "modality": "pet",
        "algorithm": {"kind": "osem", "iterations": 4, "subsets": 16},
        "finishing": [{"kind": "gaussian", "fwhm_mm": 4.0}],
    },
    "scan": SCAN,
    "corrections": [{"kind": "attenuation", "state": "applied"}],
    "environment": {"isocenter": "0.2.0"},
    "iterations_done": 4.0,
}
SUBJECT = "sub-abababababab"
UNKNOWN_FIELDS = (
    *("Manufacturer", "InjectedMass", "InjectedMassUnits", "SpecificRadioactivity"),
    *("SpecificRadioactivityUnits", "ModeOfAdministration"),
)


def volume(info: dict[str, object] = INFO, unit: str = "Bq/mL", seed: int = 1) -> Volume:
    values = np.random.default_rng(seed).random(GRID.shape).astype(np.float32)
    return Volume(values, GRID, unit, info)


def fields_at(dataset: Path) -> dict[str, object]:
    (found,) = dataset.glob("sub-*/pet/*_pet.json")
    return json.loads(found.read_text("utf-8"))


TYPES = {"string": str, "number": (int, float), "boolean": bool, "array": list}
WORDS = {"name", "display_name", "description", "unit", "format", "type", "anyOf", "enum", "items"}


def fits(value: object, rule: dict[str, object]) -> bool:
    """Return True if a value fits a rule of JSON Schema that uses only known keywords."""
    assert rule.keys() <= WORDS, rule.keys() - WORDS
    if "anyOf" in rule:
        return any(fits(value, each) for each in rule["anyOf"])
    right = type(value) is bool if rule["type"] == "boolean" else type(value) is not bool
    if not (
        right and isinstance(value, TYPES[rule["type"]]) and value in rule.get("enum", [value])
    ):
        return False
    if isinstance(value, list):
        return all(fits(each, rule["items"]) for each in value)
    return True


@pytest.fixture(scope="module")
def schema() -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    place = find_spec("bidsschematools")
    if place is None or place.origin is None:
        pytest.skip("bidsschematools is not installed")
    return json.loads((Path(place.origin).parent / "data" / "schema.json").read_text("utf-8"))


def test_sidecar_has_the_fields_and_types_of_the_published_schema(tmp_path, schema):
    save(volume(), tmp_path / "a.bids")
    required = {
        field
        for rule in schema["rules"]["sidecars"]["pet"].values()
        if not ("blood" in str(rule["selectors"]) or "bolus" in str(rule["selectors"]))
        for field, level in rule["fields"].items()
        if (level if isinstance(level, str) else level["level"]) == "required"
    }
    assert required == set(REQUIRED)
    formats = schema["objects"]["formats"]
    for key, value in fields_at(tmp_path / "a.bids").items():
        expected = schema["objects"]["metadata"][key]
        assert fits(value, expected), key
        if expected.get("format") == "time":
            assert re.fullmatch(formats["time"]["pattern"], value)
    for key, wrong in (("InjectedMass", "much"), ("FrameDuration", ["1"]), ("TimeZero", 3)):
        assert not fits(wrong, schema["objects"]["metadata"][key])
    text = json.loads((tmp_path / "a.bids" / "dataset_description.json").read_text("utf-8"))
    published = schema["rules"]["json"]["dataset"]["dataset_description"]["fields"]
    assert {key for key, level in published.items() if level == "required"} <= set(text)
    for key in ("Name", "BIDSVersion", "DatasetType"):
        assert fits(text[key], schema["objects"]["metadata"][key]), key


def test_values_and_positions_are_those_of_the_image(tmp_path):
    image = volume()
    save(image, tmp_path / "a.bids")
    names = {p.relative_to(tmp_path / "a.bids").as_posix() for p in tmp_path.rglob("*.bids/**/*")}
    assert {n for n in names if "." in n or n == "README"} == {
        *("README", "dataset_description.json", "participants.json", "participants.tsv"),
        *(f"{SUBJECT}/pet/{SUBJECT}_pet.json", f"{SUBJECT}/pet/{SUBJECT}_pet.nii.gz"),
    }
    read = nibabel.load(tmp_path / "a.bids" / SUBJECT / "pet" / f"{SUBJECT}_pet.nii.gz")
    assert np.array_equal(np.asarray(read.dataobj).T, image.values)
    corner = [GRID.centres_mm(axis)[0] for axis in range(3)]
    assert np.allclose(read.affine[:3, 3], [-corner[0], -corner[1], corner[2]])
    with (tmp_path / "a.bids" / "participants.tsv").open() as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert row == {"participant_id": SUBJECT, "sex": "F", "weight": "71.5", "height": "n/a"}


def test_times_are_relative_to_the_second_of_the_scan_start():
    fields = sidecar_of(volume(), INFO)
    assert (fields["TimeZero"], fields["ScanStart"]) == ("23:31:02", 0.25)
    assert fields["InjectionStart"] == -3662  # injection at 22:30:00, scan start at 23:31:02
    assert fields["FrameTimesStart"] == [0.25] and fields["FrameDuration"] == [600.0]
    assert fields["ImageDecayCorrected"] is True
    assert fields["ImageDecayCorrectionTime"] == fields["InjectionStart"]
    at_start = {**INFO, "scan": {**SCAN, "concentration": {"decay": "start"}}}
    assert sidecar_of(volume(), at_start)["ImageDecayCorrectionTime"] == 0.25
    assert sidecar_of(volume(unit="counts/mm"), INFO)["ImageDecayCorrected"] is False
    spans = [{"start_s": 0.0, "duration_s": 60.0}, {"start_s": 90.0, "duration_s": 60.0}]
    with_gaps = {**INFO, "scan": {**SCAN, "frames": spans}}
    assert "FrameDuration" in missing_from(sidecar_of(volume(), with_gaps))
    gate = TimeFrame(210, 599_740, Gate(3, 8, 71_300)).facts()
    of_a_gate = {**INFO, "scan": {**SCAN, "frames": [gate]}}
    assert "FrameDuration" in missing_from(sidecar_of(volume(), of_a_gate))


def test_time_frames_are_one_file_with_four_axes(tmp_path):
    frames = [FrameVolume(TimeFrame(1000 * k, 2500 * k + 1000), volume(seed=k)) for k in (1, 3)]
    save_frames(volume(), frames, tmp_path / "a.bids", INFO)
    fields = fields_at(tmp_path / "a.bids")
    assert fields["FrameTimesStart"] == [1.25, 3.25]
    assert fields["FrameDuration"] == [2.5, 5.5]
    (image,) = tmp_path.glob("a.bids/*/pet/*.nii.gz")
    stack = np.asarray(nibabel.load(image).dataobj)
    for t, each in enumerate(frames):
        assert np.array_equal(stack[..., t].T, each.volume.values)


def test_unknown_fields_are_named_and_never_invented(tmp_path, capsys):
    assert missing_from(sidecar_of(volume(), INFO)) == UNKNOWN_FIELDS
    save(volume(), tmp_path / "image.h5", INFO)
    assert main(["export", str(tmp_path / "image.h5"), str(tmp_path / "a.bids")]) == 0
    output = capsys.readouterr().err
    readme = (tmp_path / "a.bids" / "README").read_text("utf-8")
    fields = fields_at(tmp_path / "a.bids")
    for name in UNKNOWN_FIELDS:
        assert name.removesuffix("Units") in output and f"- {name}\n" in readme
        assert fields.get(name, "n/a") == "n/a"
    nothing = sidecar_of(volume({}), {})
    assert nothing.keys() - set(UNKNOWN_FIELDS) == {"Units", "ScanStart"}
    assert set(missing_from(nothing)) == set(REQUIRED) - {"Units", "ScanStart"}


def test_tracer_file_fills_the_missing_fields(tmp_path):
    """Specific activity is activity over mass: 370 MBq of 2 µg are 185 TBq/g."""
    path = tmp_path / "tracer.toml"
    path.write_text(
        '[tracer]\nradiopharmaceutical = "PE2I"\nnuclide = "C-11"\ndose_mbq = 370\n'
        'administration = "bolus"\ninjected_mass_ug = 2.0\n'
    )
    scan = without_names({"scan": read_tracer(path).facts()})["scan"]
    fields = sidecar_of(volume(), {**INFO, "scan": {**SCAN, **scan}})
    assert missing_from(fields) == ("Manufacturer",)
    assert (fields["TracerName"], fields["TracerRadionuclide"]) == ("PE2I", "C11")
    assert fields["ModeOfAdministration"] == "bolus"
    assert (fields["InjectedMass"], fields["InjectedMassUnits"]) == (2.0, "ug")
    assert fields["SpecificRadioactivity"] == pytest.approx(1.85e14)
    path.write_text('[tracer]\nradiopharmaceutical = "a\\\\b"\n')
    with pytest.raises(SettingsError, match="or a line break"):
        read_tracer(path)


def test_unfiltered_image_states_its_own_iterations():
    early = {**INFO, "before_finishing": True, "iterations_done": 2.0}
    fields = sidecar_of(volume(), early)
    assert dict(
        zip(
            fields["ReconMethodParameterLabels"],
            fields["ReconMethodParameterValues"],
            strict=True,
        )
    ) == {"iterations": 2.0, "subsets": 16}
    assert fields["ReconFilterType"] == "none"
    assert "ReconFilterSize" not in missing_from(fields)
    median = {**INFO, "protocol": {**INFO["protocol"], "finishing": [{"kind": "median"}]}}
    assert "ReconFilterSize" in missing_from(sidecar_of(volume(), median))


def test_existing_dataset_is_not_replaced_and_a_non_tracer_image_is_refused(tmp_path):
    save(volume(), tmp_path / "a.bids")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ResourceError, match="already exists"):
        save(volume(seed=2), tmp_path / "a.bids")
    tooth = volume({"protocol": {"modality": "ct"}}, "1/mm")
    for refused in (
        lambda: can_save(tmp_path / "b.bids", "ct"),
        lambda: save_note(tooth, tmp_path / "b.bids"),
        lambda: save(tooth, tmp_path / "b.bids"),
    ):
        with pytest.raises(DataError, match="only PET images can be saved"):
            refused()
    panels = volume({"protocol": {"modality": "dual-head"}}, "decays")
    assert save_note(panels, tmp_path / "b.bids")
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before
