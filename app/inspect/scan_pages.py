"""The pages of an X-ray scan in the middle of the window: its projections and its geometry."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.control.context import AppContext
from app.control.projection_reader import ProjectionReader
from app.inspect.geometry_page import GeometryPage
from app.views.colours import ViewColours
from app.views.detector_state import DetectorState
from app.views.projections_view import ProjectionsView

PAGES = (
    ("Volume", "The reconstructed picture (V)"),
    ("Projections", "What the detector saw: one view, and the sinogram of one row (P)"),
    ("Geometry", "Where source, detector and volume are (G)"),
)
"""Titles and tips of the tabs."""


class ScanPages:
    """Projections and geometry, which share the view that was chosen."""

    def __init__(self, context: AppContext) -> None:
        self.state = DetectorState()
        self.projections = ProjectionsView(self.state)
        self.geometry = GeometryPage(context.session, self.state)
        self._reader = ProjectionReader(context.session, context.commands, self.state)
        self.projections.shown.connect(self._reader.set_active)
        self.projections.stage.currentIndexChanged.connect(
            lambda index: self._reader.set_prepared(index == 1)
        )

    @property
    def widgets(self) -> tuple[QWidget, QWidget]:
        """The pages, in the order of their tabs after the volume's."""
        return self.projections, self.geometry

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.projections.set_colours(colours)
        self.geometry.set_colours(colours)
