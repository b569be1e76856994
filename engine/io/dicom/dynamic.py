"""Attributes of each time frame of a dynamic PET series. PS3.3 C.8.9.1 and C.8.9.4.

A frame of length T that starts at t has its mean activity at the reference time

    t + ln(λT / (1 − exp(−λT))) / λ,    or t + T / 2 if the half-life is unknown,

counted from the series time, which is the start of the scan. The images are numbered

    index = (frame − 1) · slices + slice.
"""

from __future__ import annotations

import math
from datetime import timedelta

from engine.core.json_types import Plain
from engine.data.timing.decay import frame_factor
from engine.data.timing.time_frames import TimeFrame
from engine.data.timing.timestamps import moment_of
from engine.io.dicom.emission import series_attributes
from engine.io.dicom.values import date_of, decimal, time_of

DYNAMIC = ["DYNAMIC", "IMAGE"]


def dynamic_attributes(n_frames: int) -> Plain:
    """Return the attributes of a dynamic series that a static PET series does not have."""
    return {"SeriesType": DYNAMIC, "NumberOfTimeSlices": n_frames}


def frame_attributes(provenance: Plain, unit: str, frame: TimeFrame) -> Plain:
    """Return the attributes that all slices of one frame share.

    Parameters
    ----------
    provenance
        origin of the whole image as JSON values
    unit
        unit of the values
    frame
        start and length of the frame

    Returns
    -------
    attributes
        times of the frame, and its decay factor if the activity is decay-corrected
    """
    found = provenance.get("scan")
    scan: Plain = found if isinstance(found, dict) else {}
    own = [{"start_s": frame.start_s, "duration_s": frame.duration_s}]
    # The factor is that of a static image of this frame alone.
    said = series_attributes({**provenance, "scan": {**scan, "frames": own}}, unit, 1)
    started = moment_of(scan.get("scan_start"))
    begun = None if started is None else started + timedelta(milliseconds=frame.start_ms)
    attributes: Plain = {
        "AcquisitionDate": date_of(begun),
        "AcquisitionTime": time_of(begun),
        # Integer string [ms], while FrameReferenceTime is a decimal string [ms].
        "ActualFrameDuration": str(frame.end_ms - frame.start_ms),
        "FrameReferenceTime": decimal(1000 * _reference_s(frame, scan.get("half_life_s"))),
    }
    return attributes | ({"DecayFactor": said["DecayFactor"]} if "DecayFactor" in said else {})


def _reference_s(frame: TimeFrame, half_life_s: object) -> float:
    if not isinstance(half_life_s, int | float) or not half_life_s > 0:
        return frame.start_s + frame.duration_s / 2
    # factor = λT / (1 − exp(−λT)), so its logarithm to base 2 is the time in half-lives.
    factor = frame_factor(frame.duration_s, float(half_life_s))
    return frame.start_s + float(half_life_s) * math.log2(factor)
