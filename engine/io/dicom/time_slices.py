"""Sort the slices of a dynamic PET series into time frames. PS3.3 C.8.9.4.

Slices of one frame state the same acquisition time, reference time and length. Frame k of length
T_k
starts at

    start_k = acquisition_k − series time.

If the series time does not fit, because reference times would be outside their frames, the first
acquisition time replaces it. If there are no acquisition times, the frames are consecutive,
start_k = Σ T_j of the earlier ones, provided that each reference time fits its frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from engine.core.errors import FileFormatError
from engine.data.timing.time_frames import MAX_FRAMES, MS, TimeFrame
from engine.io.dicom.headers import REMEDY, Header

ROUNDED_MS = 1000
"""Tolerance of times of day, which can be rounded to 1 s."""
OFF_MIDDLE = 0.02
"""Part of a frame by which decay can shift its reference time from the middle."""
# TM values may omit fraction and seconds (PS3.5, 6.2).
TIME_FORMATS = ("%H%M%S.%f", "%H%M%S", "%H%M")


class _Key(NamedTuple):
    """Key shared by the slices of one frame."""

    acquired: datetime | None
    reference_ms: float
    duration_ms: int


def is_dynamic(headers: Sequence[Header]) -> bool:
    """Return True if a series states that it has several time frames."""
    first = headers[0]
    stated = first.text("NumberOfTimeSlices")
    is_series = "DYNAMIC" in first.text("SeriesType") or (stated.isdigit() and int(stated) > 1)
    return is_series and first.text("Modality") == "PT"


def parted(
    headers: Sequence[Header], starts_s: Sequence[float] = ()
) -> list[tuple[TimeFrame, list[Header]]]:
    """Return the frames of a dynamic series in order, each with its slices.

    A single frame is returned as such, even if the series had more.

    Parameters
    ----------
    headers
        headers of the series
    starts_s
        starts of the frames, if the provenance states them

    Returns
    -------
    frames
        frames with their slices, in order of time

    Raises
    ------
    FileFormatError
        if frames are missing, or their times are missing or contradict each other
    """
    found: dict[_Key, list[Header]] = {}
    for header in headers:
        found.setdefault(_key(header), []).append(header)
    if all(key.acquired is not None for key in found):
        keys = sorted(found, key=lambda key: (key.acquired or datetime.min, *key[1:]))
    else:
        # Without acquisition times, order by reference time and length.
        keys = sorted(found, key=lambda key: key[1:])
    name, stated = headers[0].path.parent.name, headers[0].text("NumberOfTimeSlices")
    if len(keys) > MAX_FRAMES:
        raise FileFormatError(
            f"{name}: contains {len(keys):,} time frames, expected at most {MAX_FRAMES}; export "
            "fewer time frames."
        )
    if stated.isdigit() and 1 < len(keys) != int(stated):
        raise FileFormatError(
            f"{name}: contains slices from {len(keys)} time frames, but the series should have "
            f"{stated}; copy the complete series, or only the slices of one frame."
        )
    is_stated = len(starts_s) == len(keys)
    starts = [round(MS * each) for each in starts_s] if is_stated else _starts_ms(keys, headers)
    frames = _in_order(starts, keys, name)
    return [(frame, found[key]) for frame, key in zip(frames, keys, strict=True)]


def _key(header: Header) -> _Key:
    duration_ms = _number(header, "ActualFrameDuration")
    # `not >=` also refuses NaN.
    if duration_ms is None or not duration_ms >= 0.5:
        raise FileFormatError(
            f"{header.path.name}: belongs to a dynamic series but states no frame duration "
            f"(ActualFrameDuration). {REMEDY}"
        )
    reference_ms = _number(header, "FrameReferenceTime") or 0.0
    return _Key(_moment(header, "Acquisition"), reference_ms, round(duration_ms))


def _starts_ms(keys: Sequence[_Key], headers: Sequence[Header]) -> list[int]:
    """Return the starts of the frames [ms]."""
    times = [key.acquired for key in keys if key.acquired is not None]
    ends = list(accumulate(key.duration_ms for key in keys))
    # Some programs write the start of the scan as the acquisition time of every frame.
    if len(times) < len(keys) or (len(keys) > 1 and times[0] == times[-1]):
        starts = [0, *ends[:-1]]
        # FrameReferenceTime is the start of a frame in some programs and its middle in others.
        if _follow(starts, keys, 0.0, 0.0) or _follow(starts, keys, 0.5, OFF_MIDDLE):
            return starts
        raise FileFormatError(
            f"{headers[0].path.parent.name}: the start times of its {len(keys)} time frames cannot "
            f"be determined from AcquisitionTime or FrameReferenceTime. {REMEDY}"
        )
    stated = {_moment(header, "Series") for header in headers}
    series = stated.pop() if len(stated) == 1 else None
    # SeriesTime is sometimes the time of reconstruction, which is after the acquisition.
    zeros = [each for each in (series, times[0]) if each is not None and each <= times[0]]
    found = [[round((each - zero) / timedelta(milliseconds=1)) for each in times] for zero in zeros]
    return next((each for each in found if _fit(each, keys)), found[0])


def _fit(starts: Sequence[int], keys: Sequence[_Key]) -> bool:
    """Return True if each reference time is within its frame."""
    return all(
        -ROUNDED_MS <= key.reference_ms - start <= key.duration_ms + ROUNDED_MS
        for start, key in zip(starts, keys, strict=True)
    )


def _follow(starts: Sequence[int], keys: Sequence[_Key], part: float, spare: float) -> bool:
    """Return True if each reference time is at this part of its frame, within a tolerance."""
    return all(
        abs(key.reference_ms - start - part * key.duration_ms) <= spare * key.duration_ms + 1
        for start, key in zip(starts, keys, strict=True)
    )


def _in_order(starts: Sequence[int], keys: Sequence[_Key], name: str) -> list[TimeFrame]:
    """Return the frames; refuse a frame that starts before the previous one ends."""
    frames: list[TimeFrame] = []
    for start, key in zip(starts, keys, strict=True):
        begin, ended = start, frames[-1].end_ms if frames else 0
        # Rounded times of day can make consecutive frames overlap by up to a second.
        if begin < ended <= begin + ROUNDED_MS:
            begin = ended
        if begin < ended:
            raise FileFormatError(
                f"{name}: time frame {len(frames) + 1} starts at {start / MS:g} s, before the "
                f"previous one ends at {ended / MS:g} s; open each frame separately, or "
                "export the series again."
            )
        frames.append(TimeFrame(begin, begin + key.duration_ms))
    return frames


def _number(header: Header, keyword: str) -> float | None:
    try:
        value = float(header.text(keyword))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(header: Header, of: str) -> datetime | None:
    """Return date and time of the series or of the acquisition; None if a part is missing."""
    # ACR-NEMA dates and times contain separators: 2026.11.28 and 12:30:00 (PS3.5, 6.2).
    day = header.text(f"{of}Date").replace(".", "")
    time = header.text(f"{of}Time").replace(":", "")
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(f"{day} {time}", f"%Y%m%d {form}")
        except ValueError:
            continue
    return None
