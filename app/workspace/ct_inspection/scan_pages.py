"""The pages of an X-ray scan: projections, geometry, oblique slices."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.plane_reader import PlaneReader
from app.state.services.projection_reader import ProjectionReader
from app.state.services.slice_saving import keep_slices
from app.views.colour.colours import ViewColours
from app.views.scan.detector_state import DetectorState
from app.views.scan.projections_view import ProjectionsView
from app.workspace.ct_inspection.geometry_page import GeometryPage
from app.workspace.ct_inspection.planes_page import PlanesPage

PAGES = (
    (tr("Volume"), tr("The reconstructed image (V)")),
    (tr("Projections"), tr("Measured data: one view and the sinogram of one row (P)")),
    (tr("Geometry"), tr("Positions of source, detector and volume (G)")),
    (tr("Planes"), tr("Slices of any orientation (S)")),
)
"""Titles and tips of the tabs."""


class ScanPages:
    """Projections and geometry, which share the selected view, and slices of the scan."""

    def __init__(self, context: AppContext) -> None:
        # Shared, so that the geometry shows the view that is selected in the projections.
        self.state = DetectorState()
        self.projections = ProjectionsView(self.state)
        self.geometry = GeometryPage(context.session, self.state)
        self.planes = PlanesPage(
            PlaneReader(context.session, context.commands),
            lambda shown: keep_slices(self.planes, context, shown),
        )
        self._reader = ProjectionReader(context.session, context.commands, self.state)
        # Projections are read from disk only while their page is visible.
        self.projections.shown.connect(self._reader.set_active)
        self.projections.stage.currentIndexChanged.connect(
            lambda index: self._reader.set_prepared(index == 1)
        )

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """The pages in the order of their tabs, which follow the volume."""
        return self.projections, self.geometry, self.planes

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self.projections.set_colours(colours)
        self.geometry.set_colours(colours)
        self.planes.set_colours(colours)
