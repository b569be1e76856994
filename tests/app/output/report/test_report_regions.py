"""Test that reports contain regions, including those drawn before the result was stored."""

from __future__ import annotations

import numpy as np
import pytest

from app.analysis.regions.region_storage import RegionStorage
from app.output.report.report_commands import read_subject
from app.output.report.report_dialog import ReportDialog
from app.output.report.report_panel import ReportTab
from app.state.models.run_record import RunRecord
from engine.analysis.regions import SphereRegion, regions_at, regions_file_of
from engine.core import paths
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.results import VOLUME, NewResult, Results
from tests.app.conftest import PATIENCE_MS

GRID = ImageGrid((6, 8, 8), (4.0, 4.0, 4.0))
BALL = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=12)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


def test_report_has_regions_drawn_before_the_result_was_stored(controls, small_study):
    session, storage = controls.session, RegionStorage(controls.context)
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    session.show_result(RunRecord("small", small_study), "final", image)
    session.regions.add(BALL, "Lesion")
    storage.save()
    stored = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    assert read_subject(controls.context, stored.id).regions is None, (
        "regions were read for a result that is not displayed"
    )
    session.run.record.result_id = stored.id
    found = read_subject(controls.context, stored.id).regions
    assert [each.name for each in found.regions] == ["Lesion"]
    session.regions.change("Lesion", name="Liver")
    found = read_subject(controls.context, stored.id).regions
    assert [each.name for each in found.regions] == ["Liver"], "the report has an outdated region"


def test_patient_position_set_in_the_views_is_used_in_report_and_export(controls, small_study):
    """It applies only to the displayed result; another volume of the same file has its own."""
    session = controls.session
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": "xyz"})
    session.show_result(RunRecord("small", small_study), "final", image)
    stored = Results().keep(NewResult(small_study, image, {"axes": "xyz"}))
    session.view.state_axes("RPI")
    assert read_subject(controls.context, stored.id).volume.sides == "xyz", (
        "the position was used for a result that is not displayed"
    )
    session.run.record.result_id = stored.id
    assert read_subject(controls.context, stored.id).volume.sides == "RPI"
    assert session.view.positioned(image).sides == session.view.axes == "RPI"
    known = Volume(image.values, GRID, "Bq/mL", {"axes": "LPI"})
    assert session.view.positioned(known).sides == "LPI"


@pytest.fixture
def damaged(controls, small_study):
    """Truncate the region file of the displayed result."""
    session, image = controls.session, Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    session.show_result(RunRecord("small", small_study), "final", image)
    stored = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    session.run.take_result("", stored.id)
    path = regions_file_of(stored.folder / VOLUME)
    path.write_text("[[regions")
    return stored.id, path


def test_damaged_region_file_blocks_neither_dialog_nor_preview(qtbot, controls, damaged):
    id, path = damaged
    dialog = ReportDialog(None, controls.context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull(), timeout=PATIENCE_MS)
    assert not dialog.regions.isVisible()
    assert f"{id}/{path.name}: not a valid TOML" in read_subject(controls.context, id).warnings[-1]
    panel = ReportTab(controls.context)
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitUntil(lambda: bool(panel.pages), timeout=PATIENCE_MS)
    assert f"{id}/{path.name}" in panel.live._region_fault
    assert path.read_text() == "[[regions"


def test_new_regions_leave_the_damaged_file_in_the_folder(controls, damaged):
    id, path = damaged
    controls.session.regions.follow(controls.session.run.record.result, ("scan:1",), "small")
    controls.session.regions.add(BALL, "Lesion")
    subject = read_subject(controls.context, id)
    assert subject.has_regions and subject.warnings == ()
    assert regions_at(path).regions is not None
    assert path.with_name("volume.damaged.regions.toml").read_text() == "[[regions"
