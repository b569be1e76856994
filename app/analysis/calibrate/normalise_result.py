"""The components of a new normalisation: efficiencies, curves, interference, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.ui.theme.widgets import label, set_paragraphs, set_tone
from app.views.colour.colours import ViewColours
from app.views.colour.grey_raster import GreyRaster
from app.views.plots.factor_plot import FactorPlot

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import FactorCurve, MeasuredNormalisation

PLOT_PX = 170
MAX_CURVE = 400
"""Maximum number of points in a curve."""


class NormaliseResult(QWidget):
    """Efficiencies, curves and interference of a normalisation, with notes."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = label("", wrap=True)
        set_tone(self.notes, "warning")
        self.crystals = GreyRaster(tr("Crystal efficiencies"), stretched=True)
        self.crystal_text = label("", "muted", wrap=True)
        self.rings = FactorPlot(
            tr("Geometric factor (measured / analytic), by ring difference"),
            tr("ring difference"),
        )
        self.off = FactorPlot(
            tr("Geometric factor (measured / analytic), by radial position"),
            tr("tangential bins"),
        )
        self.interference = GreyRaster(tr("Crystal interference in a block"), stretched=True)
        self.interference_text = label("", "muted", wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.addWidget(self.crystals, 0, 0)
        grid.addWidget(self.crystal_text, 1, 0)
        grid.addWidget(self.interference, 0, 1)
        grid.addWidget(self.interference_text, 1, 1)
        grid.addWidget(self.rings, 2, 0)
        grid.addWidget(self.off, 2, 1)
        for place in (0, 1):
            grid.setColumnStretch(place, 1)
        for plot in (self.rings, self.off):
            plot.setMinimumHeight(PLOT_PX)
        grid.setRowStretch(0, 2)
        grid.setRowStretch(2, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.notes)
        column.addLayout(grid, 1)

    def show_made(self, made: MeasuredNormalisation) -> None:
        """Show the result of a measurement.

        Parameters
        ----------
        made
            finished measurement
        """
        from engine.tools.normalisation_scan import crystal_map, over_distance, over_ring_difference

        set_paragraphs(self.notes, made.notes)
        self.notes.setVisible(bool(made.notes))
        pixels = crystal_map(made.found, made.scanner)
        self.crystals.show_raster(pixels)
        self.crystal_text.setText(_crystal_text(pixels, made.found.errors.crystals))
        self._show_interference(made.found.components.interference)
        for plot, curve in (
            (self.rings, over_ring_difference(made.found)),
            (self.off, over_distance(made.found)),
        ):
            _show_curve(plot, curve)

    def _show_interference(self, table: NDArray[np.float32] | None) -> None:
        self.interference.show_raster(table)
        words = tr("Positions within a block were not measured separately.")
        if table is not None:
            words = tr(
                "Rows: {n_places} positions in a block. Columns: distance from the centre. "
                "Values: {low:.3g} to {high:.3g}.",
                n_places=table.shape[0],
                low=table.min(),
                high=table.max(),
            )
        self.interference_text.setText(words)

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        for view in (self.crystals, self.interference, self.rings, self.off):
            view.set_colours(colours)


def _show_curve(plot: FactorPlot, curve: FactorCurve) -> None:
    # Ceiling division: a scanner with 1000 tangential bins would hide its curve behind error bars.
    step = max(1, -(-len(curve.places) // MAX_CURVE))
    rows = slice(None, None, step)
    plot.show_factors(
        curve.places[rows].tolist(), curve.factors[rows].tolist(), curve.errors[rows].tolist()
    )


def _crystal_text(pixels: NDArray[np.float32], errors: NDArray[np.float32] | None) -> str:
    # Crystals without counts are NaN and appear black.
    seen = pixels[np.isfinite(pixels)]
    if not seen.size or errors is None:
        return tr("Rows: rings. Columns: position in the ring. Black: no counts.")
    known = 100 * errors[np.isfinite(errors)]
    return tr(
        "Rows: rings. Columns: position in the ring. Black: no counts. Values: {low:.3g} to "
        "{high:.3g}, with a median error of {median:.2g} % and a maximum error of {worst:.2g} %.",
        low=seen.min(),
        high=seen.max(),
        median=np.median(known),
        worst=known.max(),
    )
