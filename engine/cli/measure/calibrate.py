"""`isocenter calibrate`: measure the calibration factor with a cylinder of known activity."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from engine.analysis.quality.calibrating import MAX_ERROR_PERCENT, KnownActivity, calibrate
from engine.analysis.quality.cylinder import UprightCylinder
from engine.cli.console import Console
from engine.cli.machine.times import TIME, moment_of
from engine.cli.measure.number_lists import numbers_of
from engine.cli.outputs import add_force, add_output
from engine.cli.parser import needs
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.geometry.grid import Point
from engine.io import read_volume
from engine.io.auxiliary.calibration_file import write_calibration


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter calibrate`.

    The calibration factor relates counts per mm in the image to the known activity concentration.
    """
    p = add_verb(verbs, "calibrate")
    p.add_argument(
        "volume",
        type=Path,
        metavar="VOLUME",
        help="image of the cylinder from `isocenter reconstruct`",
    )
    add_output(p, "calibration file (.json)", metavar="OUT", default="calibration.json")
    p.add_argument(
        "--activity-mbq", type=float, required=True, metavar="MBQ", help="activity in the cylinder"
    )
    p.add_argument("--volume-ml", type=float, required=True, metavar="ML", help="filled volume")
    p.add_argument(
        "--at", metavar="TIME", dest="measured_at",
        help=f"time of the activity measurement: {TIME} (default: start of the scan)",
    )  # fmt: skip
    p.add_argument(
        "--zone", help="time zone, if --at has none, such as Europe/Berlin (default: none)"
    )
    p.add_argument(
        "--region", metavar="X,Y,Z,RADIUS,LENGTH",
        help="cylinder along z for the mean [mm] (default: well inside the detected cylinder)",
    )  # fmt: skip
    add_force(p)
    needs(p, "--zone", "--at")
    p.set_defaults(act=_calibrate)


def _calibrate(arguments: argparse.Namespace, console: Console) -> None:
    # Tested before the image is read
    _refuse_impossible(arguments)
    known = KnownActivity(
        1e6 * arguments.activity_mbq,
        arguments.volume_ml,
        moment_of(arguments.measured_at, arguments.zone),
    )
    region = None if arguments.region is None else _region(arguments.region)
    volume = read_volume(arguments.volume)
    # The library does not have the file name
    try:
        calibration, measured = calibrate(volume, known, region=region)
    except DataError as e:
        raise DataError(f"{arguments.volume.name}: {e}") from e
    write_calibration(calibration, arguments.output, measured)
    x, y, z = measured["centre_mm"]
    console.line(
        f"  region: radius {measured['radius_mm']:.1f} mm, {measured['length_mm']:.1f} mm long, at "
        f"({x:.1f}, {y:.1f}, {z:.1f}) mm, {measured['n_voxels']:,} voxels"
    )
    console.line(
        f"  {measured['bq_ml_at_start'] / 1000:.5g} kBq/mL at the start of the scan, "
        f"{measured['mean']:.5g} counts/mm in the image"
    )
    if "noise_percent" in measured:
        console.line(
            f"  noise of the mean: ± {measured['noise_percent']:.2g} % (95 %: ± "
            f"{measured['noise_half_width_percent']:.2g} %), from {measured['replicates']}"
        )
    # Also true for NaN, if the error is unknown
    if not calibration.error_percent <= MAX_ERROR_PERCENT:
        console.note(f"the standard error is {calibration.error_percent:.1f} %. Scan for longer.")
    console.line(
        f"Calibration: {arguments.output} ({calibration.positrons_per_ml:.6g} positrons per mL "
        f"for 1 count/mm, standard error {calibration.error_percent:.2g} %)"
    )


def _refuse_impossible(arguments: argparse.Namespace) -> None:
    if arguments.output.suffix.lower() != ".json":
        raise SettingsError(
            f"{arguments.output.name}: the name of a calibration must end with .json."
        )
    for option in ("activity_mbq", "volume_ml"):
        value = getattr(arguments, option)
        # argparse accepts nan and inf as numbers
        if not 0 < value < math.inf:
            name = option.replace("_", "-")
            raise SettingsError(f"--{name} {value:g}: expected a number above 0.")


def _region(text: str) -> UprightCylinder:
    if not (found := numbers_of(text, 5)):
        raise SettingsError(f"--region {text!r}: expected X,Y,Z,RADIUS,LENGTH in mm.")
    x, y, z, radius, length = found
    if not (radius > 0 and length > 0):
        raise SettingsError(f"--region {text!r}: expected a radius and a length above 0.")
    centre: Point = (x, y, z)
    return UprightCylinder(centre, radius, length)
