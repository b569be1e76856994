"""Tooltips of the longer actions of the window."""

from __future__ import annotations

from app.language.translation import tr

NORMALISE_TIP = tr(
    "Determine crystal and line efficiencies from scans of a cylinder or a rotating line source"
)
CALIBRATE_TIP = tr(
    "Measure the calibration factor from the displayed image of a cylinder with known activity"
)
RESOLUTION_TIP = tr("Measure the resolution of a ring scanner with point sources")
QUEUE_TIP = tr("Add this study with its current settings to the queue")
TUNE_TIP = tr("Find the fastest kernels for this computer and use them in later runs")
REPORT_TIP = tr("Sign off the result, then save, print or send its report")
TECHNICIAN_TIP = tr(
    "Switch between the full window and a simplified one with the four cards, the run "
    "and the review"
)
DETACH_TIP = tr(
    "Move this panel to a separate window, for example on a second screen. Close "
    "the window to move the panel back."
)
