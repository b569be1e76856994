"""`isocenter register`: align a μ-map or CT with the emission image."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from engine.analysis.registration.rigid import refuse_other_patient, register
from engine.cli.console import Console
from engine.cli.measure.mu_map import as_attenuation
from engine.cli.measure.number_lists import numbers_of
from engine.cli.outputs import add_force, add_identify, add_output
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.data.rigid_resampling import moved
from engine.geometry.rigid_motion import motion_of
from engine.io import WRITERS, can_save, default_suffixes, read_volume, save
from engine.io.volumes.straight_axes import facing
from engine.protocols.privacy.records import without_names


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter register`.

    The image needs to be without attenuation correction, which would show the body where the map
    is.
    """
    p = add_verb(verbs, "register")
    p.add_argument("map", type=Path, metavar="MAP", help="μ-map or CT, in any unit")
    p.add_argument(
        "image",
        type=Path,
        metavar="IMAGE",
        help="image of the scan, without attenuation correction",
    )
    add_output(
        p, f"output file: {default_suffixes(WRITERS)}", default="registered.nii.gz", place=True
    )
    p.add_argument(
        "--motion", metavar="X,Y,Z,A,B,C",
        help="manual motion: shift of the map centre in mm, and angles about x, y, z in "
        "degrees (default: found automatically)",
    )  # fmt: skip
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_register)


def _register(arguments: argparse.Namespace, console: Console) -> None:
    can_save(arguments.output)
    given = motion_of(_numbers(arguments.motion)) if arguments.motion else None
    image = read_volume(arguments.image)
    # The map may be stored with other axes than the image
    mu_map = facing(as_attenuation(read_volume(arguments.map), arguments.map.name), image)
    for note in mu_map.notes:
        console.note(f"{note}")
    # Aligning the CT of another patient would succeed, and be wrong
    refuse_other_patient(image, mu_map)
    if given is not None:
        motion = given
        record: Plain = {**motion.record(), "by": "hand"}
        console.line(f"{motion.describe()}, manual")
    else:
        found = register(image, mu_map)
        # "red": the fit is not better than before, or the motion is too large to be plausible
        if found.light == "red":
            raise DataError(f"{arguments.map.name}: {found.describe()}")
        motion, record = found.motion, {**found.record(), "by": "likeness"}
        console.line(found.describe())
    numbers = ",".join(f"{n:.3f}" for n in (*motion.shift_mm, *motion.turn_deg))
    # As an option: the same motion can be repeated or adjusted by hand
    console.line(f"same motion as an option: --motion={numbers}")
    volume = moved(mu_map, motion)
    info = volume.info if arguments.identify else without_names(volume.info)
    save(replace(volume, notes=()), arguments.output, {**info, "registration": record})
    console.line(f"μ-map: {arguments.output}")


def _numbers(text: str) -> tuple[float, ...]:
    if found := numbers_of(text, 6):
        return found
    raise SettingsError(
        f"--motion {text!r}: expected six numbers separated by commas: a shift X,Y,Z in mm and "
        "angles A,B,C in degrees."
    )
