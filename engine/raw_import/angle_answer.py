"""Angles as answered by the user: total degrees, FIRST:STEP, a text, an array, or `names`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import EngineError, SettingsError
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.array_files import array_of
from engine.io.xray.array_names import SIGN
from engine.io.xray.text.angle_text import Puzzle, angles_in_text, text_content
from engine.raw_import.angle_evidence import ImageCounts, in_file
from engine.raw_import.angle_names import angles_in_names
from engine.raw_import.answers import AUTO
from engine.raw_import.files import Material
from engine.raw_import.rotation import ViewAngles, as_table, even, of_list

NAMES = "names"


def answered_angles(answer: str, material: Material, counts: ImageCounts) -> ViewAngles:
    """Return the angles that an answer means.

    Parameters
    ----------
    answer
        text of the user
    material
        files of the scan
    counts
        number of images by role

    Raises
    ------
    SettingsError
        if the answer cannot be understood, or does not fit the scan
    """
    # Numbers first: a file called "360" is less likely than 360 degrees.
    numbers = _in_numbers(answer, counts)
    if numbers is not None:
        return numbers
    if answer == NAMES:
        return _of_names(material, counts)
    name, _, inner = answer.partition(SIGN)
    # The folder of the scan first: names in a sidecar are relative to it.
    path = next((each for each in (material.folder / name, Path(name)) if each.is_file()), None)
    if path is None:
        raise SettingsError(
            f"--angles {answer!r}: expected the total angle in degrees (360), FIRST:STEP (0:0.5), "
            "the name of a text file (angles.txt, or scan.csv#2 for column 2), or `names`."
        )
    try:
        with open_input(path) as file:
            return _of_file(file, _inside(path, material.folder), inner, counts)
    except EngineError as e:
        raise SettingsError(str(e)) from e


def _in_numbers(answer: str, counts: ImageCounts) -> ViewAngles | None:
    first, colon, step = answer.partition(":")
    try:
        if colon:
            start, by = float(first), float(step)
            text = f"from {start:g}° in steps of {by:g}°"
            return ViewAngles({"first": start, "step": by}, text, "")
        n_views = counts.n_views
        # 181 views over 180° are one per degree with both ends; 180 views end one step early.
        with_end = answer in AUTO and n_views > 1 and (n_views - 1) % 90 == 0
        return even(float(answer), n_views, with_end=with_end)
    except ValueError:
        return None


def _of_names(material: Material, counts: ImageCounts) -> ViewAngles:
    # One name per view is required; in a stack of pages, names say nothing about views.
    is_each = len(material.images) == counts.n_views
    found = angles_in_names(material.images) if is_each else None
    if found is None:
        raise SettingsError(
            f"{material.images[0].name}: the file names contain no number that changes from view "
            "to view; give the angles with --angles FILE."
        )
    return found


def _of_file(file: InputFile, name: str, inner: str, counts: ImageCounts) -> ViewAngles:
    # Without a chosen column, the same search as for evidence finds the list in the file.
    found = None if inner else in_file(file, name, counts)
    if isinstance(found, ViewAngles):
        return found
    if isinstance(found, Puzzle):
        raise SettingsError(found.text)
    if text_content(file) is None:
        values, unit = np.asarray(array_of(file, inner), np.float64), None
    else:
        listed = angles_in_text(file, counts.lengths, inner)
        values, unit = listed.values, listed.unit
    turn = of_list(values, counts.n_views, counts.n_flats, counts.n_darks, stated=unit)
    if turn is None or turn.degrees is None:
        raise SettingsError(
            f"{name}: the list has {values.size:,} angles, but the scan has {counts.n_views:,} "
            f"views, {counts.n_flats:,} flats and {counts.n_darks:,} darks; give one angle for "
            "each view, or for each image."
        )
    return ViewAngles(as_table(turn.degrees), f"{name}: {turn.text}", "", degrees=turn.degrees)


def _inside(path: Path, folder: Path) -> str:
    try:
        # A sidecar contains relative names, so that the folder can be moved.
        return path.absolute().relative_to(folder.absolute()).as_posix()
    except ValueError as e:
        raise SettingsError(
            f"{path}: the file with the angles must be in the folder of the scan ({folder.name}); "
            "copy it there."
        ) from e
