"""Angles of the views: as said, of an array, a text or names of files, or told from the views."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.errors import FileFormatError
from engine.importing.answers import Answers
from engine.importing.files import Material
from engine.importing.guess import Findings
from engine.importing.image_layout import ImageLayout
from engine.importing.turn import (
    ViewAngles,
    as_said,
    as_table,
    from_views,
    in_files,
    in_names,
    of_list,
)
from engine.io.xray.array_files import SIGN
from engine.plain import Plain

ANGLE_NAMES = ("ang", "theta", "rot", "phi")


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

    Raises
    ------
    EngineError
        where those that are said do not fit the scan
    """
    n_views = layout.shape[0]
    n_flats, n_darks = len(material.flats), len(material.darks)
    if answers.angles is not None and answers.angles.lstrip("/") in layout.arrays:
        turn = _of_dataset(answers.angles.lstrip("/"), layout, n_views, n_flats, n_darks)
        found.take("angles", turn.text, "as you say")
        return dict(turn.table)
    if answers.angles is not None:
        turn = as_said(answers.angles, n_views, material.folder, n_flats, n_darks)
        found.take("angles", turn.text, "as you say")
        return dict(turn.table)
    for stated in (
        _of_lists(layout, n_views, n_flats, n_darks),
        in_files(material.texts, material.folder, n_views, n_flats, n_darks),
        in_names(material.images) if len(material.images) == n_views else None,
    ):
        if stated is not None:
            found.take("angles", stated.text, stated.why)
            return dict(stated.table)
    profiles = _profiles(sample, str(table["kind"]))
    turn = from_views(profiles, n_views, parallel=parallel)
    if turn.is_sure:
        found.take("angles", turn.text, turn.why)
    else:
        text = "Over how many degrees did it turn? (180 or 360, FIRST:STEP, or a text file)"
        found.ask("angles", text, "", turn.why)
    return dict(turn.table)


def _of_lists(layout: ImageLayout, n_views: int, n_flats: int, n_darks: int) -> ViewAngles | None:
    """Return the angles of an array beside the projections."""
    for name, values in layout.lists.items():
        if any(word in name.lower() for word in ANGLE_NAMES):
            turn = of_list(values, n_views, n_flats, n_darks)
            if turn is not None:
                return ViewAngles(
                    {**_table_of(name, values, layout), **turn.table},
                    f"{name}: {turn.text}",
                    turn.why,
                )
    return None


def _of_dataset(
    said: str, layout: ImageLayout, n_views: int, n_flats: int, n_darks: int
) -> ViewAngles:
    """Return the angles of the array that the user names; refuse what cannot be angles."""
    stored = layout.arrays[said]
    name, values = stored.name, layout.lists.get(stored.name)
    if values is None:
        raise FileFormatError(
            f"{name}: is {' x '.join(map(str, stored.shape))}, the scan has {n_views:,} views; "
            "pick a list of as many angles."
        )
    turn = of_list(values, n_views, n_flats, n_darks)
    if turn is None:
        raise FileFormatError(
            f"{name}: its {len(values):,} numbers are no angles of {n_views:,} views, which differ "
            "from one another; pick another dataset."
        )
    return ViewAngles({**_table_of(name, values, layout), **turn.table}, turn.text, turn.why)


def _table_of(name: str, values: Array, layout: ImageLayout) -> dict[str, object]:
    """Return angles as the dataset that holds them, where others of its structure hold theirs."""
    if layout.holder:
        return {"file": f"{layout.holder}{SIGN}{name}"}
    return as_table(values)


def _profiles(sample: Array, kind: str) -> Array:
    """Return the mean row of each view, 0 in air."""
    finite = np.nan_to_num(sample.astype(np.float64), posinf=0.0, neginf=0.0)
    rows = finite.mean(axis=1)
    if kind == "integrals":
        return np.asarray(rows)
    return np.asarray(-np.log(np.maximum(rows, 1e-3) / max(float(rows.max()), 1e-3)))
