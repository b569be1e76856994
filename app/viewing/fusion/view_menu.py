"""The menu of a view: rotate, flip, copy, set the patient position."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.language.translation import tr
from app.state.models.images.error_images import RELATIVE, SPREAD, has_error
from app.views.colour.raster_view import RasterView
from app.views.grabbing import grab_when_complete
from app.views.literal_text import literal_tip
from app.views.planes.plane_geometry import POSITIONS, ViewTurn
from app.views.slices.ortho_view import OrthoView
from app.views.slices.slice_view import SliceView
from app.views.state import ViewState
from engine.geometry import PlaneName

UNKNOWN = "xyz"
REPORT_TIP = tr("Show this view in the report, as it is now")
NO_ERROR = tr(
    "This image has no error map. To get one, set “Error map” in the card Protocol, Finishing, and "
    "reconstruct again."
)
FIXED_POSITION = tr("The patient position is stored in the volume and cannot be changed.")
COPY: dict[PlaneName, str] = {
    "axial": tr("Copy the axial view"),
    "coronal": tr("Copy the coronal view"),
    "sagittal": tr("Copy the sagittal view"),
}


class ViewMenu(QMenu):
    """Acts on the last used view. It is rebuilt each time it opens.

    Signals
    -------
    error_chosen : key of the error to show; "" for the image
    report_chosen : view to add to the report

    Attributes
    ----------
    report_obstacle : returns why a view cannot be added to the report; empty if it can
    """

    error_chosen = Signal(str)
    report_chosen = Signal(object)

    def __init__(self, views: OrthoView, parent: QWidget) -> None:
        super().__init__(parent)
        self._views = views
        self.report_obstacle: Callable[[RasterView], str] = lambda _: ""
        self.positions = QMenu(tr("Patient position"), self)
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Add the actions for the current view."""
        self.clear()
        view = self._views.active
        self._add_report(view)
        self.addSeparator()
        if isinstance(view, SliceView):
            self._add_turns(view)
            self.addSeparator()
        self._add_quantities()
        self.addSeparator()
        smooth = self.addAction(tr("Interpolate between voxels\tI"))
        smooth.setCheckable(True)
        smooth.setChecked(self._views.state.interpolation == "linear")
        smooth.triggered.connect(lambda: self._views.state.toggle_interpolation())
        cross = self.addAction(tr("Crosshair\tX"))
        cross.setCheckable(True)
        cross.setChecked(self._views.state.shows_crosshair)
        cross.triggered.connect(self._views.state.toggle_crosshair)
        self.addSeparator()
        self._add_positions()
        self.addSeparator()
        is_mip = view is self._views.mip
        other = tr("Copy the projection") if is_mip else tr("Copy the 3D view")
        words = COPY[view.plane] if isinstance(view, SliceView) else other
        self.addAction(words).triggered.connect(
            lambda: grab_when_complete(view, self._views.state, set_clipboard)
        )
        self.addAction(tr("Copy all views\tCtrl+C")).triggered.connect(self.copy_all)

    def copy_all(self) -> None:
        """Copy an image of all views to the clipboard."""
        grab_when_complete(self._views.panes, self._views.state, set_clipboard)

    def _add_report(self, view: RasterView) -> None:
        action = self.addAction(tr("Add to the report\tE"))
        why = self.report_obstacle(view)
        action.setEnabled(not why)
        action.setToolTip(literal_tip(why or REPORT_TIP))
        action.triggered.connect(lambda: self.report_chosen.emit(view))

    def _add_turns(self, view: SliceView) -> None:
        state, plane = self._views.state, view.plane
        turn = state.turn_of(plane)
        for words, wanted in (
            (tr("Rotate clockwise\tT"), turn.turned()),
            (tr("Rotate counter-clockwise"), turn.turned(3)),
            (tr("Flip horizontally\tM"), turn.flipped(upright=False)),
            (tr("Flip vertically"), turn.flipped(upright=True)),
            (tr("Reset orientation"), ViewTurn()),
        ):
            action = self.addAction(words)
            act = partial(_set_turn, state, plane, wanted)
            action.triggered.connect(lambda _=False, act=act: act())
            # "Reset" is disabled if there is nothing to reset.
            action.setEnabled(wanted != turn)

    def _add_quantities(self) -> None:
        """Add image and error; disabled without an error map, with the way to get one."""
        state = self._views.state
        known, shown = has_error(state.volume), ""
        if state.fusion.is_error:
            shown = RELATIVE if state.fusion.unit == "%" else SPREAD
        for words, key in (
            (tr("Show the image"), ""),
            (tr("Show the error"), SPREAD),
            (tr("Show the relative error"), RELATIVE),
        ):
            action = self.addAction(words)
            action.setCheckable(True)
            action.setChecked(key == shown)
            action.setEnabled(known)
            action.setToolTip("" if known else literal_tip(NO_ERROR))
            action.triggered.connect(lambda _=False, key=key: self.error_chosen.emit(key))

    def _sides(self, axes: str) -> str:
        """Convert the patient axes of a position to the axes of the scanner."""
        volume = self._views.state.volume
        # z of this scanner points to the feet, so superior and inferior are exchanged.
        is_feetwards = volume is not None and volume.hfs_axes == "LPI"
        return axes.translate(str.maketrans("SI", "IS")) if is_feetwards else axes

    def _add_positions(self) -> None:
        state, menu = self._views.state, self.positions
        menu.clear()
        is_unknown = state.volume is not None and state.volume.sides == UNKNOWN
        # A position from the file cannot be changed by hand, because that could exchange left and
        # right.
        menu.setEnabled(is_unknown)
        menu.setToolTip("" if is_unknown else literal_tip(FIXED_POSITION))
        known = [(f"{key}: {each}", self._sides(axes)) for key, (axes, each) in POSITIONS.items()]
        entries = [(tr("Unknown"), ""), *known]
        for words, axes in entries:
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(axes == state.stated_axes)
            action.triggered.connect(lambda _=False, axes=axes: state.state_axes(axes))
        self.addMenu(menu)


def _set_turn(state: ViewState, plane: PlaneName, turn: ViewTurn) -> None:
    state.set_turn(plane, turn)


def set_clipboard(image: QImage | None) -> None:
    """Copy a picture to the clipboard.

    Parameters
    ----------
    image
        the picture; None empties the clipboard, so that no older picture is pasted in its place
    """
    if image is None:
        QApplication.clipboard().clear()
    else:
        QApplication.clipboard().setImage(image)
