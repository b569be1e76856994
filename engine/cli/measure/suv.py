"""`isocenter suv`: convert activity concentration to standardised uptake values (SUV)."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np

from engine.analysis.quality.suv import (
    HALF_LIVES_S,
    SUV_TITLES,
    UNITS,
    DecayCorrection,
    SuvFacts,
    SuvKind,
    suv_factor,
)
from engine.analysis.quality.suv_series import series_factor
from engine.analysis.quality.suv_volume import SUV, decay_of, described, facts_of, scan_of
from engine.cli.console import Console
from engine.cli.machine.times import TIME, moment_of
from engine.cli.outputs import add_force, add_identify, add_output
from engine.cli.parser import excludes, needs
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.data.calibration import CONCENTRATION
from engine.data.volume import Volume
from engine.io import WRITERS, can_save, default_suffixes, read_volume, save, save_note
from engine.io.safety.open_input import open_input
from engine.protocols.privacy.records import MADE_BY_US, without_names

MAX_SERIES_BYTES = 100_000_000
T = TypeVar("T")


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter suv`.

    Every input can come from the image or from an option. Options take precedence.
    """
    p = add_verb(verbs, "suv")
    p.add_argument(
        "volume",
        type=Path,
        metavar="VOLUME",
        help="image in Bq/mL, or any image with --bq-ml-per-unit",
    )
    add_output(p, f"output file: {default_suffixes(WRITERS)}", default="suv.nii.gz", place=True)
    p.add_argument(
        "--kind", choices=get_args(SuvKind), default="bw",
        help="; ".join(f"{kind}: {words}" for kind, words in SUV_TITLES.items()),
    )  # fmt: skip
    _add_facts(p)
    add_force(p)
    add_identify(p)
    # Each image states these values only once, so a second source would win without notice
    excludes(
        p, "--series", "--weight-kg", "--height-cm", "--sex", "--dose-mbq", "--injected-at",
        "--started-at", "--zone", "--nuclide", "--half-life-s", "--frame-s",
        "--decay-corrected-to", "--bq-ml-per-unit",
    )  # fmt: skip
    excludes(p, "--half-life-s", "--nuclide")
    needs(p, "--zone", "--injected-at", "--started-at")
    p.set_defaults(act=_suv)


def _add_facts(p: argparse.ArgumentParser) -> None:
    """Add an option for each fact of patient, tracer and image."""
    p.add_argument("--weight-kg", type=float, metavar="KG", help="body weight (default: none)")
    p.add_argument(
        "--height-cm",
        type=float,
        metavar="CM",
        help="body height, for lean mass and surface (default: none)",
    )
    p.add_argument("--sex", choices=("F", "M"), help="sex, for lean mass (default: none)")
    p.add_argument(
        "--dose-mbq",
        type=float,
        metavar="MBQ",
        help="injected activity at the time of injection (default: none)",
    )
    p.add_argument(
        "--injected-at", metavar="TIME", help=f"time of injection: {TIME} (default: none)"
    )
    p.add_argument(
        "--started-at", metavar="TIME", help=f"start of the frame: {TIME} (default: none)"
    )
    p.add_argument(
        "--zone", help="time zone, if times have none, such as Europe/Berlin (default: none)"
    )
    p.add_argument("--nuclide", choices=tuple(HALF_LIVES_S), help="nuclide (default: none)")
    p.add_argument(
        "--half-life-s",
        type=float,
        metavar="S",
        help="half-life, for another nuclide, instead of --nuclide (default: none)",
    )
    p.add_argument("--frame-s", type=float, metavar="S", help="length of the frame (default: none)")
    p.add_argument(
        "--decay-corrected-to", choices=get_args(DecayCorrection), dest="decay",
        help="reference time of the decay correction; none: mean over the frame. Images of "
        "Isocenter contain it (default: that of the image)",
    )  # fmt: skip
    p.add_argument(
        "--bq-ml-per-unit",
        type=float,
        metavar="F",
        help="calibration factor of the values (default: 1 for Bq/mL)",
    )
    p.add_argument(
        "--series", type=Path, metavar="JSON",
        help="for images of other programs: list of the DICOM attributes of the slices, "
        "instead of the other values (default: none)",
    )  # fmt: skip


