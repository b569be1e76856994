"""An image is signed off only while the views show it."""

from __future__ import annotations

import numpy as np
import pytest

from app.output.report.sign_off import NOT_SHOWN, SignOff
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.run_record import RunRecord
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.results import NewResult, Results
from engine.results.reports import signatures_of

pytestmark = pytest.mark.essential

GRID = ImageGrid((4, 6, 6), (4.0, 4.0, 4.0))


def test_image_cannot_be_signed_off_while_the_views_show_only_others(
    qtbot, controls, small_study
) -> None:
    session, volumes = controls.session, controls.session.volumes
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL", {"axes": "LPS"})
    stored = Results().keep(NewResult(small_study, image, {"axes": "LPS"}))
    session.show_result(RunRecord("small", small_study), "final", image)
    session.run.take_result("", stored.id)
    panel = SignOff(controls.context)
    qtbot.addWidget(panel)
    panel.judgement.buttons["acceptable"].click()
    assert panel.sign.isEnabled()
    other = Volume(2 * image.values, GRID, "Bq/mL", {"axes": "LPS"})
    volumes.add(OpenVolume("file:other", "other.h5", "file", other))
    volumes.set_base("file:other")
    assert not panel.sign.isEnabled() and panel.message.text() == NOT_SHOWN
    panel.sign.click()
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    assert signatures_of(stored) == ()
    # Fused with another volume, below or above, the image is shown.
    volumes.set_overlay(IMAGE)
    assert panel.sign.isEnabled()
    volumes.set_overlay("")
    # Opened from the list of results, it is the same image.
    volumes.add(OpenVolume(f"result:{stored.id}", "small", "result", image))
    volumes.set_base(f"result:{stored.id}")
    assert panel.sign.isEnabled() and panel.judgement.chosen == "acceptable"
