"""Angles of the views: the user's answer, the files, or the views themselves.

The user answers with the total degrees, FIRST:STEP, a text, an array, or `names`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import EngineError, FileFormatError, SettingsError
from engine.core.json_types import Plain
from engine.io.folder import is_file
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.array_files import array_of
from engine.io.xray.names import SIGN
from engine.io.xray.text.angle_text import UnclearAngles, angles_in_text, text_content
from engine.raw_import.angle_evidence import ImageCounts, angles_in_names, evidence, in_file
from engine.raw_import.answers import AUTO, Answers
from engine.raw_import.files import Material
from engine.raw_import.guess import Findings
from engine.raw_import.image_layout import ImageLayout
from engine.raw_import.rotation import ViewAngles, as_table, even, from_views, of_list

QUESTION = (
    "What is the total angle in degrees? (180 or 360, FIRST:STEP, a text file, or `names` if the "
    "file names contain the angles)"
)
REMEDY = "for uneven steps, use --angles FILE"
NAMES = "names"


def angles_of(
    material: Material,
    layout: ImageLayout,
    sample: Array,
    answers: Answers,
    found: Findings,
    table: Plain,
    *,
    parallel: bool,
) -> Plain:
    """Return the angles as the table of a sidecar, or ask for them.

    Parameters
    ----------
    material
        files of the scan
    layout
        arrays and sizes of the images
    sample
        rows of the first and last views, see `sampled`
    answers
        answers of the user
    found
        receives the guess or the question
    table
        sidecar so far, for the kind of the values
    parallel
        True if the user has stated a parallel beam

    Raises
    ------
    EngineError
        if the user's answer does not fit the scan
    """
    counts = ImageCounts(layout.shape[0], len(material.flats), len(material.darks))
    if answers.angles is not None:
        turn = _answered(answers.angles, material, layout, counts)
        found.take("angles", turn.text, "your input")
        return dict(turn.table)
    stated = evidence(material, layout, counts)
    if isinstance(stated, ViewAngles):
        found.take("angles", stated.text, stated.why)
        return dict(stated.table)
    # The images can only tell half a turn from a whole one; even steps remain an assumption.
    turn = from_views(_profiles(sample, str(table["kind"])), counts.n_views, parallel=parallel)
    turn = turn.assumed()
    # The question repeats the evidence, so that the user knows which file raised it.
    if isinstance(stated, UnclearAngles):
        found.ask("angles", f"{stated.text} {QUESTION}", "", stated.text)
    elif turn.is_sure:
        found.take("angles", turn.text, f"{turn.why}; {REMEDY}")
    else:
        found.ask("angles", QUESTION, "", turn.why)
    return dict(turn.table)


def _answered(
    answer: str, material: Material, layout: ImageLayout, counts: ImageCounts
) -> ViewAngles:
    # The name of a dataset has priority over a file with the same name.
    if answer.lstrip("/") in layout.arrays:
        return _of_dataset(answer.lstrip("/"), layout, counts)
    return answered_angles(answer, material, counts)


def _of_dataset(answer: str, layout: ImageLayout, counts: ImageCounts) -> ViewAngles:
    """Return the angles of the array that the user names; refuse arrays that cannot be angles."""
    stored = layout.arrays[answer]
    name, values = stored.name, layout.lists.get(stored.name)
    if values is None or values.size < counts.n_views:
        raise FileFormatError(
            f"{name}: the dataset has {' x '.join(map(str, stored.shape))} values, but the scan "
            f"has {counts.n_views:,} views; choose a list with one angle for each view."
        )
    turn = of_list(values, counts.n_views, counts.n_flats, counts.n_darks)
    if turn is None:
        raise FileFormatError(
            f"{name}: the dataset has {values.size:,} values, expected one finite angle for each "
            f"of the {counts.n_views:,} views, not all equal; choose another dataset."
        )
    return ViewAngles({**_table_of(name, values, layout), **turn.table}, turn.text, turn.why)


def _table_of(name: str, values: Array, layout: ImageLayout) -> dict[str, object]:
    """Return angles as the dataset that contains them, for files of HDF5; otherwise as numbers."""
    if layout.holder:
        return {"file": f"{layout.holder}{SIGN}{name}"}
    return as_table(values.reshape(-1))


def _profiles(sample: Array, kind: str) -> Array:
    """Return the mean row of each view, 0 in air."""
    finite = np.nan_to_num(sample.astype(np.float64), posinf=0.0, neginf=0.0)
    rows = finite.mean(axis=1)
    if kind == "integrals":
        return np.asarray(rows)
    # A logarithm makes counts comparable with line integrals; the brightest value stands for air.
    return np.asarray(-np.log(np.maximum(rows, 1e-3) / max(float(rows.max()), 1e-3)))


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
    path = next((each for each in (material.folder / name, Path(name)) if is_file(each)), None)
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
    if isinstance(found, UnclearAngles):
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
