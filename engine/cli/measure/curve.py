"""`isocenter curve`: time curve of a sphere in a dynamic scan, as a table."""

from __future__ import annotations

import argparse
from math import isfinite, nan
from pathlib import Path

from engine.analysis.quality.time_curves import TimeCurve, time_curve
from engine.analysis.regions.figures import VOXEL_RULES
from engine.analysis.regions.solids import SphereRegion
from engine.cli.console import Console
from engine.cli.measure.number_lists import numbers_of
from engine.cli.outputs import add_force, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.data.formatting import with_error
from engine.io import read_frames
from engine.io.safety.atomic_write import write_atomically


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter curve`.

    The table has one row per frame with the mean and the standard deviation in the sphere, and
    with the error of the mean if the frames have error maps.
    """
    p = add_verb(verbs, "curve")
    p.add_argument("frames", type=Path, metavar="FRAMES", help="dynamic image: .h5, .nii.gz, DICOM")
    add_output(p, "table (.csv)", default="curve.csv", place=True)
    p.add_argument("--at", required=True, metavar="X,Y,Z", help="centre of the sphere [mm]")
    p.add_argument(
        "--diameter",
        type=float,
        default=10.0,
        metavar="MM",
        help="diameter of the sphere (default: 10)",
    )
    p.add_argument(
        "--rule", choices=VOXEL_RULES, default="area",
        help="area: weight border voxels by the volume inside; centre: count voxels with the "
        "centre inside (default: area)",
    )  # fmt: skip
    add_force(p)
    p.set_defaults(act=_curve)


def _curve(arguments: argparse.Namespace, console: Console) -> None:
    if not 0 < arguments.diameter < float("inf"):
        raise DataError(f"--diameter {arguments.diameter:g}: expected more than 0 mm.")
    region = SphereRegion(centre_mm=_point(arguments.at), diameter_mm=arguments.diameter)
    frames = read_frames(arguments.frames)
    if not frames:
        raise DataError(
            f"{arguments.frames.name}: the file has no time frames. Create them with `isocenter "
            "reconstruct SCAN --frames 10x60 -o frames.h5`."
        )
    found = time_curve(frames, region, rule=arguments.rule)
    errors = found.errors or (nan,) * len(found.frames)
    for frame, mean, error in zip(found.frames, found.means, errors, strict=True):
        shown = with_error(mean, error) if isfinite(error) else f"{mean:.5g}"
        console.line(f"{frame.describe()}: {shown} {found.unit}")
    if found.errors:
        n = found.n_replicates
        console.line(f"Errors: 1 standard deviation of the mean from {n} replicates")
    write_curve(found, arguments.output)
    console.line(f"Rule: {VOXEL_RULES[found.rule]}")
    console.line(f"Curve: {arguments.output}")


def write_curve(curve: TimeCurve, path: Path) -> None:
    """Write a curve as a CSV table, atomically.

    Parameters
    ----------
    curve
        means of the frames
    path
        output file
    """
    write_atomically(curve.csv().encode(), path)


def _point(text: str) -> tuple[float, float, float]:
    if not (found := numbers_of(text, 3)):
        raise SettingsError(f"--at {text!r}: expected X,Y,Z in mm.")
    x, y, z = found
    return x, y, z
