"""Metadata that BIDS requires of a PET image: known fields, and names of missing ones.

Times are in seconds after TimeZero, the whole second in which the scan began. Activity is corrected
for decay to the start of the scan or to the injection. The specific activity is activity over mass,
both at the injection. Nothing is guessed: unknown values are left out, or are "n/a" where BIDS
allows
it (BIDS 1.10, "Positron Emission Tomography").
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.core.json_types import Plain
from engine.data.timing.decay import seconds_between
from engine.data.timing.time_frames import FrameVolume
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume
from engine.io.text.json_text import object_of, positive_number

NOT_AVAILABLE = "n/a"
# BIDS requires these fields, but allows "n/a" because sites rarely record the mass.
MAY_BE_NOT_AVAILABLE = (
    *("InjectedMass", "InjectedMassUnits"),
    *("SpecificRadioactivity", "SpecificRadioactivityUnits"),
)
REQUIRED = (
    *("Manufacturer", "ManufacturersModelName", "Units", "TracerName", "TracerRadionuclide"),
    *("InjectedRadioactivity", "InjectedRadioactivityUnits", *MAY_BE_NOT_AVAILABLE),
    *("ModeOfAdministration", "TimeZero", "ScanStart", "InjectionStart", "FrameTimesStart"),
    *("FrameDuration", "AcquisitionMode", "ImageDecayCorrected", "ImageDecayCorrectionTime"),
    *("ReconMethodName", "ReconMethodParameterLabels", "ReconMethodParameterUnits"),
    *("ReconMethodParameterValues", "ReconFilterType", "ReconFilterSize"),
    "AttenuationCorrection",
)
MODES = {"pet": "list mode", "pet-sinogram": "sinogram"}
"""Kind of protocol -> acquisition mode, where it is fixed."""
ATTENUATION = "exp(-line integral) of a map of attenuation coefficients at 511 keV"
NO_UNIT = "none"
OF_LENGTH = "_mm"
COUNTS = "counts/mm"
MADE_BY_US = "isocenter-provenance-"


def sidecar_of(volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()) -> Plain:
    """Return the known fields of an image.

    Parameters
    ----------
    volume
        PET image; for several frames their sum or mean
    provenance
        its origin as JSON values
    frames
        its time frames, if it has any

    Returns
    -------
    fields
        BIDS name -> value; unknown fields are left out
    """
    scan = object_of(provenance.get("scan"))
    # TimeZero has the form hh:mm:ss, so the fraction of the second goes into ScanStart.
    started, zero = moment_of(scan.get("scan_start")), None
    if started is not None:
        zero = started.replace(microsecond=0)
    begun_s = 0.0 if started is None else started.microsecond / 1e6
    injected_s = _seconds_after(zero, moment_of(scan.get("injected_at")))
    fields: Plain = {
        "ManufacturersModelName": str(scan.get("scanner") or ""),
        "Units": volume.unit,
        **_tracer(scan),
        "TimeZero": "" if zero is None else f"{zero:%H:%M:%S}",
        "ScanStart": begun_s,
        "InjectionStart": injected_s,
        **_times(scan, frames, begun_s),
        "AcquisitionMode": MODES.get(str(object_of(provenance.get("protocol")).get("modality"))),
        **_decay(volume, provenance, begun_s, injected_s),
        **_reconstruction(provenance),
        "AttenuationCorrection": _attenuation(provenance),
    }
    known = {key: value for key, value in fields.items() if value is not None and value != ""}
    return dict.fromkeys(MAY_BE_NOT_AVAILABLE, NOT_AVAILABLE) | known


def missing_from(fields: Plain) -> tuple[str, ...]:
    """Return the names of required fields that are not known.

    Parameters
    ----------
    fields
        fields from `sidecar_of`
    """
    # Sizes and values are required only if there is a filter or a parameter that has one.
    needless = {"ReconFilterSize"} if fields.get("ReconFilterType") == "none" else set()
    if fields.get("ReconMethodParameterLabels") == ["none"]:
        needless |= {"ReconMethodParameterUnits", "ReconMethodParameterValues"}
    wanted = (each for each in REQUIRED if each not in needless)
    return tuple(each for each in wanted if fields.get(each, NOT_AVAILABLE) == NOT_AVAILABLE)


def _tracer(scan: Plain) -> Plain:
    activity, mass_ug = (
        positive_number(scan, "injected_bq"),
        positive_number(scan, "injected_mass_ug"),
    )
    of_mass: Plain = {}
    if mass_ug is not None:
        of_mass = {"InjectedMass": mass_ug, "InjectedMassUnits": "ug"}
        if activity is not None:
            # BIDS requires Bq/g here, although the activity itself is in MBq.
            specific = activity / (mass_ug * 1e-6)
            of_mass |= {"SpecificRadioactivity": specific, "SpecificRadioactivityUnits": "Bq/g"}
    return {
        **of_mass,
        "TracerName": str(scan.get("radiopharmaceutical") or ""),
        # BIDS writes "F18", the program "F-18".
        "TracerRadionuclide": str(scan.get("isotope") or "").replace("-", ""),
        "InjectedRadioactivity": None if activity is None else activity / 1e6,
        "InjectedRadioactivityUnits": None if activity is None else "MBq",
        "ModeOfAdministration": str(scan.get("administration") or ""),
    }


def _times(scan: Plain, frames: Sequence[FrameVolume], begun_s: float) -> Plain:
    """Return start and length of the frames; {} for an image of several frames with gaps."""
    if frames:
        spans = [(each.frame.start_s, each.frame.duration_s) for each in frames]
    else:
        spans = _one_span(scan)
    if not spans:
        return {}
    return {
        "FrameTimesStart": [begun_s + start for start, _ in spans],
        "FrameDuration": [length for _, length in spans],
    }


def _one_span(scan: Plain) -> list[tuple[float, float]]:
    stated = scan.get("frames")
    if not isinstance(stated, list) or not stated:
        whole = positive_number(scan, "duration_s")
        return [] if whole is None else [(0.0, whole)]
    tables = [object_of(each) for each in stated]
    spans = [
        (positive_number(each, "start_s") or 0.0, positive_number(each, "duration_s"))
        for each in tables
    ]
    begin, end = spans[0][0], spans[0][0]
    if any("gate" in each for each in tables):
        return []  # a gate consists of many short intervals, which BIDS cannot express
    for start, length in spans:
        if length is None or abs(start - end) > 1e-6:
            return []  # one start and one length would include a gap without data
        end = start + length
    return [(begin, end - begin)]


def _decay(volume: Volume, provenance: Plain, begun_s: float, injected_s: float | None) -> Plain:
    stated = object_of(object_of(provenance.get("scan")).get("concentration")).get("decay")
    # Counts of this program are never decay-corrected. For other programs it is not known.
    if volume.unit == COUNTS and str(provenance.get("format", "")).startswith(MADE_BY_US):
        return {"ImageDecayCorrected": False}
    if volume.unit == COUNTS or stated not in ("start", "injection"):
        return {}
    time_s = begun_s if stated == "start" else injected_s
    return {"ImageDecayCorrected": True, "ImageDecayCorrectionTime": time_s}


def _reconstruction(provenance: Plain) -> Plain:
    protocol = object_of(provenance.get("protocol"))
    algorithm = object_of(protocol.get("algorithm"))
    if not algorithm:
        return {}
    done = provenance.get("iterations_done")
    if "iterations" in algorithm and isinstance(done, int | float):
        algorithm = {**algorithm, "iterations": done}  # an intermediate image has fewer
    numbers = {key: value for key, value in algorithm.items() if _is_number(value)}
    version = str(object_of(provenance.get("environment")).get("isocenter") or "")
    if not numbers:
        parameters: Plain = {"ReconMethodParameterLabels": ["none"]}
    else:
        parameters = {
            "ReconMethodParameterLabels": list(numbers),
            "ReconMethodParameterUnits": [_unit_of(key) for key in numbers],
            "ReconMethodParameterValues": list(numbers.values()),
        }
    return {
        "ReconMethodName": str(algorithm.get("kind") or "").upper(),
        "ReconMethodImplementationVersion": f"Isocenter {version}" if version else "",
        **parameters,
        **_filters(protocol, is_before=bool(provenance.get("before_finishing"))),
    }


def _filters(protocol: Plain, *, is_before: bool) -> Plain:
    """Return the filters after the reconstruction, with their widths if all have one."""
    found = protocol.get("finishing")
    if not isinstance(found, list):
        return {}
    # An image that was saved before the last filters has none of them.
    filters = [] if is_before else [object_of(each) for each in found]
    if not filters:
        return {"ReconFilterType": "none"}
    widths = [positive_number(each, "fwhm_mm") for each in filters]
    return {
        "ReconFilterType": [str(each.get("kind") or "") for each in filters],
        "ReconFilterSize": None if None in widths else widths,
    }


def _attenuation(provenance: Plain) -> str | None:
    rows = provenance.get("corrections")
    if not isinstance(rows, list) or not rows:
        return None
    tables = [object_of(each) for each in rows]
    applied = [each.get("kind") for each in tables if each.get("state") == "applied"]
    return ATTENUATION if "attenuation" in applied else "none"


def _unit_of(key: str) -> str:
    return "mm" if key.endswith(OF_LENGTH) else NO_UNIT


def _seconds_after(zero: datetime | None, moment: datetime | None) -> float | None:
    """Return the seconds between two times; None if they cannot be compared."""
    return None if zero is None or moment is None else seconds_between(zero, moment)


def _is_number(value: object) -> bool:
    # In Python, bool is a subclass of int, but switches are not numeric parameters.
    return isinstance(value, int | float) and not isinstance(value, bool)
