"""A scan whose file holds the same datasets as one that was described: the description serves it.

Two files have the same structure where their arrays have the same names, as many axes, and whole or
broken numbers alike. Sizes may differ: another scan has other views. What the other description
says is offered and never taken unasked, since nothing in the files tells that the scanner stood as
before.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.core.settings import parse
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import toml_of
from engine.io.xray.array_files import arrays_in, holds_arrays
from engine.io.xray.array_names import SIGN
from engine.io.xray.sidecar.found import is_sidecar
from engine.io.xray.sidecar.settings import (
    AngleSettings,
    ConeSettings,
    ParallelSettings,
    Sidecar,
)
from engine.raw_import.answers import PARALLEL, Answers, answers_of
from engine.raw_import.references import NONE

MOST_LOOKED_AT = 60
Structure = frozenset[tuple[str, int, bool]]


def described_like(source: Path) -> Path | None:
    """Return a sidecar near a file that describes one of the same structure; None without one.

    It lies in the folder of the file, or in a folder beside that; the first by name counts.
    """
    try:
        if not holds_arrays(source) or not source.is_file():
            return None
        wanted = structure_of(source)
    except (EngineError, OSError):
        return None
    folder = source.absolute().parent
    near = [each for each in entries(folder.parent) if is_folder(each) and each != folder]
    texts = (
        each
        for place in (folder, *near[:MOST_LOOKED_AT])
        for each in entries(place)
        if each.suffix == ".toml"
    )
    for text, _ in zip(texts, range(MOST_LOOKED_AT), strict=False):
        try:
            described = _described(text, _settings(text))
            if described != source.absolute() and structure_of(described) == wanted:
                answers_like(text, source)
                return text
        except EngineError:
            continue
    return None


def structure_of(path: Path) -> Structure:
    """Return names, numbers of axes and kinds of the arrays in a file."""
    with open_input(path) as file:
        return frozenset(
            (each.name, len(each.shape), each.dtype.kind in "iu") for each in arrays_in(file)
        )


def answers_like(sidecar: Path, source: Path) -> Answers:
    """Return what the sidecar of another file says, as answers on this one.

    Raises
    ------
    FileFormatError
        where it is no description of a file of the same structure, or says what answers cannot
    """
    settings = _settings(sidecar)
    described = _described(sidecar, settings)
    if structure_of(described) != structure_of(source):
        raise FileFormatError(
            f"{sidecar.name}: describes {described.name}, whose datasets differ from "
            f"{source.name}; choose the description of a similar file."
        )
    g = settings.geometry
    if not isinstance(g, ConeSettings | ParallelSettings) or any(g.detector_shift_mm):
        raise _refused(sidecar, "vectors, or a detector shift")
    if isinstance(g, ConeSettings) and g.rise_mm_per_turn:
        raise _refused(sidecar, "a helix")
    if settings.reverse or settings.flip or not _views_first(settings):
        raise _refused(sidecar, "another order of its axes")
    beam = PARALLEL
    if isinstance(g, ConeSettings):
        beam = f"{g.source_axis_mm!r},{g.source_detector_mm!r}"
    return answers_of(
        {
            "array": _inner(settings.images),
            "flats": _inner(settings.flats) or NONE,
            "darks": _inner(settings.darks) or NONE,
            "kind": settings.kind,
            "scale": settings.scale,
            "white_level": None if settings.flats else settings.white_level,
            "angles": _angles(g.angles),
            "beam": beam,
            "pixel": None if g.pixel_mm is None else ",".join(repr(mm) for mm in g.pixel_mm),
            "clockwise": g.clockwise,
            "mirrored": g.columns == "left",
            "first_row": "bottom" if g.rows == "up" else "top",
            "axis_column": g.axis_column,
        }
    )


def _views_first(settings: Sidecar) -> bool:
    return settings.order[:1] == ("view",)


def _refused(sidecar: Path, what: str) -> FileFormatError:
    return FileFormatError(
        f"{sidecar.name}: contains {what}, which answers cannot express; copy it next to the new "
        "file, and change the file name in it."
    )


def _settings(sidecar: Path) -> Sidecar:
    with open_input(sidecar) as file:
        if not is_sidecar(file):
            raise FileFormatError(f"{file.name}: not a description of projections; choose one.")
        return parse(Sidecar, toml_of(file), where=file.name)


def _described(sidecar: Path, settings: Sidecar) -> Path:
    """Return the one file of arrays that a sidecar names."""
    names = {name.partition(SIGN)[0] for name in settings.images}
    name = names.pop()
    if names or not holds_arrays(Path(name)):
        raise FileFormatError(
            f"{sidecar.name}: does not describe a single array file; choose one that does."
        )
    return sidecar.absolute().parent / name


def _inner(names: tuple[str, ...] | None) -> str | None:
    return (names[0].partition(SIGN)[2] or None) if names else None


def _angles(given: AngleSettings) -> str | None:
    """Return a dataset, or first and step; None of a list of its own, which is asked for again."""
    if given.file is not None:
        return given.file.partition(SIGN)[2] or None
    return None if given.step is None else f"{given.first or 0.0!r}:{given.step!r}"
