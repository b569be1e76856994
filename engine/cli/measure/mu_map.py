"""`isocenter mu-map`: a map of attenuation at 511 keV from a CT, classes of MR, or another unit."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import Output, add_force, add_identify
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.io import WRITERS, can_save, read_volume, save, usual_suffixes
from engine.io.auxiliary.mu_sum import TISSUES_PER_MM, added, of_classes
from engine.io.auxiliary.mu_units import HOUNSFIELD, MU_UNITS, PER_UNIT, in_per_mm, recognised
from engine.protocols.privacy.records import without_names


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "mu-map")
    p.add_argument(
        "volume", type=Path, metavar="IN", help="a CT or a map, a file or a DICOM folder"
    )
    p.add_argument("output", type=Path, action=Output, metavar="OUT", help=usual_suffixes(WRITERS))
    p.add_argument("--unit", choices=MU_UNITS, default="", help="of the values, if they mislead")
    p.add_argument("--kvp", type=float, default=0.0, metavar="KV", help="of the CT's tube")
    p.add_argument(
        "--classes", metavar="N=MU,...",
        help="of a segmented image: number of each class and its attenuation in 1/mm, or one of "
        + ", ".join(TISSUES_PER_MM),
    )  # fmt: skip
    p.add_argument(
        "--add", type=Path, action="append", default=[], metavar="MAP",
        help="map of the bed or of a coil, in any unit; may be repeated",
    )  # fmt: skip
    add_force(p)
    add_identify(p)
    p.set_defaults(act=_make)


def _make(arguments: argparse.Namespace, console: Console) -> None:
    can_save(arguments.output)
    volume = read_volume(arguments.volume)
    name = arguments.volume.name
    if arguments.classes:
        found = of_classes(volume, _classes(arguments.classes), name)
    else:
        found = as_attenuation(volume, name, arguments.unit, arguments.kvp)
    others = [as_attenuation(read_volume(path), path.name) for path in arguments.add]
    notes = (*found.notes, *(note for each in others for note in each.notes))
    total = added(found, others) if others else found
    for note in notes:
        console.line(f"note: {note}")
    info = total.info if arguments.identify else without_names(total.info)
    info = {**info, "mu_map": {"added": len(others), "unit_said": arguments.unit}}
    save(replace(total, notes=()), arguments.output, info)
    console.line(f"μ-map: {arguments.output}, up to {float(total.values.max()):.4f} {total.unit}")


def as_attenuation(volume: Volume, name: str, unit: str = "", kilovolts: float = 0.0) -> Volume:
    """Return a volume of any unit as a map in 1/mm; refuse what is none."""
    found = recognised(volume, name, unit)
    if found is None:
        raise DataError(
            f"{name}: values from {float(volume.values.min()):g} to {float(volume.values.max()):g} "
            f"{volume.unit or 'in a unit that nobody says'} look like no attenuation; say the "
            f"unit (--unit {HOUNSFIELD}, {', '.join(PER_UNIT)}), or the classes of a segmented "
            "image (--classes)."
        )
    return in_per_mm(volume, found, name, kilovolts)


def _classes(text: str) -> dict[int, float]:
    """Return the attenuation [1/mm] of each class: "1=lung,2=0.0085"."""
    found = {}
    for part in text.split(","):
        number, _, value = part.partition("=")
        try:
            found[int(number)] = TISSUES_PER_MM.get(value.strip(), -1.0)
            if found[int(number)] < 0:
                found[int(number)] = float(value)
        except ValueError as e:
            raise DataError(
                f"--classes: {part!r} is no class, want NUMBER=ATTENUATION in 1/mm, or "
                f"NUMBER={'|'.join(TISSUES_PER_MM)}, with commas between."
            ) from e
    if not all(0 <= value <= 1 for value in found.values()):
        raise DataError("--classes: attenuation is in 1/mm, soft tissue has 0.01; correct it.")
    return found
