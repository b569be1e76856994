"""What the longer actions of the window are for."""

from __future__ import annotations

from app.language.translation import tr

NORMALISE_TIP = tr("From scans of a cylinder or a rotating line: how each crystal and line counts")
CALIBRATE_TIP = tr(
    "From the image on show, of a cylinder of known activity: what one count stands for"
)
QUEUE_TIP = tr("Let this study, with its settings as they are, wait for its turn")
TUNE_TIP = tr("Find the fastest kernels on this machine, and keep them for later runs")
REPORT_TIP = tr("Sign the result off; save, print or send its report")
TECHNICIAN_TIP = tr(
    "Open, protocol, Start, judge, export and report, nothing else; or the way back"
)
APART_TIP = tr("In a window of their own, as for a second screen; close it, and they are back")
