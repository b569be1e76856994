"""`isocenter suv`: from activity concentration to standardised uptake values, if all is known."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from engine.cli.console import Console, Verbs
from engine.cli.outputs import Output, add_force, add_identify
from engine.data.volume import Volume
from engine.errors import DataError, SettingsError
from engine.io import WRITERS, can_save, read_volume, save, usual_suffixes
from engine.plain import Plain
from engine.privacy.records import MADE_BY_US, without_names
from engine.quality.suv import (
    CONCENTRATION,
    HALF_LIVES_S,
    UNIT,
    DecayCorrection,
    SuvFacts,
    suv_factor,
)

TIME = "YYYY-MM-DDTHH:MM:SS+HH:MM"
SUV = "suv"
"""Key of what is written of the conversion."""


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = verbs.add_parser("suv", help="turn activity concentration into uptake values (SUV)")
    p.add_argument("volume", type=Path, metavar="VOLUME", help="in Bq/mL, or with --bq-ml-per-unit")
    p.add_argument("output", type=Path, action=Output, metavar="OUT", help=usual_suffixes(WRITERS))
    p.add_argument("--weight-kg", type=float, metavar="KG")
    p.add_argument("--dose-mbq", type=float, metavar="MBQ", help="activity when it was injected")
    p.add_argument("--injected-at", metavar="TIME", help=TIME)
    p.add_argument("--started-at", metavar="TIME", help=f"start of the frame: {TIME}")
    p.add_argument("--zone", help="of times without one: Europe/Berlin")
    p.add_argument("--nuclide", choices=tuple(HALF_LIVES_S))
    p.add_argument("--half-life-s", type=float, metavar="S")
    p.add_argument("--frame-s", type=float, metavar="S", help="length of the frame")
    p.add_argument(
        "--decay-corrected-to", choices=get_args(DecayCorrection), dest="decay",
        help="moment that the values are corrected to; none: means over the frame, as ours are",
    )  # fmt: skip
    p.add_argument("--bq-ml-per-unit", type=float, metavar="F", help="calibration of the values")
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_suv)


def _suv(arguments: argparse.Namespace, console: Console) -> None:
    can_save(arguments.output)
    volume = read_volume(arguments.volume)
    name = arguments.volume.name
    try:
        _refuse_converted(volume)
        calibration = _calibration(volume, arguments.bq_ml_per_unit)
        facts = _facts(volume.info, arguments)
        factor = suv_factor(facts)
    except DataError as e:
        raise DataError(f"{name}: {e}") from e
    said: Plain = {**vars(facts), "bq_ml_per_unit": calibration, "g_per_bq": factor}
    said |= {key: moment.isoformat() for key, moment in said.items() if _is_moment(moment)}
    info = volume.info if arguments.identify else without_names(volume.info)
    values = (volume.values * np.float64(calibration * factor)).astype(np.float32)
    save(replace(volume, values=values, unit=UNIT), arguments.output, {**info, SUV: said})
    console.line(f"Volume: {arguments.output} (SUV = {calibration * factor:.6g} · value)")


def _refuse_converted(volume: Volume) -> None:
    if SUV in volume.info or volume.unit in (UNIT, "SUV"):
        raise DataError("these are SUV already; take the image that they were made from.")


def _calibration(volume: Volume, given: float | None) -> float:
    if volume.unit == CONCENTRATION and given is None:
        return 1.0
    if given is None:
        unit = f"in {volume.unit}" if volume.unit else "in a unit that the file does not say"
        raise DataError(
            f"there is no SUV: the values are {unit}, want {CONCENTRATION}; give the calibration "
            "(--bq-ml-per-unit)."
        )
    if volume.unit == CONCENTRATION or not 0 < given < np.inf:
        raise DataError(
            f"there is no SUV: a calibration of {given:g} for values in {volume.unit or '?'}; want "
            f"a number above 0, and none for {CONCENTRATION}."
        )
    return given


def _facts(info: Plain, arguments: argparse.Namespace) -> SuvFacts:
    """Return what is known, from the options first, then from what an image of ours says."""
    scan = info.get("scan", {})
    scan = scan if isinstance(scan, dict) else {}
    decay = arguments.decay
    if str(info.get("format", "")).startswith(MADE_BY_US):
        if decay not in (None, "none"):
            raise DataError(
                f"there is no SUV: --decay-corrected-to {decay}, but this program corrects no "
                "decay; leave the option out."
            )
        decay = "none"
    dose_bq = scan.get("injected_bq") if arguments.dose_mbq is None else 1e6 * arguments.dose_mbq
    half_life_s = arguments.half_life_s or HALF_LIVES_S.get(arguments.nuclide or "")
    return SuvFacts(
        weight_kg=arguments.weight_kg,
        dose_bq=dose_bq,
        half_life_s=half_life_s or scan.get("half_life_s"),
        injected=_moment(arguments.injected_at or scan.get("injected_at"), arguments.zone),
        started=_moment(arguments.started_at or scan.get("scan_start"), arguments.zone),
        decay=decay,
        frame_s=arguments.frame_s or scan.get("frame_s") or scan.get("duration_s"),
    )


def _moment(text: str | None, zone: str | None) -> datetime | None:
    """Return a moment; a day without a time, or a time without a day, is none."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or ":" not in text:
        raise SettingsError(f"{text!r} is no date with a time; want {TIME}.")
    if moment.tzinfo is not None or zone is None:
        return moment
    try:
        return moment.replace(tzinfo=ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as e:
        raise SettingsError(f"{zone!r} is no time zone; want one as Europe/Berlin.") from e


def _is_moment(value: object) -> bool:
    return isinstance(value, datetime)
