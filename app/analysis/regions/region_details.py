"""All values of the selected region, its contrast, and its histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.analysis.regions.region_changes import change_of, second_of
from app.analysis.regions.region_plots import HistogramPlot
from app.language.translation import tr
from app.run.progress_panel import Numbers
from app.state.models.session import Session
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import label, set_tone
from app.views.colour.colours import ViewColours
from app.views.fusion.fusion_text import pair_names
from app.views.text import as_exact_as, millimetres, number, p_text, with_error
from engine.analysis.regions import (
    PERCENTILES,
    Difference,
    MeasuredRegion,
    RegionErrors,
    RegionFigures,
    ValueHistogram,
    contrast_of,
    difference_within,
)
from engine.core.errors import EngineError

PERCENT = 100.0
NAME_LENGTH = 16
"""Largest number of characters of the name of a volume before a value."""


class RegionDetails(QWidget):
    """All figures of the selected region; hidden without a selection."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._view = session, session.view
        self._found: Mapping[str, MeasuredRegion] = {}
        self._histogram: ValueHistogram | None = None
        self.fault = label("", wrap=True)
        set_tone(self.fault, "warning")
        self.numbers, self.more = Numbers(), Numbers()
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
        self.second_title = label("", "caption", wrap=True)
        self.second = Numbers()
        self._second: Sequence[MeasuredRegion] = ()
        self.histogram = HistogramPlot()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for each in (
            *(self.fault, self.second_title, self.second, self.numbers),
            *(self._against, self.contrast, self.histogram, self.more),
        ):
            column.addWidget(each)
        self._show()

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        self.histogram.set_colours(colours)

    def show_figures(
        self,
        found: Mapping[str, MeasuredRegion],
        histogram: ValueHistogram | None,
        second: Sequence[MeasuredRegion] = (),
    ) -> None:
        """Show new figures of the selected region.

        Parameters
        ----------
        found
            measured regions by name
        histogram
            histogram of the selected region; None hides the plot
        second
            regions in the second volume; empty without a comparison
        """
        self._found, self._histogram, self._second = found, histogram, second
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
        self.more.show_rows([*self._more_rows(figures)] if figures else [])
        self._show_contrast(region.name, measured)
        self._show_second(measured)
        # Table and histogram use the same power of ten.
        unit, power = self._view.unit, self._view.power
        self.histogram.show_histogram(self._histogram, unit, power, region.colour)

    def _rows(
        self, figures: RegionFigures, errors: RegionErrors | None
    ) -> Iterator[tuple[str, str]]:
        say, peak = self._value_text, figures.peak
        if errors is None:
            yield tr("Mean"), say(figures.mean)
        else:
            yield from self._mean_rows(figures.mean, errors)
        # With errors, two standard deviations need two names.
        spread = tr("Standard deviation") if errors is None else tr("SD of the voxel values")
        yield spread, say(figures.sd)
        yield tr("Coefficient of variation"), f"{number(PERCENT * figures.cov)} %"
        if errors is None:
            yield (
                tr("Minimum, maximum"),
                tr(
                    "{low} to {high}",
                    low=say(figures.minimum, unit=False),
                    high=say(figures.maximum),
                ),
            )
        else:
            yield tr("Minimum"), self._view.shown_with_error(figures.minimum, errors.minimum.sd)
            yield tr("Maximum"), self._view.shown_with_error(figures.maximum, errors.maximum.sd)
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
                volume_ml=number(figures.volume_ml),
                n_voxels=figures.n_voxels,
            ),
        )
        total = with_error(figures.total, errors.total.sd) if errors else number(figures.total)
        yield tr("Total"), f"{total} {figures.total_unit}"

    def _more_rows(self, figures: RegionFigures) -> Iterator[tuple[str, str]]:
        """Yield figures of less interest, below the comparisons."""
        for percent, value in zip(PERCENTILES, figures.percentiles, strict=True):
            yield tr("{percent}th percentile", percent=percent), self._value_text(value)
        yield tr("Rule"), _rule_text(figures)

    def _mean_rows(self, mean: float, errors: RegionErrors) -> Iterator[tuple[str, str]]:
        """Yield the mean with its error, its interval, and the number of replicates."""
        say, half, sd = self._text_rounded_to_error, errors.mean.half_width, errors.mean.sd
        low, high = mean - half, mean + half
        yield tr("Mean"), self._view.shown_with_error(mean, errors.mean.sd)
        yield (
            tr("95 % interval of the mean"),
            tr("{low} to {high}", low=say(low, sd), high=say(high, sd, unit=True)),
        )
        yield "±", tr("1 standard deviation of the noise, from {n} replicates", n=errors.n)

    def _difference_rows(
        self, one: MeasuredRegion, other: MeasuredRegion
    ) -> Iterator[tuple[str, str]]:
        """Yield the difference of two regions of one image, and whether it is significant."""
        if one.errors is None or other.errors is None or one.figures is None:
            return
        if other.figures is None or one.image != other.image:
            return
        found = difference_within(one.figures, other.figures, (one.errors, other.errors))
        yield tr("Means compared"), f"{one.region.name} − {other.region.name}"
        yield from self._rows_of(found)
        yield tr("Test"), tr("paired t test over {n} replicates", n=one.errors.n)

    def _rows_of(self, found: Difference) -> Iterator[tuple[str, str]]:
        """Yield a difference with its error and interval, and whether it is significant."""
        say, half, sd = self._text_rounded_to_error, found.error.half_width, found.error.sd
        low, high = found.value - half, found.value + half
        shown = self._view.shown_with_error(found.value, found.error.sd)
        yield tr("Difference of the means"), shown
        yield (
            tr("95 % interval of the difference"),
            tr("{low} to {high}", low=say(low, sd), high=say(high, sd, unit=True)),
        )
        title, p = tr("Significance (95 %)"), p_text(found.p_value)
        if found.is_significant:
            yield title, tr("significant, {p}", p=p)
        else:
            yield title, tr("not significant, {p}", p=p)

    def _show_second(self, measured: MeasuredRegion) -> None:
        """Compare the selected region in both displayed volumes, if both have error maps."""
        there = second_of(self._second, self._view).get(measured.region.name)
        rows = [] if there is None else [*self._second_rows(measured, there)]
        lower, upper = pair_names(self._view)
        title = tr("Change from {first} to {second}", first=lower, second=upper)
        self.second_title.setText(title)
        self.second_title.setVisible(bool(rows))
        self.second.setVisible(bool(rows))
        self.second.show_rows(rows)

    def _second_rows(self, one: MeasuredRegion, other: MeasuredRegion) -> Iterator[tuple[str, str]]:
        """Yield the means in both volumes, and their difference with its error."""
        view = self._view
        is_paired = bool(view.fusion.same_scan)
        change = change_of(one, other, is_paired=is_paired)
        if change is None:
            return
        for each, name in zip((one, other), pair_names(view, NAME_LENGTH), strict=True):
            if each.figures is not None and each.errors is not None:
                mean = view.shown_with_error(each.figures.mean, each.errors.mean.sd)
                yield tr("Mean in {name}", name=name), mean
        yield from self._rows_of(change)
        n, m = (each.errors.n if each.errors is not None else 0 for each in (one, other))
        if is_paired:
            test = tr("paired t test over {n} replicates", n=n)
        else:
            test = tr("Welch’s t test, {n} and {m} replicates", n=n, m=m)
        yield tr("Test"), test
        if is_paired:
            yield tr("Noise"), tr("the same counts, compared by replicate")
        elif view.fusion.same_scan is None:
            yield tr("Noise"), tr("treated as independent")
        else:
            yield tr("Noise"), tr("independent (two scans)")

    def _value_text(self, value: float, *, unit: bool = True) -> str:
        shown = self._view.shown_number(value, 3)
        return f"{shown} {self._view.shown_unit}".rstrip() if unit else shown

    def _text_rounded_to_error(self, value: float, sd: float, *, unit: bool = False) -> str:
        """Return a value with as many decimals as an error needs."""
        shown = as_exact_as(self._view.to_shown(value), self._view.to_shown(sd))
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
                    (tr("Ratio of the means"), number(found.ratio)),
                    (tr("Contrast"), f"{number(PERCENT * found.contrast)} %"),
                    (tr("Contrast-to-noise ratio"), number(found.to_noise)),
                    *self._difference_rows(measured, behind),
                ]
            # The two regions may be measured in images of different units.
            except EngineError as e:
                rows = [(tr("Contrast"), str(e))]
        self.contrast.setVisible(bool(rows))
        self.contrast.show_rows(rows)


def _rule_text(figures: RegionFigures) -> str:
    """Return the rule for voxels that are partly inside, translated."""
    if figures.rule == "area":
        return tr(
            "mean and volume: weighted by voxel fraction; minimum and maximum: voxels with their "
            "centres inside"
        )
    return tr("all values: voxels with their centres inside")
