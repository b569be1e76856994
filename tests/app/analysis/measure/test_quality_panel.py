"""Tests of phantom measurements in the window: choice, values per iteration, and report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.analysis.measure.quality_panel import QualityBox, measured, written
from app.shell.panels import MeasureTab
from app.state.models.images.open_volume import OpenVolume
from engine.analysis.quality import PhantomFacts
from engine.data.error_map import ErrorMap
from engine.data.runs.events import Preview
from engine.data.runs.history import RunHistory
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.screen_laws import too_wide

GRID = ImageGrid((20, 30, 30), (4.0, 4.0, 4.0))


@pytest.fixture(scope="module")
def cylinder() -> Volume:
    """Return a uniform cylinder of 40 mm and 60 mm with some noise."""
    z, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    noise = 0.1 * np.random.default_rng(2).standard_normal(GRID.shape)
    values = (np.hypot(x, y) < 40) * (np.abs(z) < 30) * (5 + noise)
    return Volume(values.astype(np.float32), GRID, "Bq/mL")


@pytest.fixture
def box(qtbot, window, cylinder) -> QualityBox:
    window.session.show_file(cylinder, "cylinder")
    tab = window.tabs.findChild(MeasureTab)
    window.page_panels.show_panel(window.tabs.indexOf(tab))
    found = tab.quality
    found.kind.setCurrentIndex(found.kind.findData("pet-cylinder"))
    found.kind.activated.emit(found.kind.currentIndex())
    return found


def test_phantom_is_measured_and_shown(qtbot, window, box):
    assert box.measure.isEnabled() and not box.save.isEnabled() and box.rows() == []
    box.measure.click()
    qtbot.waitUntil(lambda: box.measured is not None, timeout=60_000)
    rows = {name.strip(): value for name, value in box.rows()}
    assert rows["Mean of the interior"].startswith("5.0") and rows["Mean of the interior"].endswith(
        "Bq/mL"
    )
    assert box.page.image.width() > 100 and "radius 40" in box.note.text()
    assert box.save.isEnabled() and not too_wide(window)
    box.kind.setCurrentIndex(box.kind.findData("nema-nu2"))
    box.kind.activated.emit(0)
    assert box.rows() == [] and not box.save.isEnabled()


def test_values_of_an_image_with_error_map_have_noise(qtbot, window, box, cylinder):
    rng = np.random.default_rng(4)
    replicates = [(cylinder.values * rng.normal(1, 0.02)).astype(np.float32) for _ in range(8)]
    error = ErrorMap.of(cylinder.values, replicates, seed=3)
    window.session.show_file(replace(cylinder, error=error), "cylinder with errors")
    box.measure.click()
    qtbot.waitUntil(lambda: box.measured is not None, timeout=60_000)

    rows = box.rows()
    place = next(i for i, (name, _) in enumerate(rows) if name.strip() == "Mean of the interior")
    name, text = rows[place + 1]
    spread = 5 * np.std([each.mean() / cylinder.values.mean() for each in replicates], ddof=1)
    assert name.strip() == "Noise" and text.startswith(f"± {spread:.3f}"[:6])
    assert "8 bootstrap replicates (seed 3)" in box.note.text()
    assert not too_wide(window)


def test_image_without_the_phantom_gives_one_sentence(qtbot, window, box, cylinder):
    empty = replace(cylinder, values=np.zeros_like(cylinder.values))
    window.session.show_file(empty, "empty")
    problems = []
    window.session.problem_raised.connect(problems.append)
    box.measure.click()
    qtbot.waitUntil(lambda: bool(problems))
    assert "no cylinder was found" in problems[0].text and box.measured is None
    qtbot.waitUntil(box.measure.isEnabled)


def preview(volume: Volume, iteration: int) -> Preview:
    return Preview(volume, iteration, 3, 1, 1, 0.1, -1.0, None, RunHistory())


def test_values_are_updated_with_each_new_image(qtbot, window, box, cylinder):
    run = window.session.run
    run.begin("run")
    rng = np.random.default_rng(3)
    noisy = [
        cylinder.values * (1 + 0.1 * k * rng.random(GRID.shape, np.float32)) for k in (1, 2, 3)
    ]
    images = [replace(cylinder, values=values) for values in noisy]
    run.keep(preview(images[0], 1))
    window.session.view.set_volume(images[0])
    box.measure.click()
    qtbot.waitUntil(lambda: set(box.curves.points) == {1})
    for iteration in (2, 3):
        run.keep(preview(images[iteration - 1], iteration))
    qtbot.waitUntil(lambda: set(box.curves.points) == {1, 2, 3})
    noise = [box.curves.points[k][1] for k in (1, 2, 3)]
    assert noise == sorted(noise) and noise[0] < noise[2]
    run.begin("another")
    assert box.curves.points == {}
    window.session.run.forget()


def test_images_of_another_scan_are_not_measured_at_the_old_position(
    qtbot, window, box, cylinder, small_study, tmp_path
):
    run = window.session.run
    run.begin("run", small_study)
    run.keep(preview(cylinder, 1))
    window.session.view.set_volume(cylinder)
    box.measure.click()
    qtbot.waitUntil(lambda: set(box.curves.points) == {1})
    run.begin("same scan", small_study)
    run.keep(preview(cylinder, 1))
    qtbot.waitUntil(lambda: set(box.curves.points) == {1})
    run.begin("other scan", small_study.model_copy(update={"data": tmp_path / "other.h5"}))
    run.keep(preview(cylinder, 1))
    qtbot.wait(20)
    qtbot.waitUntil(lambda: not window.commands.is_busy)
    assert box.curves.points == {} and not box.curves.isVisible()
    run.forget()


def test_position_in_another_volume_is_not_used_for_the_images_of_the_run(
    qtbot, window, box, cylinder, small_study
):
    run, volumes = window.session.run, window.session.volumes
    run.begin("run", small_study)
    run.keep(preview(cylinder, 1))
    run.select(None)
    other = replace(cylinder, values=cylinder.values + 0)
    volumes.add(OpenVolume("file:other", "Other", "file", other))
    volumes.set_base("file:other")
    box.measure.click()
    qtbot.waitUntil(lambda: box.measured is not None and not window.commands.is_busy)
    assert box.measured[1] is other and box.curves.points == {}
    run.forget()


@pytest.mark.parametrize(("name", "start"), [("report.pdf", b"%PDF"), ("report.json", b"{")])
def test_report_is_written(tmp_path, box, cylinder, name, start):
    report, volume, page = measured(box.phantom, cylinder, PhantomFacts())
    assert page.startswith(b"\x89PNG")
    assert written(report, volume, tmp_path / name).read_bytes().startswith(start)
