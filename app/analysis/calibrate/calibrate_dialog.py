"""Dialog to measure the calibration to Bq/mL with a cylinder of known activity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.analysis.calibrate.measurement_dialog import MeasurementDialog
from app.language.translation import tr
from app.state.models.inputs import DATA, role_created_on
from app.state.services.context import AppContext
from app.ui.forms.forms import Form
from app.ui.theme.formatting import count, sentence_case
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, label, scrolled
from app.views.literal_text import literal_tip
from app.views.slices.region_slices import RegionSlices, ShownRegion
from engine.analysis.quality import MAX_ERROR_PERCENT, CylinderActivity, calibrate_with
from engine.data import Calibration, Plain, Volume

SIZE_PX = (980, 600)
FORM_PX = 330
ROLE = role_created_on("calibrate").key
KINDS = tr("Calibration (*.json)")
LEAD = tr(
    "The calibration factor is measured with a scan of a cylinder of known activity. "
    "Reconstruct this scan with the same normalisation and corrections as patient scans and with "
    "a μ-map of the cylinder, but without a calibration."
)
COUNTED_FROM = 1000.0
NOTHING = tr("Nothing has been measured yet.")
NO_IMAGE = tr("First reconstruct the scan of the cylinder, or open its image.")
NOT_FINISHED = tr("The displayed image is not the final one. Select the last image of the run.")
Calibrated = tuple[Calibration, Plain]


class CalibrateDialog(MeasurementDialog):
    """Measure the cylinder, and save or use the calibration."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(
            parent,
            context,
            tr("Calibrate to Bq/mL"),
            SIZE_PX,
            role=ROLE,
            save_tip=tr("Save the result as a calibration file"),
        )
        self._theme = context.theme
        self._volume, self._reason = finished_image(context)
        self.form = Form(CylinderActivity)
        self.slices = RegionSlices()
        self.slices.show_region(self._volume, None)
        self.found = label("", "entry", wrap=True)
        self.measured: Calibrated | None = None
        self.act = button(tr("Measure"), self._measure, role="primary")
        self._is_busy = False
        self._lay_out()
        # Otherwise a result could be saved with settings of another measurement.
        self.form.edited.connect(self._clear_result)
        self._theme.changed.connect(self._paint)
        self._paint()
        self._show_text(
            self._reason or tr("Nothing has been measured yet."),
            "missing" if self._reason else "muted",
        )
        self._enable_buttons()

    def _lay_out(self) -> None:
        inside = QWidget()
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 8, 0)
        rows.addWidget(self.form)
        rows.addStretch(1)
        form = scrolled(inside)
        form.setFixedWidth(FORM_PX)
        self._arrange(LEAD, form, (self.found, self.slices), (self.act,))

    def _measure(self) -> None:
        activity, volume = self.form.checked(), self._volume
        if activity is None or volume is None:
            self._show_text(
                tr("A field is empty or invalid. See the message below the field."), "missing"
            )
            return
        self._clear_result()
        self._is_busy = True
        self._show_text(tr("Searching for the cylinder …"), "muted")
        self._enable_buttons()
        self._context.commands.run_task(
            lambda _: calibrate_with(volume, cast(CylinderActivity, activity)),
            self._show,
            failed=tr("The calibration failed."),
            on_failure=lambda text: self._show_text(sentence_case(text), "missing"),
            on_end=self._finish_measurement,
        )

    def _finish_measurement(self) -> None:
        self._is_busy = False
        self._enable_buttons()

    def _show(self, made: Calibrated) -> None:
        if self._is_closed:
            return
        calibration, measured = self.measured = made
        poor = not calibration.error_percent <= MAX_ERROR_PERCENT
        template = (
            tr(
                "1 count/mm corresponds to {number} positrons per mL, with an error of "
                "{error_percent:.2g} %. Acquire a longer scan: an error above {limit:g} % is too "
                "large."
            )
            if poor
            else tr(
                "1 count/mm corresponds to {number} positrons per mL, with an error of "
                "{error_percent:.2g} %."
            )
        )
        found = template.format(
            number=_number_text(calibration.positrons_per_ml),
            error_percent=calibration.error_percent,
            limit=MAX_ERROR_PERCENT,
        )
        self._show_text(found, "warning" if poor else "ok")
        # Adding 0.0 turns −0.0 into 0.0.
        x, y, z = (round(c, 1) + 0.0 for c in measured["centre_mm"])
        self.found.setText(
            tr(
                "{activity:.4g} kBq/mL at the start of the scan. Mean of {n_voxels:,} voxels in a "
                "cylinder with a radius of {radius_mm:.1f} mm and a length of {length_mm:.1f} mm "
                "at ({x:g}, {y:g}, {z:g}) mm.",
                activity=measured["bq_ml_at_start"] / 1000,
                n_voxels=measured["n_voxels"],
                radius_mm=measured["radius_mm"],
                length_mm=measured["length_mm"],
                x=x,
                y=y,
                z=z,
            )
        )
        region = ShownRegion(measured["centre_mm"], measured["radius_mm"], measured["length_mm"])
        self.slices.show_region(self._volume, region)
        self._enable_buttons()

    def _clear_result(self) -> None:
        """Clear the result after the settings have changed."""
        if self.measured is None:
            return
        self.measured = None
        self.found.setText("")
        self.slices.show_region(self._volume, None)
        self._show_text(NOTHING, "muted")
        self._enable_buttons()

    def _enable_buttons(self) -> None:
        if self._is_closed:
            return
        has_made = self.measured is not None
        self.act.setEnabled(self._volume is not None and not self._is_busy)
        self.save.setEnabled(has_made)
        study = self._context.session.study
        # A calibration needs the scanner of the open scan, with which it is stored.
        takes = DATA in study.inputs and ROLE in study.roles and study.scanner is not None
        for box, tip in (
            (self.use, tr("Use the result as the calibration of the open scan")),
            (
                self.keep,
                tr("Use the result for every scan from this scanner that you open from now on"),
            ),
        ):
            box.setEnabled(has_made and takes)
            box.setToolTip(
                literal_tip(tip if takes else tr("Open a scan that can use a calibration"))
            )

    def _save(self) -> None:
        if self.measured is None:
            return
        calibration, measured = self.measured
        folder = self._context.preferences.folder_last_used or str(Path.home())

        def write(target: Path) -> None:
            from engine.io import write_calibration

            write_calibration(calibration, target, measured)

        self._save_as(
            tr("Save the calibration"),
            Path(folder) / "calibration.json",
            KINDS,
            write,
            self._context.session.study.scanner,
        )

    def _paint(self) -> None:
        self.slices.set_colours(view_colours(self._theme))


def _number_text(value: float) -> str:
    return count(value) if value >= COUNTED_FROM else f"{value:.4g}"


def finished_image(context: AppContext) -> tuple[Volume | None, str]:
    """Return the final image of the run, or the reason why it cannot be measured.

    Parameters
    ----------
    context
        context with the displayed image

    Returns
    -------
    volume
        image with its provenance; None if it cannot be measured
    reason
        sentence for the user; empty if there is a volume
    """
    volume, record = context.session.image, context.session.run.record
    if volume is None:
        return None, NO_IMAGE
    if volume is record.result:
        # The displayed image has no provenance of its own until it is saved; the run has it.
        return replace(volume, info=record.provenance), ""
    return (volume, "") if record.is_file else (None, NOT_FINISHED)
