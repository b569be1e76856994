"""Draft of a sidecar: assumptions, answers of the user, and open questions.

At most five questions remain: size of raw images, kind of values, angles, beam and pixel size.
Images do not show the direction of rotation or that of columns. The default is assumed, and the
window shows all four readings.

The pixel size is that of the TIFF tags, unless it is the default of a program that does not know
it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError, EngineError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.io.folder import is_folder
from engine.io.safety.open_input import open_input
from engine.io.text.lengths import MM_OF
from engine.io.xray.sidecar import FORMAT
from engine.io.xray.sidecar.images import some_images
from engine.io.xray.sidecar.settings import VERSION, Sidecar
from engine.io.xray.tiff import DAMAGE, is_tiff
from engine.raw_import.angles import angles_of
from engine.raw_import.answers import PARALLEL, Answers
from engine.raw_import.files import Material, material_of
from engine.raw_import.guess import Findings, Guess, Question
from engine.raw_import.image_layout import ImageLayout, names_of
from engine.raw_import.layout import layout_of
from engine.raw_import.raw_shape import RawShape
from engine.raw_import.references import note_references, with_given_references
from engine.raw_import.rotation import (
    sampled,
)
from engine.raw_import.values import Values, values_of

BEAM_QUESTION = (
    "Which beam? Enter `parallel`, or the distances from the source to the rotation axis and to "
    "the detector in mm, such as 100,400"
)
# Five rows are enough for the air level and the similarity of views.
SAMPLED_ROWS = 5
Pixel = tuple[float, float]
MM_PER_UNIT = {2: 25.4, 3: 10.0}
"""Inch and centimetre, by the value of the tag ResolutionUnit (TIFF 6.0, section 8)."""
MM_PER_WORD = {**MM_OF, "\\u00b5m": MM_OF["um"]}
SCREEN_DPI = (1.0, 28.0, 72.0, 75.0, 90.0, 96.0, 100.0, 118.0, 120.0, 150.0, 200.0, 300.0, 600.0)
"""Screen and print resolutions that programs write if they do not know the pixel size."""
SMALLEST_MM, LARGEST_MM = 1e-6, 10.0
UNIT = re.compile(r"^unit=(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Draft:
    """Draft of the settings of a sidecar.

    Attributes
    ----------
    path : where it will be written
    table : its content; complete only if no question without a proposal remains
    shape : (views, rows, columns)
    guesses : assumptions with their reasons
    questions : remaining questions, in order
    shapes : possible sizes of a raw file, the best first
    """

    path: Path
    table: Plain
    shape: tuple[int, int, int]
    guesses: tuple[Guess, ...]
    questions: tuple[Question, ...]
    shapes: tuple[RawShape, ...] = ()

    @property
    def settings(self) -> Sidecar:
        """The checked sidecar; raises `SettingsError` if something is missing."""
        return parse(Sidecar, self.table, where=self.path.name)


def draft_of(source: Path, answers: Answers | None = None) -> Draft:
    """Return a draft of the sidecar of a folder, an image or a raw file.

    Parameters
    ----------
    source
        folder or file that the user selected
    answers
        answers so far; None for none

    Raises
    ------
    EngineError
        if there is no scan, or its files do not match
    """
    answers = answers or Answers()
    found = Findings()
    # References come before the layout, because angle lists can include their images.
    material = with_given_references(material_of(source), answers)
    layout = layout_of(material, answers, found)
    note_references(material, answers, found)
    path = material.folder / f"{_name_of(source, material)}.toml"
    table: Plain = {"format": FORMAT, "version": VERSION, **layout.table}
    for role in ("flats", "darks"):
        files = getattr(material, role)
        if files:
            table[role] = names_of(files, material.folder)
    # Values are read as stored; only then can their kind be guessed.
    sample = _sample(table, layout, path)
    _kind(table, layout, sample, answers, found)
    # Angles need the kind of the values, so the geometry comes last.
    geometry = _geometry(material, layout, sample, answers, found, table)
    table["geometry"] = geometry
    return Draft(
        path, table, layout.shape, tuple(found.guesses), tuple(found.questions), layout.shapes
    )


def _name_of(source: Path, material: Material) -> str:
    source = source.absolute()
    if len(material.images) == 1:
        # A single file gives the sidecar its own name, so that both are found together.
        return material.images[0].stem
    return source.name if is_folder(source) else source.stem


def _sample(table: Plain, layout: ImageLayout, path: Path) -> Array:
    """Return the middle rows of the first and last views, and of some in between."""
    n_views, n_rows, _ = layout.shape
    # Reading needs some geometry; it does not change the stored values.
    parallel = {"kind": "parallel", "angles": {"step": 1.0}}
    settings = parse(Sidecar, {**table, "kind": "counts", "geometry": parallel}, where=path.name)
    middle = n_rows // 2
    rows = slice(max(middle - SAMPLED_ROWS // 2, 0), middle + SAMPLED_ROWS // 2 + 1)
    return some_images(settings, settings.images, path, sampled(n_views), rows)


def _kind(
    table: Plain, layout: ImageLayout, sample: Array, answers: Answers, found: Findings
) -> None:
    """Record the kind of the values, and their scale or the level of the open beam."""
    # Exports of failed scans contain only NaN, which no question could resolve.
    if not np.isfinite(sample).any():
        raise DataError(
            f"{layout.table.get('file', layout.table.get('files'))}: all values in the first and "
            "last views are infinite or NaN; export the scan again."
        )
    has_flats = "flats" in table
    guess = values_of(sample, whole_numbers=layout.whole_numbers, has_flats=has_flats)
    kind = answers.kind or guess.kind
    table["kind"] = kind
    scale = answers.scale
    if answers.kind is not None:
        found.take("kind", kind, "your input")
    elif guess.is_sure or guess.needs_scale or scale is not None:
        # A confirmed scale implies that the values are line integrals.
        found.take("kind", kind, guess.why)
    else:
        found.ask("kind", _kind_question(guess), kind, guess.why)
    # Without flats, counts need an open-beam level: answered, found in the air, or the maximum.
    if kind == "counts" and not has_flats:
        level = answers.white_level or guess.white_level or float(sample[np.isfinite(sample)].max())
        table["white_level"] = level
        why = "your input" if answers.white_level else guess.why
        found.take(
            "white_level", f"{level:,.0f} counts" if level >= 100 else f"{level:.3g} counts", why
        )
    elif answers.white_level is not None:
        table["white_level"] = answers.white_level
    if kind != "counts" and scale is not None:
        table["scale"] = scale
        found.take("scale", f"{scale:g}", "your input")
    elif kind == "integrals" and guess.needs_scale:
        # No proposal: each vendor has its own factor, and a wrong one gives plausible images.
        found.ask(
            "scale", "Which factor converts stored values to line integrals −ln(I/I0)? (0.001)"
        )


def _kind_question(guess: Values) -> str:
    return f"What are the values: counts, transmission or integrals? ({guess.why})"


def _geometry(
    material: Material,
    layout: ImageLayout,
    sample: Array,
    answers: Answers,
    found: Findings,
    table: Plain,
) -> Plain:
    is_parallel = answers.beam == PARALLEL
    geometry: Plain = {
        "angles": angles_of(material, layout, sample, answers, found, table, parallel=is_parallel)
    }
    distances = answers.distances_mm
    if answers.beam is None:
        found.ask("beam", BEAM_QUESTION)
    elif distances is None:
        geometry["kind"] = "parallel"
        found.take("beam", "parallel", "your input")
    else:
        # A single detector row in a fan beam has no cone angle.
        geometry["kind"] = "fan" if layout.shape[1] == 1 else "cone"
        geometry["source_axis_mm"], geometry["source_detector_mm"] = distances
        text = "axis {:g} mm and detector {:g} mm from the source".format(*distances)
        found.take("beam", text, "your input")
    _pixel(geometry, material, answers, found)
    # These three are always written, so that a reader of the sidecar sees what was assumed.
    geometry["columns"] = "left" if answers.mirrored else "right"
    geometry["rows"] = "up" if answers.first_row == "bottom" else "down"
    geometry["clockwise"] = bool(answers.clockwise)
    direction = "clockwise" if answers.clockwise else "counter-clockwise"
    # A mirrored object looks perfectly sharp, so only the user can notice it.
    why = (
        "default, because images do not show the direction of rotation; check that the object is "
        "not mirrored"
    )
    if answers.clockwise is not None or answers.mirrored is not None:
        why = "your input"
    found.take("clockwise", f"{direction}, columns to the {geometry['columns']}", why)
    why = "your input" if answers.first_row else "the default of most images"
    found.take("first_row", answers.first_row or "top", why)
    if answers.axis_column is not None:
        geometry["axis_column"] = answers.axis_column
    return geometry


def _pixel(geometry: Plain, material: Material, answers: Answers, found: Findings) -> None:
    # A user's value has priority over the TIFF tag, which is often the resolution of a screen.
    stated, tagged = answers.pixel_mm, pixel_of(material.images[0])
    pixel = stated or tagged
    if pixel is not None:
        geometry["pixel_mm"] = list(pixel)
        why = "your input" if stated else "the TIFF resolution, used as that of the detector"
        found.take("pixel", f"{pixel[0]:g} × {pixel[1]:g} mm", why)
        return
    found.ask("pixel", "What is the pixel width of the detector in mm? (0.05, or 0.05,0.06)")


def pixel_of(path: Path) -> Pixel | None:
    """Return width and height of a pixel [mm] from the tags of a TIFF image.

    Parameters
    ----------
    path
        image file

    Returns
    -------
    pixel
        None if the tags state no size, or only that of a screen
    """
    try:
        with open_input(path) as file:
            if not is_tiff(file.head):
                return None
            import tifffile

            # is_ome=False: the OME reader would search for the other files of a series.
            with tifffile.TiffFile(file.stream(), name=file.name, is_ome=False) as images:
                page = images.pages.first
                tags = page.tags
                found = [tags.get(name) for name in ("XResolution", "YResolution")]
                unit = tags.get("ResolutionUnit")
                words = page.description or ""
                values = [tuple(tag.value) for tag in found if tag is not None]
                # Without ResolutionUnit, TIFF 6.0 assumes inches; but most such files have no real
                # size.
                number = int(unit.value) if unit is not None else 1
    except (EngineError, *DAMAGE):
        return None
    if len(values) != 2 or any(len(each) != 2 or not all(each) for each in values):
        return None
    per_unit = [float(n) / float(d) for n, d in values]
    # ImageJ writes its own unit into the description, because TIFF has none below a centimetre.
    word = UNIT.search(words) if words.startswith("ImageJ=") else None
    mm = MM_PER_WORD.get(word[1].lower()) if word else MM_PER_UNIT.get(number)
    if mm is None or (not word and any(_is_default(each) for each in per_unit)):
        return None
    width, height = (mm / each for each in per_unit)
    # Values outside the range are damaged or misused tags.
    is_possible = all(SMALLEST_MM <= each <= LARGEST_MM for each in (width, height))
    return (width, height) if is_possible else None


def _is_default(per_unit: float) -> bool:
    return any(abs(per_unit - each) < 0.6 for each in SCREEN_DPI)
