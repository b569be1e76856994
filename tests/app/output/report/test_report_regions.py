"""Regions of the window in its reports: those at hand, whenever they were drawn."""

from __future__ import annotations

import numpy as np
import pytest

from app.analysis.regions.region_storage import RegionKeeper
from app.output.report.report_commands import read_subject
from app.state.models.run_record import RunRecord
from engine.analysis.regions import SphereRegion
from engine.core import paths
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.results import NewResult, Results

GRID = ImageGrid((6, 8, 8), (4.0, 4.0, 4.0))
BALL = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=12)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))


def test_a_report_has_the_regions_that_were_drawn_before_the_result_was_kept(controls, small_study):
    session, keeper = controls.session, RegionKeeper(controls.context)
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    session.show_result(RunRecord("small", small_study), "final", image)
    session.regions.add(BALL, "Lesion")
    keeper.save()
    kept = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    assert read_subject(controls.context, kept.id).regions is None, "it is not the one on show"
    session.run.record.result_id = kept.id
    found = read_subject(controls.context, kept.id).regions
    assert [each.name for each in found.regions] == ["Lesion"]
    session.regions.change("Lesion", name="Liver")
    found = read_subject(controls.context, kept.id).regions
    assert [each.name for each in found.regions] == ["Liver"], "as they are now"


def test_a_position_stated_in_the_views_reaches_report_and_export(controls, small_study):
    """Of the result on show alone; another volume of the same file states its own."""
    session = controls.session
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": "xyz"})
    session.show_result(RunRecord("small", small_study), "final", image)
    kept = Results().keep(NewResult(small_study, image, {"axes": "xyz"}))
    session.view.state_axes("RPI")
    assert read_subject(controls.context, kept.id).volume.sides == "xyz", "it is not on show"
    session.run.record.result_id = kept.id
    assert read_subject(controls.context, kept.id).volume.sides == "RPI"
    assert session.view.positioned(image).sides == session.view.axes == "RPI"
    known = Volume(image.values, GRID, "Bq/mL", {"axes": "LPI"})
    assert session.view.positioned(known).sides == "LPI"