def _suv(arguments: argparse.Namespace, console: Console) -> None:
    can_save(arguments.output)
    volume = read_volume(arguments.volume)
    name = arguments.volume.name
    try:
        # A second conversion would divide by weight and dose again, unnoticed
        _refuse_converted(volume)
        factor, record = _factor(volume, arguments)
    except DataError as e:
        raise DataError(f"{name}: {e}") from e
    info = volume.info if arguments.identify else without_names(volume.info)
    # Multiplied in float64, and rounded only once
    exact = volume.values * np.float64(factor)
    # An infinite value would ruin the scale of every view
    if not np.abs(exact).max() < np.finfo(np.float32).max:
        raise DataError(
            f"{name}: the factor {factor:g} gives values beyond the range of an image. Correct "
            "--bq-ml-per-unit."
        )
    values = exact.astype(np.float32)
    error = None if volume.error is None else volume.error.scaled(values, factor)
    converted = replace(volume, values=values, unit=UNITS[arguments.kind], error=error)
    made_by = {**info, SUV: record}
    # Some formats cannot store the unit SUV
    note = save_note(converted, arguments.output, made_by)
    if note:
        console.note(f"{note}")
    save(converted, arguments.output, made_by)
    console.line(
        f"Volume: {arguments.output} ({SUV_TITLES[arguments.kind]} = {factor:.6g} · value)"
    )


def _factor(volume: Volume, arguments: argparse.Namespace) -> tuple[float, Plain]:
    """Return the factor from values to SUV, and a record of its inputs."""
    if arguments.series is not None:
        factor = series_factor(_slices(arguments.series), kind=arguments.kind)
        return factor, {"kind": arguments.kind, "suv_per_unit": factor}
    calibration = _calibration(volume, arguments.bq_ml_per_unit)
    facts = _facts(volume, arguments)
    factor = suv_factor(facts)
    return calibration * factor, {**described(facts, factor), "bq_ml_per_unit": calibration}


def _slices(path: Path) -> list[Plain]:
    """Read the DICOM attributes of the slices. A single table applies to all slices."""
    with open_input(path) as file:
        text = file.text(MAX_SERIES_BYTES)
    try:
        slices = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise FileFormatError(
            f"{path.name}: not valid JSON ({e}). Export the attributes again."
        ) from e
    slices = slices if isinstance(slices, list) else [slices]
    if not all(isinstance(each, dict) for each in slices):
        raise FileFormatError(
            f"{path.name}: expected a list with one object per slice. Export the attributes again."
        )
    return slices


def _refuse_converted(volume: Volume) -> None:
    if SUV in volume.info or volume.unit in (*UNITS.values(), "SUV"):
        raise DataError("The image is already in SUV. Choose the image in Bq/mL.")


def _calibration(volume: Volume, given: float | None) -> float:
    # A second factor on values in Bq/mL would be a mistake
    if volume.unit == CONCENTRATION and given is None:
        return 1.0
    if given is None:
        raise DataError(
            f"The image has the wrong unit (unit: {volume.unit or 'unknown'}, expected: "
            f"{CONCENTRATION}). Give the calibration factor with --bq-ml-per-unit."
        )
    if volume.unit == CONCENTRATION:
        raise DataError(f"The image is already in {CONCENTRATION}. Remove --bq-ml-per-unit.")
    if not 0 < given < np.inf:
        raise DataError(f"--bq-ml-per-unit {given:g}: expected a number above 0.")
    return given


def _facts(volume: Volume, arguments: argparse.Namespace) -> SuvFacts:
    """Collect the SUV inputs. Options take precedence over the image."""
    a, scan, known = arguments, scan_of(volume), facts_of(volume, arguments.kind)
    half_life_s = HALF_LIVES_S[a.nuclide] if a.nuclide is not None else a.half_life_s
    return SuvFacts(
        weight_kg=_either(a.weight_kg, known.weight_kg),
        dose_bq=known.dose_bq if a.dose_mbq is None else 1e6 * a.dose_mbq,
        half_life_s=_either(half_life_s, known.half_life_s),
        injected=moment_of(_either(a.injected_at, scan.get("injected_at")), a.zone),
        started=moment_of(_either(a.started_at, scan.get("scan_start")), a.zone),
        decay=_decay(volume, a.decay),
        frame_s=_either(a.frame_s, scan.get("frame_s") or known.frame_s),
        kind=a.kind,
        height_cm=_either(a.height_cm, known.height_cm),
        sex=_either(a.sex, known.sex),
    )


def _either(given: T | None, known: T | None) -> T | None:
    # Not `or`: a given 0 is a mistake that must not select the value of the image
    return known if given is None else given


def _decay(volume: Volume, given: DecayCorrection | None) -> DecayCorrection | None:
    """Return the reference time of the decay correction. Images of Isocenter contain it."""
    if not str(volume.info.get("format", "")).startswith(MADE_BY_US):
        return given
    ours = decay_of(volume)
    # Our own images state their correction, so a contradicting option is a mistake
    if given not in (None, ours):
        if ours == "none":
            raise DataError(
                "Images in counts are not decay-corrected. Remove --decay-corrected-to."
            )
        raise DataError(
            f"--decay-corrected-to {given}: the image states {ours!r}. Remove this option."
        )
    return ours
