"""Activity of a calibration cylinder, as entered by the user.

The volume of a cylinder of diameter d and length l is V = π d² l / 4.
"""

from __future__ import annotations

import math
from dataclasses import replace

from pydantic import model_validator

from engine.analysis.quality.calibrating import KnownActivity, calibrate
from engine.analysis.quality.cylinder import UprightCylinder
from engine.analysis.quality.tracer_check import differences
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.calibration import Calibration
from engine.data.timing.datetime_setting import Moment
from engine.data.timing.decay import NUCLIDES
from engine.data.timing.tracer import FROM_THE_SCAN, Tracer
from engine.data.volume import Volume

MM3_PER_ML = 1000.0


class CylinderActivity(Settings):
    """Activity and volume of a calibration cylinder, and facts that the scan may lack.

    Examples
    --------
    >>> from engine.analysis.quality import CylinderActivity
    >>> round(CylinderActivity(activity_mbq=37, diameter_mm=200, length_mm=180).ml)
    5655
    """

    activity_mbq: float = setting(
        ...,
        "Net activity in the phantom: the dispensed activity minus the residual in the syringe",
        label="Activity",
        unit="MBq",
        gt=0,
    )
    measured_at: Moment | None = setting(
        None,
        "Time of the activity measurement",
        label="Measured at",
        empty="at the start of the scan",
    )
    volume_ml: float | None = setting(
        None,
        "Volume of liquid in the cylinder",
        label="Volume",
        unit="mL",
        empty="from diameter and length",
        gt=0,
    )
    diameter_mm: float | None = setting(
        None, "Inner dimensions of the cylinder, if no volume is given",
        label="Diameter", unit="mm", empty="not needed", gt=0,
    )  # fmt: skip
    length_mm: float | None = setting(
        None, "Inner dimensions of the cylinder, if no volume is given",
        label="Length", unit="mm", empty="not needed", gt=0,
    )  # fmt: skip
    nuclide: str | None = setting(
        None, "Nuclide of the tracer, such as F-18", label="Nuclide", empty=FROM_THE_SCAN
    )
    scan_start: Moment | None = setting(
        None, "Start time of the frame", label="Start of the scan", empty=FROM_THE_SCAN
    )
    live_fraction: float | None = setting(
        None, "Live time as a fraction of the frame duration", label="Live fraction",
        empty=FROM_THE_SCAN, gt=0, le=1,
    )  # fmt: skip

    @model_validator(mode="after")
    def _refuse_unknown_volume(self) -> CylinderActivity:
        if self.volume_ml is None and (self.diameter_mm is None or self.length_mm is None):
            raise ValueError(
                "enter either the fill volume of the cylinder, or its inner diameter and length"
            )
        # A volume and a size can contradict each other, and then no choice would be right.
        if self.volume_ml is not None and (self.diameter_mm or self.length_mm):
            raise ValueError(
                "enter either the fill volume, or the inner diameter and length, but not both"
            )
        if self.nuclide is not None and self.nuclide not in NUCLIDES:
            known = ", ".join(NUCLIDES)
            raise ValueError(
                f"the nuclide is {self.nuclide}, expected one of {known}; enter other nuclides "
                "in a tracer file"
            )
        return self

    @property
    def ml(self) -> float:
        """Volume of the filling [mL]."""
        if self.volume_ml is not None:
            return self.volume_ml
        diameter, length = self.diameter_mm or 0.0, self.length_mm or 0.0
        return math.pi / 4 * diameter**2 * length / MM3_PER_ML

    @property
    def tracer(self) -> Tracer:
        """Facts of the scan as a tracer."""
        return Tracer(
            nuclide=self.nuclide, scan_start=self.scan_start, live_fraction=self.live_fraction
        )


def calibrate_with(
    volume: Volume, stated: CylinderActivity, *, region: UprightCylinder | None = None
) -> tuple[Calibration, Plain]:
    """Measure the calibration with facts that the user enters; see `calibrate`.

    Parameters
    ----------
    volume
        image of the cylinder, reconstructed without a calibration
    stated
        activity and volume of the filling, and facts that the scan lacks
    region
        region of the mean; None: inner part of the cylinder that is found

    Returns
    -------
    calibration
        valid for scans of the same scanner with the same corrections
    measured
        record of the measurement, as JSON values

    Raises
    ------
    DataError
        if the scan states a fact differently, or for the reasons of `calibrate`
    """
    scan = volume.info.get("scan")
    if isinstance(scan, dict):
        # Unlike a tracer file, a calibration does not overrule its scan.
        for name, value, other in differences(stated.tracer, scan):
            raise DataError(
                f"{name}: you entered {value}, but the scan states {other}; leave this field "
                "empty to use the value from the scan."
            )
        scan = {**scan, **stated.tracer.facts()}
        volume = replace(volume, info={**volume.info, "scan": scan})
    known = KnownActivity(1e6 * stated.activity_mbq, stated.ml, stated.measured_at)
    return calibrate(volume, known, region=region)
