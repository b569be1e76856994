"""Test that the head is at the top in images and films, for all volume axes."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.viewing.fusion.view_menu import ViewMenu
from app.viewing.viewer_tools.cine import Cine
from app.viewing.viewer_tools.film_recorder import FilmRecorder
from app.views.planes.plane_geometry import POSITIONS
from app.views.scrubber import IterationScrubber
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState
from engine.data.volume import Volume
from tests.engine.marked import CORNERS, ORIENTATIONS, corner_of, marked

LETTERS = ("RLAP", "RLHF", "APHF", "RLHF")


@pytest.fixture
def ortho(qapp, show) -> OrthoView:
    """Return the four views of a volume, in colours that are dark in empty areas."""
    state = ViewState()
    state.set_colour_map("hot")
    return show(OrthoView(state), 700, 600)


def shown(ortho: OrthoView, volume: Volume) -> None:
    """Show a volume with the cursor in the middle of its mark."""
    ortho.state.set_volume(volume)
    ortho.state.set_window(0.0, 2.0)  # the mark is orange
    z, y, x = (float(each.mean()) for each in np.nonzero(volume.values))
    ortho.state.set_cursor(
        tuple(float(volume.grid.centres_mm(k)[round(n)]) for k, n in enumerate((x, y, z)))
    )
    QApplication.processEvents()


def array_of(image: QImage) -> np.ndarray:
    """Return the (rows, columns, 3) colours of a picture."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    flat = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return flat[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def check(ortho: OrthoView, picture: np.ndarray) -> None:
    """Check the corner of the mark in each view of an image."""
    for view, name, letters in zip(ortho.views, CORNERS, LETTERS, strict=True):
        at = view.mapTo(ortho.panes, QPoint())
        part = picture[at.y() : at.y() + view.height(), at.x() : at.x() + view.width()]
        assert corner_of(_about_the_middle(_orange(part))) == CORNERS[name], name
        assert "".join(astuple(view.shown_edges())) == letters, name


def _orange(picture: np.ndarray) -> np.ndarray:
    """Return the pixels of the mark; background is dark, letters are white, the cursor is cyan."""
    return (picture[..., 0] > 128) & (picture[..., 2] < 100)


def _about_the_middle(ink: np.ndarray) -> np.ndarray:
    """Return the central square of a view, which the image fills."""
    edge = min(ink.shape)
    top, left = (ink.shape[0] - edge) // 2, (ink.shape[1] - edge) // 2
    return ink[top : top + edge, left : left + edge]


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_head_is_up_in_the_clipboard_image(ortho: OrthoView, parent, axes: str) -> None:
    shown(ortho, marked(axes))
    ViewMenu(ortho, parent).copy_all()
    check(ortho, array_of(QApplication.clipboard().image()))


@pytest.mark.parametrize("code", POSITIONS)
def test_head_is_up_for_a_stated_patient_position(ortho: OrthoView, parent, code: str) -> None:
    """The mark is placed by the patient sides of the scanner axes in this position."""
    axes, _ = POSITIONS[code]
    volume = marked(axes)
    shown(ortho, Volume(volume.values, volume.grid, volume.unit, {"axes": "xyz"}))
    ortho.state.state_axes(axes)
    QApplication.processEvents()
    check(ortho, array_of(ortho.snapshot()))


@pytest.mark.parametrize("axes", ORIENTATIONS)
def test_head_is_up_in_a_film(ortho: OrthoView, qtbot, axes: str) -> None:
    shown(ortho, marked(axes))
    scrubber = IterationScrubber()
    qtbot.addWidget(scrubber)
    cine = Cine(ortho, scrubber)
    cine.set_kind("axial")
    recorder = FilmRecorder(cine, ortho.state)
    with qtbot.waitSignal(recorder.recorded) as recorded:
        recorder.start(ortho.panes)
    (frames,) = recorded.args
    assert len(frames) == 10
    amounts = [_orange(frame.astype(int)).sum() for frame in frames]
    check(ortho, frames[int(np.argmax(amounts))].astype(int))
