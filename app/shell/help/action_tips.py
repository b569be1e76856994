"""Tooltips of the longer actions of the window."""

from __future__ import annotations

from app.language.translation import tr

NORMALISE_TIP = tr(
    "Measure crystal and line efficiencies from scans of a cylinder or a rotating line source"
)
CALIBRATE_TIP = tr(
    "Measure the calibration factor from the displayed image of a cylinder of known activity"
)
QUEUE_TIP = tr("Add this study with its current settings to the queue")
TUNE_TIP = tr("Find the fastest kernels on this computer and use them in later runs")
REPORT_TIP = tr("Sign off the result, then save, print or send its report")
TECHNICIAN_TIP = tr(
    "Show only the Open, Protocol, Start, Review, Export and Report steps, or return to the full "
    "window"
)
APART_TIP = tr(
    "Show the views in a separate window, for example on a second screen. Close that window to "
    "move them back."
)
