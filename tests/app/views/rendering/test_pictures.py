"""Tests of pictures and films of the 3D view, which show only the current image."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageSequence
from PySide6.QtGui import QColor, QGuiApplication, QImage

from app.viewing.viewer_tools.tools import ViewerTools
from app.views.layout import ViewLayout
from app.views.rendering import ray_caster
from app.views.rendering.ray_scene import RayFrame, RayScene
from app.views.scrubber import IterationScrubber
from app.views.slices.ortho_view import OrthoView
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((24, 24, 24), (2.0, 2.0, 2.0))


class FakeCaster:
    """Fills the image with a colour: red for the highest value, green for the direction.

    Blue is 200 in an image with all its pixels, and 0 in a coarse one.
    """

    limits = 10**6, 2048

    def __init__(self) -> None:
        self._drawn: tuple[RayScene, RayFrame] | None = None
        self.strips: list[tuple[int, int]] = []

    def draw(self, scene: RayScene, frame: RayFrame) -> None:
        self._drawn = scene, frame
        if frame.rows is not None:
            self.strips.append(frame.rows)

    def image(self) -> QImage:
        assert self._drawn is not None
        scene, frame = self._drawn
        picture = QImage(*frame.size, QImage.Format.Format_RGB32)
        green = round((scene.camera.azimuth_deg + 90) % 360 / 2)
        picture.fill(
            QColor(round(scene.lower.packed.high), green, 0 if frame.rows is None else 200)
        )
        return picture

    def close(self) -> None:
        pass


@pytest.fixture
def drawing(monkeypatch) -> None:
    monkeypatch.setattr(ray_caster, "RayCaster", FakeCaster)


@pytest.fixture
def views(controls, drawing, show):
    """Return views with the 3D view alone, and an image of 50 kBq/mL."""
    state = controls.session.view
    state.subject = "first scan"
    state.set_volume(image_of(50.0))
    ortho = show(OrthoView(state), 400, 300)
    ortho.set_layout(ViewLayout("one", "projection", projection="3d"))
    yield ortho
    ortho.release()


@pytest.fixture
def tools(qtbot, controls, views) -> ViewerTools:
    scrubber = IterationScrubber()
    tools = ViewerTools(controls.context, views, scrubber)
    for each in (*tools.bars, scrubber):
        qtbot.addWidget(each)
    views.set_layout(ViewLayout("one", "projection", projection="3d"))
    tools.scrubber = scrubber
    return tools


def image_of(value: float) -> Volume:
    values = np.zeros(GRID.shape, np.float32)
    values[4:20, 4:20, 4:20] = value
    return Volume(values, GRID, "kBq/mL")


def colours(image: QImage) -> tuple[int, int, int]:
    """Return the colour at the middle of a picture."""
    found = image.pixelColor(image.width() // 2, image.height() // 2)
    return found.red(), found.green(), found.blue()


def test_view_is_empty_until_the_image_of_another_scan_is_ready(qtbot, controls, views):
    state, pane = controls.session.view, views.rendering_view
    qtbot.waitUntil(lambda: pane.is_refined)
    assert colours(pane.grab().toImage())[0] == 50
    state.set_volume(image_of(60.0))
    assert colours(pane.grab().toImage())[0] == 50, (
        "the last image disappeared before the preview was packed"
    )
    qtbot.waitUntil(lambda: colours(pane.grab().toImage())[0] == 60)
    state.name, state.subject = "Another scan", "second scan"
    state.set_volume(image_of(70.0))
    assert colours(pane.grab().toImage())[0] != 60, (
        "the image of the last scan is shown under the name of the next"
    )
    qtbot.waitUntil(lambda: colours(pane.grab().toImage())[0] == 70)


def test_coarse_image_is_refined_after_the_view_was_hidden(qtbot, views):
    pane = views.rendering_view
    qtbot.waitUntil(lambda: pane._parts is not None)
    pane.repaint()
    assert not pane.is_refined
    views.hide()
    views.show()
    qtbot.waitUntil(lambda: pane.is_refined)


def test_turning_stops_the_strips_of_the_last_image(qtbot, views, monkeypatch):
    pane = views.rendering_view
    qtbot.waitUntil(lambda: pane.is_refined)
    caster, height = pane.caster, pane.height()
    # A slow caster draws strips of the minimum height.
    monkeypatch.setattr("app.views.rendering.rendering_view.BUDGET_S", 1e-9)
    pane.set_camera(pane.camera.turned(10, 0))
    pane.repaint()
    caster.strips.clear()
    qtbot.waitUntil(lambda: len(caster.strips) > 3)
    for _ in range(3):
        pane.set_camera(pane.camera.turned(10, 0))
        pane.repaint()
        caster.strips.clear()
        qtbot.wait(40)
        assert not caster.strips, "a fine image was drawn during a rotation"
    qtbot.waitUntil(lambda: pane.is_refined)
    qtbot.wait(40)
    assert sum(n for _, n in caster.strips) == height, "some rows were drawn twice or not at all"


def test_picture_is_saved_with_all_pixels_of_the_current_image(
    qtbot, controls, tools, views, tmp_path
):
    state, target = controls.session.view, tmp_path / "3d.png"
    qtbot.waitUntil(lambda: views.rendering_view.is_refined)
    state.set_volume(image_of(80.0))
    tools.rendering_bar.write(target)
    qtbot.waitUntil(target.exists)
    assert colours(QImage(str(target))) == (80, 0, 200)
    views.rendering_view.set_degrees(90)
    tools.rendering_bar.copy.click()
    clipboard = QGuiApplication.clipboard()
    qtbot.waitUntil(lambda: not clipboard.image().isNull())
    assert colours(clipboard.image()) == (80, 45, 200)


def test_picture_of_another_scan_is_not_saved(qtbot, controls, tools, views, tmp_path):
    state, target = controls.session.view, tmp_path / "3d.png"
    problems = []
    controls.session.problem_raised.connect(problems.append)
    state.set_volume(image_of(80.0))
    tools.rendering_bar.write(target)
    state.subject = "second scan"
    state.set_volume(image_of(90.0))
    qtbot.waitUntil(lambda: bool(problems))
    qtbot.waitUntil(lambda: views.rendering_view.is_refined)
    assert not target.exists() and not controls.commands.is_busy
    assert problems[0].title == "The 3D view was not saved."


def test_film_of_a_rotation_turns_the_3d_view(qtbot, controls, tools, views, tmp_path):
    pane, bar = views.rendering_view, tools.cine_bar
    pane.set_degrees(37)
    bar._fill()
    assert bar._menu.actions()[0].text() == "Save the 3D view …"
    bar.record(views.panes, tmp_path / "film.png")
    qtbot.waitUntil(lambda: not bar.recorder.is_recording and not controls.commands.is_busy)
    assert pane.degrees == 37, "the view was not restored"
    with Image.open(tmp_path / "film.png") as film:
        middle = film.width // 2, (film.height - 20) // 2
        colours_seen = [
            each.convert("RGB").getpixel(middle) for each in ImageSequence.Iterator(film)
        ]
    assert len(colours_seen) == 72 and {blue for *_, blue in colours_seen} == {200}, (
        "the film contains coarse images"
    )
    greens = [green for _, green, _ in colours_seen]
    assert greens == sorted(greens) and greens[-1] - greens[0] == pytest.approx(355 / 2, abs=1)


def test_film_of_images_shows_each_image_in_3d(qtbot, controls, tools, views, tmp_path):
    state, bar = controls.session.view, tools.cine_bar
    values = [20.0, 40.0, 60.0]
    tools.scrubber.set_iterates([f"iteration {k}" for k in (1, 2, 3)])
    show_image = lambda k: state.set_volume(image_of(values[k]))  # noqa: E731
    tools.scrubber.slider.valueChanged.connect(show_image)
    tools.cine.set_kind("images")
    bar.record(views.rendering_view, tmp_path / "film.png")
    qtbot.waitUntil(lambda: not bar.recorder.is_recording and not controls.commands.is_busy)
    with Image.open(tmp_path / "film.png") as film:
        middle = film.width // 2, (film.height - 20) // 2
        colours_seen = [
            each.convert("RGB").getpixel(middle)[0] for each in ImageSequence.Iterator(film)
        ]
    assert colours_seen == values


def test_film_ends_without_a_file_if_another_scan_is_opened(
    qtbot, controls, tools, views, tmp_path
):
    state, bar = controls.session.view, tools.cine_bar
    problems = []
    controls.session.problem_raised.connect(problems.append)
    tools.cine.set_kind("axial")
    bar.record(views.panes, tmp_path / "film.gif")
    state.subject = "second scan"
    state.set_volume(image_of(90.0))
    cursor = state.cursor_mm
    qtbot.waitUntil(lambda: not bar.recorder.is_recording)
    qtbot.wait(20)
    assert not controls.commands.is_busy and not list(tmp_path.glob("*.gif"))
    assert state.cursor_mm == cursor, "the cursor of the last scan was restored"
    assert problems[0].title == "The movie was not saved."
    assert bar.cancel.isHidden() and not bar.save.isHidden()
