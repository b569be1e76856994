"""Reuse the description of a file with the same datasets.

Two files have the same structure if their arrays have the same names, the same number of axes, and
integers or floating-point values alike. Sizes may differ, because another scan has other views. The
other description is only offered: nothing in the files shows that the scanner was set up as before.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import EngineError, FileFormatError
from engine.core.settings import parse
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import toml_of
from engine.io.xray.array_files import arrays_in, holds_arrays
from engine.io.xray.names import SIGN
from engine.io.xray.sidecar.found import is_sidecar
from engine.io.xray.sidecar.settings import (
    AngleSettings,
    ConeSettings,
    ParallelSettings,
    Sidecar,
)
from engine.raw_import.answers import PARALLEL, Answers, answers_of
from engine.raw_import.references import NONE

MAX_INSPECTED = 60
COPY_IT = "Copy the description next to the new file, and change the file name in it."
Structure = frozenset[tuple[str, int, bool]]


def described_like(source: Path) -> Path | None:
    """Return a sidecar nearby that describes a file with the same structure; None if there is none.

    It is in the folder of the file, or in an adjacent folder. The first by name counts.

    Parameters
    ----------
    source
        array file without a description
    """
    try:
        if not holds_arrays(source) or not source.is_file():
            return None
        wanted = structure_of(source)
    except (EngineError, OSError):
        # This is only an offer, so an unreadable file means that there is none.
        return None
    folder = source.absolute().parent
    near = [each for each in entries(folder.parent) if is_folder(each) and each != folder]
    texts = (
        each
        for place in (folder, *near[:MAX_INSPECTED])
        for each in entries(place)
        if each.suffix == ".toml"
    )
    # The limit keeps the dialog quick in folders with many scans.
    for text, _ in zip(texts, range(MAX_INSPECTED), strict=False):
        try:
            described = _described(text, _settings(text))
            if described != source.absolute() and structure_of(described) == wanted:
                # A description that cannot be expressed as answers is of no use for the offer.
                answers_like(text, source)
                return text
        except EngineError:
            continue
    return None


def structure_of(path: Path) -> Structure:
    """Return names, numbers of axes and kinds of the arrays in a file.

    Parameters
    ----------
    path
        NumPy, MATLAB or HDF5 file
    """
    with open_input(path) as file:
        return frozenset(
            (each.name, len(each.shape), each.dtype.kind in "iu") for each in arrays_in(file)
        )


def answers_like(sidecar: Path, source: Path) -> Answers:
    """Return the content of the sidecar of another file as answers for this one.

    Parameters
    ----------
    sidecar
        description of the other file
    source
        file to import

    Raises
    ------
    FileFormatError
        if it does not describe a file with the same structure, or contains more than answers can
    """
    settings = _settings(sidecar)
    described = _described(sidecar, settings)
    if structure_of(described) != structure_of(source):
        raise FileFormatError(
            f"{sidecar.name}: this description is for {described.name}, but {source.name} "
            "contains other datasets; choose the description of a file with the same datasets."
        )
    g = settings.geometry
    # Answers cover circular orbits without a shift; anything else would be lost silently.
    if not isinstance(g, ConeSettings | ParallelSettings) or any(g.detector_shift_mm):
        raise FileFormatError(
            f"{sidecar.name}: the import questions cannot express vectors or a detector shift. "
            f"{COPY_IT}"
        )
    if isinstance(g, ConeSettings) and g.rise_mm_per_turn:
        raise FileFormatError(
            f"{sidecar.name}: the import questions cannot express a helix. {COPY_IT}"
        )
    if settings.reverse or settings.flip or settings.order[:1] != ("view",):
        raise FileFormatError(
            f"{sidecar.name}: the import questions cannot express this order of axes. {COPY_IT}"
        )
    beam = PARALLEL
    if isinstance(g, ConeSettings):
        # repr() keeps every digit, so that both scans have exactly the same geometry.
        beam = f"{g.source_axis_mm!r},{g.source_detector_mm!r}"
    return answers_of(
        {
            "array": _inner(settings.images),
            "flats": _inner(settings.flats) or NONE,
            "darks": _inner(settings.darks) or NONE,
            "kind": settings.kind,
            "scale": settings.scale,
            # A sidecar with flats may state the level of another exposure.
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


def _settings(sidecar: Path) -> Sidecar:
    with open_input(sidecar) as file:
        if not is_sidecar(file):
            raise FileFormatError(
                f"{file.name}: this file is not a description of projections; choose a "
                "description file."
            )
        return parse(Sidecar, toml_of(file), where=file.name)


def _described(sidecar: Path, settings: Sidecar) -> Path:
    """Return the single array file that a sidecar names."""
    names = {name.partition(SIGN)[0] for name in settings.images}
    name = names.pop()
    if names or not holds_arrays(Path(name)):
        raise FileFormatError(
            f"{sidecar.name}: this description is for image files or several array files; "
            "choose the description of a scan in a single array file."
        )
    return sidecar.absolute().parent / name


def _inner(names: tuple[str, ...] | None) -> str | None:
    return (names[0].partition(SIGN)[2] or None) if names else None


def _angles(given: AngleSettings) -> str | None:
    """Return a dataset, or first angle and step.

    None for a list of numbers, which must be asked again.
    """
    if given.file is not None:
        return given.file.partition(SIGN)[2] or None
    return None if given.step is None else f"{given.first or 0.0!r}:{given.step!r}"
