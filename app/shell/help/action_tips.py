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
    "Show only open, protocol, start, review, export and report, or return to the full window"
)
APART_TIP = tr(
    "Show in a separate window, for example on a second screen. Close it to move them back."
)
