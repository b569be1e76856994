"""Tests of the tabs of an X-ray scan: volume, projections, and geometry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.shell.central_area import CentralArea
from app.state.models.inputs import Input
from app.state.models.preferences import Preferences
from app.state.models.run_record import RunState
from engine.corrections.preprocess import Binning
from engine.data.projections import Projections
from engine.geometry.orbits import circle, circular_cone, fan
from engine.io import write_projections
from engine.jobs.loader import Loader
from engine.modalities.xray_ct.projections_summary import ProjectionsSummary
from engine.modalities.xray_ct.radiograph_store import Part
from tests.app.conftest import PATIENCE_MS, Controls, shut_down

N, SHAPE = 36, (16, 48)
VOLUME, PROJECTIONS, GEOMETRY = range(3)


@pytest.fixture(scope="module")
def scan() -> Projections:
    """Return values that encode their view, row and column."""
    view, row, column = np.meshgrid(*(np.arange(n) for n in (N, *SHAPE)), indexing="ij")
    values = (1000.0 + 100 * view + 10 * row + column).astype(np.float32)
    geometry = circular_cone(
        circle(N), source_axis_mm=200, source_detector_mm=300, shape=SHAPE, pixel_mm=1.0
    )
    flats = np.full((2, *SHAPE), 9e3, np.float32)
    return Projections(values, geometry, "counts", flats=flats)


class Middle(Controls):
    """A window with only its central part."""

    def __init__(self, preferences: Preferences, loader: Loader) -> None:
        super().__init__(preferences, loader)
        self.centre = CentralArea(
            self.context,
            open_scan=lambda: None,
            demo=lambda key: None,
            resume=self.runner.resume,
            show_log=lambda: None,
            live=lambda: None,
            live_demo=lambda kind: None,
        )


@pytest.fixture
def window(qtbot, qapp, preferences, loader) -> Iterator[Middle]:
    """Return the parts of the window that the pages need."""
    middle = Middle(preferences, loader)
    qtbot.addWidget(middle.centre)
    middle.centre.resize(800, 700)
    middle.centre.show()
    yield middle
    shut_down(qtbot, middle)


@pytest.fixture
def open_scan(qtbot, window, scan, tmp_path):
    """Open the scan like a dropped file, and wait for its images."""

    def wait() -> None:
        path: Path = tmp_path / "cone.h5"
        write_projections(scan, path)
        window.open_path(path)
        settle(qtbot, window)

    return wait


def settle(qtbot, window) -> None:
    """Wait until the requested images are shown."""
    state = window.centre.scan.state

    def is_shown() -> bool:
        shown = (state.shown_view, state.shown_row) == (state.view, state.row)
        return state.volume is not None and shown and not window.commands.is_busy

    qtbot.waitUntil(is_shown, timeout=PATIENCE_MS)


def test_opened_scan_shows_its_projections(window, open_scan, scan):
    centre = window.centre
    assert not centre.tabs.isVisible()
    open_scan()
    assert centre.tabs.isVisible() and centre.tabs.currentIndex() == PROJECTIONS
    assert centre.scan.projections.isVisible()
    state = centre.scan.state
    assert np.array_equal(state.volume.values[0], scan.values[0])
    assert np.array_equal(state.sinogram.values, scan.values[:, state.row])
    assert state.unit == "counts"


def test_views_and_rows_are_read_on_demand(qtbot, window, open_scan, scan):
    open_scan()
    state = window.centre.scan.state
    for view in (5, 30, 12):
        state.go_to_view(view)
    state.set_cursor((3.2, -4.1, 0.0))
    settle(qtbot, window)
    assert np.array_equal(state.volume.values[0], scan.values[12])
    assert np.array_equal(state.sinogram.values, scan.values[:, state.row])
    message = window.centre.scan.projections.value.text()
    value = f"{scan.values[12, state.row, state.column]:.0f}"
    assert message == f"View 13, column {state.column}, row {state.row}: {value} counts"


def test_only_the_newest_request_is_read(qtbot, window, open_scan, monkeypatch):
    open_scan()
    state, read = window.centre.scan.state, []
    pictures = window.session.study.inputs.scan.radiographs
    retained = type(pictures).projection

    def counted(self, view: int, steps=()) -> Part:
        read.append(view)
        return retained(self, view, steps)

    monkeypatch.setattr(type(pictures), "projection", counted)
    for view in range(1, N):
        state.go_to_view(view)
    settle(qtbot, window)
    assert read == [1, N - 1]


def test_prepared_values_are_line_integrals(qtbot, window, open_scan, scan):
    open_scan()
    view = window.centre.scan.projections
    view.stage.setCurrentIndex(1)
    qtbot.waitUntil(lambda: view.state.unit == "line integral", timeout=PATIENCE_MS)
    expected = -np.log(scan.values[0] / 9e3)
    np.testing.assert_allclose(view.state.volume.values[0], expected, atol=2e-3)
    assert ": line integral " in view.value.text()
    view.stage.setCurrentIndex(0)
    qtbot.waitUntil(lambda: view.state.unit == "counts", timeout=PATIENCE_MS)


def test_hidden_page_reads_nothing(qtbot, window, open_scan):
    open_scan()
    window.centre.show_page(GEOMETRY)
    state = window.centre.scan.state
    state.go_to_view(20)
    assert not window.commands.is_busy
    assert state.shown_view == 0
    window.centre.show_page(PROJECTIONS)
    settle(qtbot, window)
    assert state.shown_view == 20


def test_keys_open_the_pages(qtbot, window, open_scan):
    from PySide6.QtCore import Qt

    open_scan()
    pages = {Qt.Key.Key_G: GEOMETRY, Qt.Key.Key_V: VOLUME, Qt.Key.Key_P: PROJECTIONS}
    for key, index in pages.items():
        qtbot.keyClick(window.centre, key)
        assert window.centre.tabs.currentIndex() == index
    assert window.centre.scan.projections.isVisible()


def test_volume_page_without_an_image_states_the_readiness(window, open_scan):
    open_scan()
    window.centre.show_page(VOLUME)
    assert window.centre.ready.isVisible()
    assert not window.centre.shows_views


def test_run_opens_the_volume_page_and_the_projections_stay_available(qtbot, window, open_scan):
    open_scan()
    window.runner.start()
    assert window.centre.tabs.currentIndex() == VOLUME
    qtbot.waitUntil(lambda: window.session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    assert window.centre.shows_views
    window.centre.show_page(PROJECTIONS)
    assert window.centre.scan.projections.isVisible()


def test_drawing_marks_the_current_view(window, open_scan, scan):
    open_scan()
    window.centre.scan.state.go_to_view(7)
    window.centre.show_page(GEOMETRY)
    page = window.centre.scan.geometry
    assert page.drawing.view == 7
    page.slider.setValue(9)
    assert window.centre.scan.state.view == 9
    assert page.drawing.view == 9


def test_drawing_shows_the_scan_after_the_steps(window, open_scan):
    open_scan()
    window.centre.show_page(GEOMETRY)
    page, session = window.centre.scan.geometry, window.session
    plan = session.study.protocol
    steps = plan.steps.model_copy(update={"binning": Binning(pixels=2, views=3)})
    session.study.set_protocol(plan.model_copy(update={"steps": steps}))
    drawn = page.drawing._scene.geometry
    assert (drawn.n_views, drawn.shape) == (N // 3, (8, 24))
    window.centre.scan.state.go_to_view(N - 1)
    assert page.drawing.view == N // 3 - 1


def test_pet_has_no_tabs(window, opened, open_scan):
    open_scan()
    opened()
    assert not window.centre.tabs.isVisible()
    assert window.centre.ready.isVisible()
    window.centre.show_page(GEOMETRY)
    assert window.centre.ready.isVisible()


def test_lack_of_memory_is_reported_in_place_of_the_images(window, scan):
    summary = replace(ProjectionsSummary.of(scan, Path("cone.h5")), radiographs=None)
    window.session.study.set_input("data", Input("cone.h5", "36 views", content=summary))
    view = window.centre.scan.projections
    assert "not enough disk space" in view.radiograph.caption()
    window.centre.show_page(GEOMETRY)
    assert window.centre.scan.geometry.drawing.isVisible()


def test_fan_beam_has_only_a_sinogram(qtbot, window):
    geometry = fan(
        circle(N), source_axis_mm=200, source_detector_mm=300, n_columns=48, pixel_mm=1.0
    )
    values = np.random.default_rng(1).uniform(0, 2, (N, 1, 48)).astype(np.float32)
    summary = ProjectionsSummary.of(Projections(values, geometry, "integrals"), Path("cone.h5"))
    window.session.study.set_input("data", Input("fan.h5", "36 views", content=summary))
    settle(qtbot, window)
    view = window.centre.scan.projections
    assert view.sinogram.isVisible() and not view.radiograph.isVisible()
    assert np.array_equal(view.state.sinogram.values, values[:, 0])
