"""Report on small auxiliary files: calibration, tracer and trigger times."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.io.auxiliary.calibration_file import read_calibration
from engine.io.auxiliary.tracer_file import read_tracer
from engine.io.auxiliary.trigger_file import read_triggers
from engine.io.report import Report
from engine.io.text.fact_labels import fact_of


def of_calibration(path: Path) -> Report:
    """Report a calibration to Bq/mL."""
    found = read_calibration(path)
    facts = (
        ("Scanner", found.scanner),
        ("Positrons per mL for 1 count/mm", f"{found.positrons_per_ml:.6g}"),
        ("Standard error", f"{found.error_percent:.2g} %"),
        ("Corrections", ", ".join(found.corrections) or "none"),
        ("Measured", found.made_utc),
    )
    return Report("", f"calibration of {found.scanner}", facts)


def of_tracer(path: Path) -> Report:
    """Report tracer, dose and weight."""
    tracer = read_tracer(path)
    return Report("", tracer.describe(), tuple(fact_of(*item) for item in tracer.facts().items()))


def of_triggers(path: Path) -> Report:
    """Report on trigger times: their number, their range, and the median cycle."""
    times_s = read_triggers(path).time_ms / 1000
    facts = (
        ("Triggers", f"{len(times_s):,}"),
        ("Times", f"{times_s[0]:g} to {times_s[-1]:g} s"),
        # The median, because missed triggers make single cycles much longer.
        ("Median cycle", f"{np.median(np.diff(times_s)):.4g} s"),
    )
    return Report("", f"{len(times_s):,} trigger times", facts)
