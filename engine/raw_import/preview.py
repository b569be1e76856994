"""Preview a draft: one projection, one sinogram row, and the resulting middle slice.

Some views and the rows around the middle are enough, with binned columns. The steps from counts to
line integrals are those of a run. The slice is computed as in the corrections that check their own
result. The four readings are both senses of rotation, each with columns to the right and to the
left. For a cone beam two of them are blurred, and the others are mirror images of each other. For
parallel rays all four are sharp, and two are mirror images.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.corrections.preprocess import BadPixels, CentreOfRotation, FlatField, Logarithm
from engine.corrections.preprocess.central_slice import MARGIN, middle_slice
from engine.data.projections import Projections
from engine.io.folder import state_of
from engine.io.xray.sidecar.scan import SomeImages, orbit_of, read_some, some_projections
from engine.io.xray.sidecar.settings import Sidecar
from engine.raw_import.answers import Answers
from engine.raw_import.datasets import Dataset, datasets_of, small
from engine.raw_import.draft import Draft, draft_of
from engine.raw_import.similar_scan import answers_like, described_like

MAX_VIEWS, MAX_COLUMNS = 180, 192
MAX_INSPECTED = 100
"""Number of files whose modification times decide if cached images are still valid."""
ANY_GEOMETRY: Plain = {"kind": "parallel", "angles": {"step": 1.0}}
"""Geometry that is used where only stored values are read."""
FileStates = tuple[tuple[int, int] | None, ...]
STEPS = (FlatField(), BadPixels(), Logarithm())


@dataclass(frozen=True)
class Reading:
    """The middle slice for one sense of rotation and one direction of the columns.

    Attributes
    ----------
    clockwise, mirrored : as in the answers
    image : (n, n) float32
    """

    clockwise: bool
    mirrored: bool
    image: Array


@dataclass(frozen=True)
class ImportPreview:
    """Preview of a draft.

    Attributes
    ----------
    draft : the previewed draft
    projection : (rows, columns) a view as stored
    sinogram : (views, columns) line integrals of the middle row
    readings : the four readings, the first as in the draft
    note : sentence about missing parts of the images; empty if there are none
    fault : sentence that explains why there are no images or no draft; empty if there are
    datasets : arrays of the file
    like : description of a file with the same structure; None if there is none
    like_said : its content, as answers
    states : sizes and times of the files that were read, from `states_of`
    """

    draft: Draft | None
    projection: Array | None = None
    sinogram: Array | None = None
    readings: tuple[Reading, ...] = ()
    note: str = ""
    fault: str = ""
    datasets: tuple[Dataset, ...] = ()
    like: Path | None = None
    similar: Plain = field(default_factory=dict)
    states: FileStates = ()


def preview_of(
    source: Path, given: dict[str, object], *, with_images: bool = True
) -> ImportPreview:
    """Return a draft with its preview images.

    Parameters
    ----------
    source
        folder or file that the user selected
    given
        answers by key
    with_images
        True to compute the images

    Raises
    ------
    EngineError
        if there is no draft, and no dataset to choose from
    """
    datasets = datasets_of(source, with_previews=with_images)
    like = described_like(source)
    similar = answers_like(like, source).model_dump(exclude_none=True) if like else {}
    try:
        draft = draft_of(source, parse(Answers, given, where="The import"))
    except EngineError as e:
        if not datasets:
            # With a list of datasets the user can still choose the right one.
            raise
        found = ImportPreview(None, fault=str(e))
    else:
        states = states_of(draft)
        found = _with_images(draft) if with_images else ImportPreview(draft)
        found = replace(found, states=states)
    return replace(found, datasets=datasets, like=like, similar=similar)


def states_of(draft: Draft) -> FileStates:
    """Return sizes and modification times of the files of a draft, as they are now.

    Parameters
    ----------
    draft
        draft of a description; at most `MAX_INSPECTED` of its files count

    Returns
    -------
    states
        (bytes, ns since 1970) of each file, None for a missing one; empty if the draft names none
    """
    try:
        settings = parse(Sidecar, _complete(draft.table)[0], where=draft.path.name)
    except EngineError:
        return ()
    names = (*settings.images, *(settings.flats or ()), *(settings.darks or ()))
    return tuple(state_of(draft.path.parent / name) for name in names[:MAX_INSPECTED])


def _with_images(draft: Draft) -> ImportPreview:
    try:
        # A draft without images is better than none: its questions can still be answered.
        return _pictured(draft)
    except EngineError as e:
        return ImportPreview(draft, fault=str(e))


def _pictured(draft: Draft) -> ImportPreview:
    table, note = _complete(draft.table)
    settings = parse(Sidecar, table, where=draft.path.name)
    n_views, n_rows, _ = draft.shape
    # 180 views give a recognisable slice in a fraction of the time.
    views = np.unique(np.linspace(0, n_views - 1, min(n_views, MAX_VIEWS)).round().astype(int))
    chosen = [int(view) for view in views]
    rows = slice(max(n_rows // 2 - MARGIN, 0), n_rows // 2 + MARGIN + 1)
    scan = _read(settings, draft, chosen, rows)
    one = _read(settings, draft, chosen[:1], slice(0, n_rows))
    integrals = _integrals(scan)
    # Preprocessing is the same for all four readings, so it runs once.
    readings = []
    for clockwise, mirrored in _senses(settings):
        seen = _turned(settings, draft, integrals, chosen, rows, clockwise, mirrored)
        readings.append(Reading(clockwise, mirrored, _slice(seen)))
    sinogram = integrals.values.mean(axis=1)
    return ImportPreview(draft, small(one.values[0]), np.asarray(sinogram), tuple(readings), note)


def _read(settings: Sidecar, draft: Draft, views: list[int], rows: slice) -> Projections:
    """Return some projections; the last few parts that were read are cached."""
    # Answers about geometry and kind do not change stored values, so they are not in the key.
    stored = settings.model_dump_json(exclude={"geometry", "kind", "scale", "white_level"})
    files = (draft.path.parent / name for name in settings.images)
    # Otherwise thousands of files would be checked after every answer.
    states = tuple(state_of(file) for file in islice(files, MAX_INSPECTED))
    some = _cached_views(
        stored, draft.path, draft.shape[0], tuple(views), (rows.start, rows.stop), states
    )
    return some_projections(settings, draft.path, draft.shape, some)


@lru_cache(maxsize=4)
def _cached_views(
    stored: str,
    path: Path,
    n_views: int,
    views: tuple[int, ...],
    rows: tuple[int, int],
    states: tuple[object, ...],
) -> SomeImages:
    given = {**json.loads(stored), "kind": "counts", "geometry": ANY_GEOMETRY}
    settings = parse(Sidecar, given, where=path.name)
    return read_some(settings, path, n_views, views, slice(*rows))


def _complete(table: Plain) -> tuple[Plain, str]:
    """Return a table that can be read despite missing answers, and a note about them."""
    geometry = dict(table["geometry"])
    has_cone = geometry.get("kind") in ("cone", "fan") and "pixel_mm" in geometry
    if has_cone or geometry.get("kind") == "parallel":
        note = ""
    else:
        # Parallel rays need no distances, and show the object well enough to answer the rest.
        for key in ("source_axis_mm", "source_detector_mm"):
            geometry.pop(key, None)
        geometry["kind"] = "parallel"
        note = "Shown as parallel rays until beam and pixel size are known."
    return {**table, "geometry": geometry}, note


def _integrals(scan: Projections) -> Projections:
    """Return line integrals of a few rows, with binned columns."""
    on = cpu()
    # Skip steps that do not apply, such as the logarithm of line integrals.
    for step in STEPS:
        if step.obstacle(scan) is None:
            scan = step.apply(scan, on=on)
    k = -(-scan.shape[2] // MAX_COLUMNS)
    n = scan.shape[2] // k
    values = np.nan_to_num(scan.values, posinf=0.0, neginf=0.0)[..., : n * k]
    values = values.reshape(*scan.shape[:2], n, k).mean(axis=3)
    return replace(
        scan,
        values=np.ascontiguousarray(values, np.float32),
        geometry=scan.geometry.binned((1, k)),
        kind="integrals",
        flats=None,
        darks=None,
        bad_pixels=None,
    )


def _senses(settings: Sidecar) -> tuple[tuple[bool, bool], ...]:
    """Return the four readings as (clockwise, mirrored), that of the sidecar first."""
    g = settings.geometry
    now = bool(getattr(g, "clockwise", False)), getattr(g, "columns", "right") == "left"
    every = ((False, False), (True, False), (False, True), (True, True))
    return (now, *(each for each in every if each != now))


def _turned(
    settings: Sidecar,
    draft: Draft,
    integrals: Projections,
    views: list[int],
    rows: slice,
    clockwise: bool,
    mirrored: bool,
) -> Projections:
    changes = {"clockwise": clockwise, "columns": "left" if mirrored else "right"}
    geometry = settings.geometry.model_copy(update=changes)
    turned = settings.model_copy(update={"geometry": geometry})
    orbit = orbit_of(turned, draft.shape, draft.path)
    # A list of angles can be shorter than the scan; those views have no geometry.
    used = [view for view in views if view < orbit.n_views]
    k = -(-draft.shape[2] // MAX_COLUMNS)
    seen = orbit.select(used).cropped(rows, slice(None)).binned((1, k))
    return replace(integrals, values=integrals.values[: len(used)], geometry=seen)


def _slice(scan: Projections) -> Array:
    """Return the middle slice after a search for the axis."""
    on = cpu()
    # Without the axis, all four readings would be blurred and could not be compared.
    centre = CentreOfRotation()
    if centre.obstacle(scan) is None:
        scan = centre.apply(scan, on=on)
    return np.asarray(middle_slice(scan, on=on)[0])
