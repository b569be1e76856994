"""The facts of foreign PET series give the SUV that their own programs state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydicom.dataset import Dataset

from engine.analysis.quality.suv import suv_factor, suv_obstacles
from engine.analysis.quality.suv_series import series_factor
from engine.analysis.quality.suv_volume import facts_of_scan
from engine.io.dicom.headers import Header
from engine.io.dicom.tracer_facts import tracer_facts
from tests.engine.analysis.quality.test_suv import DIALECTS

TRACER = (
    *("RadionuclideTotalDose", "RadionuclideHalfLife", "RadiopharmaceuticalStartDateTime"),
    "RadiopharmaceuticalStartTime",
)
SERIES = {
    "Modality": "PT",
    "Units": "BQML",
    "DecayCorrection": "START",
    "SeriesDate": "20260301",
    "SeriesTime": "101500",
    "PatientWeight": "70",
    "PatientSize": "1.75",
    "PatientSex": "M",
    "RadionuclideTotalDose": "370000000",
    "RadionuclideHalfLife": "6588",
    "RadiopharmaceuticalStartTime": "091500",
    "ActualFrameDuration": "180000",
}


def header(stated: dict[str, str]) -> Header:
    """Return a header with the attributes of a JSON record."""
    dataset, tracer = Dataset(), Dataset()
    for keyword, value in stated.items():
        setattr(tracer if keyword in TRACER else dataset, keyword, value)
    dataset.RadiopharmaceuticalInformationSequence = [tracer]
    return Header(Path("slice.dcm"), dataset)


def factor(facts) -> float:
    decay = facts.get("concentration", {}).get("decay", "none")
    return suv_factor(facts_of_scan(facts, decay, "bw"))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"DecayCorrection": "ADMIN"},
        {"DecayCorrection": "NONE"},
        {"AcquisitionDate": "20260301", "AcquisitionTime": "101000.5"},
        {"RadiopharmaceuticalStartDateTime": "20260301091000"},
    ],
)
def test_suv_factor_follows_the_attributes(changed: dict[str, str]) -> None:
    stated = SERIES | changed
    assert factor(tracer_facts([header(stated)])) == pytest.approx(
        series_factor([stated]), rel=1e-9
    )


def test_scan_start_is_the_earliest_acquisition_of_all_slices() -> None:
    slices = [
        SERIES | {"AcquisitionDate": "20260301", "AcquisitionTime": t} for t in ("102000", "101000")
    ]
    facts = tracer_facts([header(each) for each in slices])
    assert facts["scan_start"] == "2026-03-01T10:10:00"
    assert factor(facts) == pytest.approx(series_factor(slices), rel=1e-9)


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"PatientWeight": "0"}, "weight"),
        ({"RadionuclideTotalDose": ""}, "dose"),
        ({"RadiopharmaceuticalStartTime": ""}, "injection"),
    ],
)
def test_missing_fact_is_reported_and_not_guessed(changed, missing) -> None:
    facts = tracer_facts([header(SERIES | changed)])
    reasons = suv_obstacles(facts_of_scan(facts, "start", "bw"))
    assert len(reasons) == 1 and missing in reasons[0].lower()


def test_unknown_decay_reference_or_another_modality_gives_no_facts() -> None:
    assert tracer_facts([header(SERIES | {"DecayCorrection": ""})]) == {}
    assert tracer_facts([header(SERIES | {"Modality": "CT"})]) == {}


@pytest.mark.parametrize("name", [each for each in DIALECTS if "CNTS" not in each])
def test_series_of_scanners_have_the_factor_of_another_program(shared_data: Path, name) -> None:
    path = shared_data / "suv-vendor-dialects" / f"{name}-instances.json"
    headers = [header(with_text(each)) for each in json.loads(path.read_text())]
    assert factor(tracer_facts(headers)) == pytest.approx(DIALECTS[name], rel=1e-6)


def with_text(stated: dict[str, object]) -> dict[str, str]:
    """Return attributes as text, as DICOM stores them; the JSON records omit the modality."""
    plain = {k: str(v) for k, v in stated.items() if not isinstance(v, dict | list)}
    return {"Modality": "PT"} | plain
