"""Tests of oblique slices of a stored scan in the window."""

from __future__ import annotations

import numpy as np
import pytest

from app.state.models.inputs import DATA, Input
from app.state.services.plane_reader import PlaneReader
from app.workspace.ct_inspection.planes_page import FINE, PlanesPage
from engine.core.backend import cpu
from engine.core.errors import ResourceError
from engine.corrections.preprocess import CentreOfRotation, Rings
from engine.data.projections import Projections
from engine.geometry.orbits import circle, circular_cone
from engine.modalities.xray_ct.plane_slices import PlaneSlices
from engine.modalities.xray_ct.projections_summary import ProjectionsSummary
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.recon.algorithms import Fdk
from tests.app.conftest import Controls, shut_down

N, SHAPE = 36, (16, 48)
PLANES_OF = "engine.modalities.xray_ct.plane_slices.PlaneSlices"


@pytest.fixture(scope="module")
def scan() -> Projections:
    """Return the projections of a cylinder off the axis."""
    geometry = circular_cone(
        circle(N), source_axis_mm=200, source_detector_mm=300, shape=SHAPE, pixel_mm=1.0
    )
    column = np.arange(SHAPE[1]) - 24 - 6 * np.cos(geometry.angles_rad)[:, None]
    values = 0.04 * np.sqrt(np.maximum(64 - column**2, 0))
    values = np.broadcast_to(values[:, None], (N, *SHAPE))
    return Projections(np.ascontiguousarray(values, np.float32), geometry, "integrals")


def protocol_of(**changes) -> CtProtocol:
    base = CtProtocol()
    steps = {"rings": Rings(use="off"), "centre": CentreOfRotation(use="off"), **changes}
    return base.model_copy(update={"steps": base.steps.model_copy(update=steps)})


@pytest.fixture
def page(qtbot, qapp, preferences, loader, scan, tmp_path):
    """Return the visible page with a scan."""
    controls = Controls(preferences, loader)
    saved = []
    new_page = PlanesPage(PlaneReader(controls.session, controls.commands), saved.append)
    new_page.saved = saved
    new_page.controls = controls
    qtbot.addWidget(new_page)
    new_page.resize(700, 500)
    path = tmp_path / "cone.h5"
    summary = ProjectionsSummary.of(scan, path)
    controls.session.study.set_input(DATA, Input(str(path), summary.text, summary))
    controls.session.study.set_protocol(protocol_of())
    new_page.show()
    qtbot.waitUntil(lambda: is_fine(new_page), timeout=30_000)
    yield new_page
    new_page.hide()
    shut_down(qtbot, controls)


def is_fine(page: PlanesPage) -> bool:
    newest, placement = page._reader.newest, page.views.placement
    return newest is not None and newest.is_fine and newest.planes == placement.planes


def test_turned_plane_shows_the_values_of_the_scan(qtbot, page, scan):
    page.views.scene.choose(0)
    page.views.scene.turn((1.0, 0.0, 0.0), np.radians(20))
    qtbot.waitUntil(lambda: is_fine(page), timeout=10_000)
    expected = PlaneSlices(scan, protocol_of(), on=cpu(2)).values(page.views.placement.planes)
    for view, values, step in zip(page.views.slices, expected, (1, -1, -1), strict=True):
        np.testing.assert_array_equal(view.state.volume.values[0], values[::step])
    assert page.views.slices[0].caption().startswith("Normal to z   rotated by 20°")
    assert page.text.text().endswith(FINE)
    page.reset.click()
    qtbot.waitUntil(lambda: is_fine(page), timeout=10_000)
    assert page.views.slices[0].caption() == "Normal to z   z 0.3 mm"


def test_changed_setting_keeps_the_planes_and_reconstructs_them(qtbot, page):
    page.views.slices[1].advanced.emit(2.0)
    qtbot.waitUntil(lambda: is_fine(page), timeout=10_000)
    before, placement = page._reader.newest, page.views.placement
    smooth = protocol_of().model_copy(update={"algorithm": Fdk(window="hann")})
    page.controls.session.study.set_protocol(smooth)
    qtbot.waitUntil(lambda: page._reader.newest is not before and is_fine(page), timeout=30_000)
    assert page.views.placement == placement
    assert (page._reader.newest.values[0] != before.values[0]).any()


def test_slices_are_saved_as_displayed(qtbot, page):
    page.keep.click()
    (shown,) = page.saved
    newest = page._reader.newest
    assert shown.planes == newest.planes and shown.values is newest.values
    provenance = shown.provenance()
    assert provenance["protocol"]["steps"]["rings"]["use"] == "off"
    assert provenance["scan"]["name"].endswith(".h5") and "cone" not in provenance["scan"]["name"]
    assert len(provenance["planes"]) == 3


def test_removing_the_scan_removes_its_slices(qtbot, page):
    page.controls.session.study.set_input(DATA, None)
    assert page.views.placement is None and page._reader.source is None
    assert page.views.slices[0].state.volume is None and not page.reset.isEnabled()


def test_failed_slice_is_reported(qtbot, page, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise ResourceError("no room; bin the projections.")

    monkeypatch.setattr(f"{PLANES_OF}.__init__", refuse)
    page.controls.session.study.set_protocol(protocol_of(rings=Rings(use="on")))
    qtbot.waitUntil(lambda: page.text.text() == "no room; bin the projections.", timeout=30_000)
    assert not page.views.can_move and not page.reset.isEnabled()
