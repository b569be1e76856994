"""All values of the selected region, its contrast, and its histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.analysis.regions.region_plots import HistogramPlot
from app.language.translation import tr
from app.run.progress_panel import Numbers
from app.state.models.session import Session
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import label, set_tone
from app.views.colour.colours import ViewColours
from app.views.text import millimetres, number, with_error
from engine.analysis.regions import (
    PERCENTILES,
    MeasuredRegion,
    RegionErrors,
    RegionFigures,
    ValueHistogram,
    contrast_of,
    difference_within,
)
from engine.core.errors import EngineError

PERCENT = 100.0


class RegionDetails(QWidget):
    """All figures of the selected region; hidden without a selection."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._view = session, session.view
        self._found: Mapping[str, MeasuredRegion] = {}
        self._histogram: ValueHistogram | None = None
        self.fault = label("", wrap=True)
        set_tone(self.fault, "look")
        self.numbers = Numbers()
        self.background = QuietCombo()
        self.background.setAccessibleName(tr("Background region"))
        self.background.setToolTip(tr("Region to compare with the selected region"))
        self.background.activated.connect(self._show)
        self._against = QWidget()
        row = QHBoxLayout(self._against)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label(tr("Contrast with"), "caption"))
        row.addWidget(self.background, 1)
        self.contrast = Numbers()
        self.histogram = HistogramPlot()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for each in (self.fault, self.numbers, self._against, self.contrast, self.histogram):
            column.addWidget(each)
        self._show()

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        self.histogram.set_colours(colours)

    def show_figures(
        self, found: Mapping[str, MeasuredRegion], histogram: ValueHistogram | None
    ) -> None:
        """Show new figures of the selected region.

        Parameters
        ----------
        found
            measured regions by name
        histogram
            histogram of the selected region; None hides the plot
        """
        self._found, self._histogram = found, histogram
        self._show()

    def _show(self) -> None:
        region = self._session.regions.chosen_region
        measured = self._found.get(region.name) if region is not None else None
        self.setVisible(measured is not None)
        if region is None or measured is None:
            return
        figures = measured.figures
        self.fault.setText(measured.fault)
        self.fault.setVisible(bool(measured.fault))
        self.numbers.show_rows([*self._rows(figures, measured.errors)] if figures else [])
        self._show_contrast(region.name, measured)
        # Table and histogram use the same power of ten.
        unit, power = self._view.unit, self._view.power
        self.histogram.show_histogram(self._histogram, unit, power, region.colour)

    def _rows(
        self, figures: RegionFigures, errors: RegionErrors | None
    ) -> Iterator[tuple[str, str]]:
        say, peak = self._say, figures.peak
        if errors is None:
            yield tr("Mean"), say(figures.mean)
        else:
            yield from self._mean_rows(figures.mean, errors)
        yield tr("Standard deviation"), say(figures.sd)
        yield tr("Coefficient of variation"), f"{number(PERCENT * figures.cov)} %"
        if errors is None:
            yield (
                tr("Minimum, maximum"),
                tr("{low} to {high}", low=say(figures.least, unit=False), high=say(figures.most)),
            )
        else:
            yield tr("Minimum"), self._view.shown_with_error(figures.least, errors.least.sd)
            yield tr("Maximum"), self._view.shown_with_error(figures.most, errors.most.sd)
        if peak is not None:
            at = "  ".join(millimetres(value) for value in peak.at_mm)
            known = errors.peak if errors is not None else None
            text = self._view.shown_with_error(peak.value, known.sd) if known else say(peak.value)
            yield tr("Peak (1 mL)"), text
            yield tr("Peak at (x, y, z)"), f"{at} mm"
        else:
            yield tr("Peak (1 mL)"), tr("a 1 mL sphere does not fit")
        yield (
            tr("Volume"),
            tr(
                "{volume_ml} mL, {n_voxels:,} voxels",
                volume_ml=number(figures.volume_ml, 4),
                n_voxels=figures.n_voxels,
            ),
        )
        total = with_error(figures.total, errors.total.sd) if errors else number(figures.total, 4)
        yield tr("Total"), f"{total} {figures.total_unit}"
        yield tr("Rule"), _rule(figures)
        for percent, value in zip(PERCENTILES, figures.percentiles, strict=True):
            yield tr("{percent}th percentile", percent=percent), say(value)

    def _mean_rows(self, mean: float, errors: RegionErrors) -> Iterator[tuple[str, str]]:
        """Yield the mean with its error, its interval, and the number of replicates."""
        say, half = self._say, errors.mean.half_width
        low, high = mean - half, mean + half
        yield tr("Mean"), self._view.shown_with_error(mean, errors.mean.sd)
        yield (
            tr("95 % interval of the mean"),
            tr("{low} to {high}", low=say(low, unit=False), high=say(high)),
        )
        yield tr("Errors (±)"), tr("1 standard deviation, {n} replicates", n=errors.n)

    def _difference_rows(
        self, one: MeasuredRegion, other: MeasuredRegion
    ) -> Iterator[tuple[str, str]]:
        """Yield the difference of two regions of one image, and whether it is significant."""
        if one.errors is None or other.errors is None or one.figures is None:
            return
        if other.figures is None or one.image != other.image:
            return
        found = difference_within(one.figures, other.figures, (one.errors, other.errors))
        yield tr("Difference of the means"), self._say(found.value)
        width = self._say(found.error.half_width, digits=2)
        yield tr("95 % half width of the difference"), f"± {width}"
        if found.is_significant:
            yield tr("Significance"), tr("significant (p = {p:.2g})", p=found.p_value)
        else:
            yield tr("Significance"), tr("not significant (p = {p:.2g})", p=found.p_value)

    def _say(self, value: float, *, unit: bool = True, digits: int = 4) -> str:
        shown = self._view.shown_number(value, digits)
        return f"{shown} {self._view.shown_unit}".rstrip() if unit else shown

    def _show_contrast(self, name: str, measured: MeasuredRegion) -> None:
        figures = measured.figures
        others = [each for each in self._found if each != name]
        # The list is refilled at each measurement, and must keep the user's choice.
        chosen = self.background.currentText()
        self.background.clear()
        self.background.addItems(others)
        if chosen in others:
            self.background.setCurrentIndex(others.index(chosen))
        # A contrast needs a second region.
        self._against.setVisible(bool(others) and figures is not None)
        behind = self._found.get(self.background.currentText())
        rows = list[tuple[str, str]]()
        if figures is not None and behind is not None and behind.figures is not None:
            try:
                found = contrast_of(figures, behind.figures)
                rows = [
                    (tr("Ratio of the means"), number(found.ratio, 4)),
                    (tr("Contrast"), f"{number(PERCENT * found.contrast, 4)} %"),
                    (tr("Contrast-to-noise ratio"), number(found.to_noise, 4)),
                    *self._difference_rows(measured, behind),
                ]
            # The two regions may be measured in images of different units.
            except EngineError as e:
                rows = [(tr("Contrast"), str(e))]
        self.contrast.setVisible(bool(rows))
        self.contrast.show_rows(rows)


def _rule(figures: RegionFigures) -> str:
    """Return the rule for voxels that are partly inside, translated."""
    if figures.rule == "area":
        return tr(
            "mean and volume: weighted by voxel fraction; minimum and maximum: voxels with their "
            "centres inside"
        )
    return tr("all values: voxels with their centres inside")
