"""`isocenter mu-map`: convert a CT, MR classes or a map in any unit to a μ-map at 511 keV."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from engine.cli.console import Console
from engine.cli.outputs import add_force, add_identify, add_output
from engine.cli.parser import excludes
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, SettingsError
from engine.data.volume import Volume
from engine.io import WRITERS, can_save, default_suffixes, read_volume, save
from engine.io.auxiliary.mu_map import TISSUES_PER_MM, added, of_classes
from engine.io.auxiliary.mu_units import HOUNSFIELD, MU_UNITS, PER_UNIT, in_per_mm, recognised
from engine.protocols.privacy.records import without_names


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter mu-map`.

    Scans with attenuation correction read the map that it writes.
    """
    p = add_verb(verbs, "mu-map")
    p.add_argument(
        "volume", type=Path, metavar="IN", help="CT, μ-map or MR classes: a file or a DICOM folder"
    )
    add_output(p, f"output file: {default_suffixes(WRITERS)}", default="mu-map.nii.gz", place=True)
    p.add_argument(
        "--unit", choices=MU_UNITS, default="", help="unit of the values (default: recognised)"
    )
    p.add_argument(
        "--kvp",
        type=float,
        metavar="KV",
        help="tube voltage of the CT (default: that of the file)",
    )
    p.add_argument(
        "--classes", metavar="N=MU,...",
        help="for a segmented image: class numbers with their attenuation in 1/mm, or one of "
        f"{', '.join(TISSUES_PER_MM)} (default: no classes)",
    )  # fmt: skip
    p.add_argument(
        "--add", type=Path, action="append", default=[], metavar="MAP",
        help="μ-map of the bed or a coil, in any unit; can be repeated",
    )  # fmt: skip
    add_force(p)
    add_identify(p)
    excludes(p, "--classes", "--unit", "--kvp")
    p.set_defaults(act=_make)


def _make(arguments: argparse.Namespace, console: Console) -> None:
    # Tested before the work: not every format can store a μ-map
    can_save(arguments.output)
    volume = read_volume(arguments.volume)
    name = arguments.volume.name
    if arguments.classes:
        found = of_classes(volume, _classes(arguments.classes), name)
    else:
        if arguments.kvp == 0:  # which means elsewhere that the file states it
            raise SettingsError("--kvp 0: expected the tube voltage in kV, more than 0.")
        found = as_attenuation(volume, name, arguments.unit, arguments.kvp or 0.0)
    # The hardware is not in a CT of the patient, so its maps are added
    others = [as_attenuation(read_volume(path), path.name) for path in arguments.add]
    notes = (*found.notes, *(note for each in others for note in each.notes))
    total = added(found, others) if others else found
    for note in notes:
        console.note(f"{note}")
    info = total.info if arguments.identify else without_names(total.info)
    # Recorded, since a wrong unit of the input is the usual cause of a wrong map
    info = {**info, "mu_map": {"added": len(others), "unit_said": arguments.unit}}
    # The notes are printed already, and do not belong into the file
    save(replace(total, notes=()), arguments.output, info)
    console.line(f"μ-map: {arguments.output}, up to {float(total.values.max()):.4f} {total.unit}")


def as_attenuation(volume: Volume, name: str, unit: str = "", kilovolts: float = 0.0) -> Volume:
    """Convert a volume in any unit to a μ-map in 1/mm.

    Parameters
    ----------
    volume
        CT or μ-map
    name
        file name, for messages
    unit
        unit of the values; empty to recognise it
    kilovolts
        tube voltage of a CT in kV; 0 if unknown

    Raises
    ------
    DataError
        if the values are not recognised as attenuation
    """
    found = recognised(volume, name, unit)
    if found is not None and kilovolts and found.unit != HOUNSFIELD:
        raise DataError(
            f"{name}: the tube voltage is for CT numbers, but the unit is {found.unit}. Remove "
            "--kvp, or correct --unit."
        )
    if found is None:
        raise DataError(
            f"{name}: values from {float(volume.values.min()):g} to {float(volume.values.max()):g} "
            f"(unit: {volume.unit or 'unknown'}) do not look like attenuation. Give the unit "
            f"(--unit {HOUNSFIELD}, {', '.join(PER_UNIT)}), or the classes of a segmented image "
            "(--classes)."
        )
    return in_per_mm(volume, found, name, kilovolts)


def _classes(text: str) -> dict[int, float]:
    """Parse the attenuation of each class in 1/mm, such as "1=lung,2=0.0085"."""
    found = {}
    for part in text.split(","):
        number, _, value = part.partition("=")
        try:
            # -1 marks a value that is not the name of a tissue
            found[int(number)] = TISSUES_PER_MM.get(value.strip(), -1.0)
            if found[int(number)] < 0:
                found[int(number)] = float(value)
        except ValueError as e:
            raise DataError(
                f"--classes: {part!r} is not valid. Expected NUMBER=ATTENUATION in 1/mm, or "
                f"NUMBER={'|'.join(TISSUES_PER_MM)}, separated by commas."
            ) from e
    wrong = [value for value in found.values() if not 0 <= value <= 1]
    if wrong:
        raise DataError(
            f"--classes: the attenuation is {wrong[0]:g} per mm, expected 0 to 1. Soft tissue is "
            "about 0.01 per mm."
        )
    return found
