"""Angles of the views: the user's answer, the files, or the views themselves."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.xray.array_names import SIGN
from engine.io.xray.text.angle_text import Puzzle
from engine.raw_import.angle_answer import answered_angles
from engine.raw_import.angle_evidence import ImageCounts, evidence
from engine.raw_import.answers import Answers
from engine.raw_import.files import Material
from engine.raw_import.guess import Findings
from engine.raw_import.image_layout import ImageLayout
from engine.raw_import.rotation import ViewAngles, as_table, from_views, of_list

QUESTION = (
    "What is the total angle in degrees? (180 or 360, FIRST:STEP, a text file, or `names` if the "
    "file names contain the angles)"
)
REMEDY = "for uneven steps, use --angles FILE"


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
    # The question repeats the puzzle, so that the user knows which file raised it.
    if isinstance(stated, Puzzle):
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
