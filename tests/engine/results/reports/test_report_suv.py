"""Tests of reports with regions in SUV, which need all facts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.analysis.regions import Region, RegionSet, SphereRegion, marks_of, write_regions
from engine.core import paths
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import NewResult, Results
from engine.results.reports import ReportSubject, Site, report_of

GRID = ImageGrid((12, 12, 12), (2.0, 2.0, 2.0))
BALL = Region(name="Lesion", shape=SphereRegion(centre_mm=(0, 0, 0), diameter_mm=14))
FACTS = {
    "weight_kg": 70.0, "injected_bq": 370e6, "isotope": "F-18", "duration_s": 600.0,
    "injected_at": "2026-11-30T10:00:00", "scan_start": "2026-11-30T11:00:00",
}  # fmt: skip
SUV_1_BQ_ML = 3618.774
"""Activity of an SUV of 1 in a uniform image: 70 kg, 370 MBq of F-18, one hour (published)."""


def regions_of(folder: Path, facts: dict[str, object], *, full: bool = False):
    """Return the regions section of a uniform image with an SUV of 2.5."""
    study = Study(data=folder / "scan.l", protocol=ListModeProtocol(name="Body"))
    values = np.full(GRID.shape, 2.5 * SUV_1_BQ_ML, np.float32)
    info = {"axes": "LPS", "scan": {**facts, "concentration": {"decay": "start"}}}
    stored = Results().keep(NewResult(study, Volume(values, GRID, "Bq/mL", info), info))
    write_regions(RegionSet(regions=(BALL,), scans=marks_of(stored.volume())), folder / "r.toml")
    subject = ReportSubject.read(stored, Site(), regions=folder / "r.toml")
    report = report_of(subject, full=full)
    return next(each for each in report.sections if each.title == "Regions")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


@pytest.mark.parametrize("full", [False, True])
def test_report_of_a_uniform_image_has_its_suv(tmp_path: Path, full: bool) -> None:
    section = regions_of(tmp_path, FACTS, full=full)
    activity, suv = section.grids
    assert "Bq/mL" in activity.rows[0][1]
    assert suv.head[:2] == ("Region", "SUV mean")
    name, mean, _, largest, *_ = suv.rows[0]
    assert name == "Lesion"
    assert float(mean.split()[0]) == pytest.approx(2.5, rel=1e-3)
    assert float(largest.split()[0]) == pytest.approx(2.5, rel=1e-3)
    (words,) = [row.value for row in section.rows if row.name == "SUV by body weight"]
    assert "weight 70" in words and "370" in words
    factor = float(words.rpartition(" ")[2])
    assert factor == pytest.approx(1e3 / SUV_1_BQ_ML, rel=1e-3)


@pytest.mark.parametrize("missing", ["weight_kg", "injected_bq", "injected_at", "isotope"])
def test_report_has_no_suv_if_a_fact_is_missing(tmp_path: Path, missing: str) -> None:
    section = regions_of(tmp_path, {k: v for k, v in FACTS.items() if k != missing})
    assert len(section.grids) == 1
    assert not any("SUV" in row.name for row in section.rows)
