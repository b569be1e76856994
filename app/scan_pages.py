"""The pages of an X-ray scan in the middle of the window: its projections and its geometry."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.geometry_page import GeometryPage
from app.projection_reader import ProjectionReader
from app.views.colours import ViewColours
from app.views.detector_state import DetectorState
from app.views.projections_view import ProjectionsView
from app.workbench import Workbench

PAGES = (
    ("Volume", "The reconstructed picture (V)"),
    ("Projections", "What the detector saw: one view, and the sinogram of one row (P)"),
    ("Geometry", "Where source, detector and volume are (G)"),
)
"""Titles and tips of the tabs."""


class ScanPages:
    """Projections and geometry, which share the view that was chosen."""

    def __init__(self, bench: Workbench) -> None:
        self.state = DetectorState()
        self.projections = ProjectionsView(self.state)
        self.geometry = GeometryPage(bench.session, self.state)
        self._reader = ProjectionReader(bench.session, bench.commands, self.state)
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
