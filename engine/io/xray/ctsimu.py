"""CTSimU scans: a scenario (JSON) that states the scanner, with the projections taken of it.

The volume has the axes of the stage: z is its axis of rotation w, x its u at the angle 0, and the
origin its centre. Grey values run from `imin` without light to `imax` in the open beam; images that
were corrected by flats are scaled to the brightest of these. Format of the CTSimU project (BAM and
partners), versions 1.0 to 1.x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.data.projections import Projections
from engine.errors import EngineError, FileFormatError
from engine.io.base import ProjectionsReader
from engine.io.folder import below, entries, is_file, is_folder
from engine.io.json_text import from_json
from engine.io.open_input import InputFile, open_input
from engine.io.xray.ctsimu_images import CORRECTED, FOLDERS, Taken, found_images, named_images
from engine.io.xray.ctsimu_notes import bad_pixels, facts_of, notes_of
from engine.io.xray.ctsimu_parts import geometry_of, section, whole
from engine.io.xray.ctsimu_values import MAX_BYTES, PURE, Quantities
from engine.io.xray.frames import Images, assemble
from engine.plain import Plain

SCENARIO = b'"ctsimu scenario"'
METADATA = b'"path_to_ctsimu_json"', b'"projections"'
KNOWN_MAJOR = 1
ENDINGS = (".tif", ".tiff", ".raw", ".json", ".csv", ".tsv", ".txt")


class CtSimu(ProjectionsReader):
    """Scan of a CTSimU scenario."""

    name: ClassVar[str] = "CTSimU scenario"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    companions: ClassVar[tuple[str, ...]] = (".tif", ".tiff", ".raw")

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return _is_scenario(file) or _is_metadata(file)

    @classmethod
    def one_of_each(cls, paths: Sequence[Path]) -> list[Path]:
        """Leave out scenarios whose images metadata of the same folder name."""
        named = {name for path in paths if (name := _named_scenario(path))}
        return [path for path in paths if path.name not in named]

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        content = _content(file)
        if _is_metadata(file):
            metadata: tuple[Path, Plain] | None = (file.path, content)
            with open_input(_scenario_of(file.path, content)) as scenario:
                return _read(scenario.path, _content(scenario), metadata)
        return _read(file.path, content, _metadata_of(file.path))


def _read(path: Path, content: Plain, metadata: tuple[Path, Plain] | None) -> Projections:
    version = section(content, "file", "file_format_version").get("major")
    if version != KNOWN_MAJOR:
        raise FileFormatError(
            f"{path.name}: version {str(version)[:20]} of the scenario format, want "
            f"{KNOWN_MAJOR}; save it again with the toolbox of the CTSimU project."
        )
    taken_as = section(content, "acquisition")
    n_views = whole(
        taken_as.get("number_of_projections"), "the number of projections", Quantities(path, 1)
    )
    notes: list[str] = []
    says_corrected = section(taken_as, "flat_field").get("correction") is True
    q = Quantities(path, n_views)
    taken = (
        named_images(*metadata, q, notes)
        if metadata
        else found_images(path, q, corrected=says_corrected)
    )
    geometry = geometry_of(content, q)
    notes += notes_of(path, content, q)
    flats, darks, white = _open_beam(path, content, metadata, taken, q, notes)
    return assemble(
        path,
        taken.projections,
        geometry,
        "transmission" if white else "counts",
        flats=flats,
        darks=darks,
        bad_pixels=bad_pixels(path, content, metadata, geometry.shape, q, notes),
        calibrated=True,
        whole_numbers=taken.whole_numbers,
        white_level=white,
        info={"format": CtSimu.name, **facts_of(content, q)},
        notes=notes,
        remedy="correct imax, or max_intensity in the metadata",
    )


def _open_beam(
    path: Path,
    content: Plain,
    metadata: tuple[Path, Plain] | None,
    taken: Taken,
    q: Quantities,
    notes: list[str],
) -> tuple[Images | None, Images | None, float | None]:
    """Return flats, darks and white level: of images, else as stated, the same in every pixel."""
    if taken.flats is not None:
        return taken.flats, taken.darks, None
    grey = section(content, "detector", "gray_value")
    most = section(metadata[1], "output", "projections").get("max_intensity") if metadata else None
    stated = grey.get("imax") if most is None else most
    top = q.maybe(stated, PURE, "the grey value of the open beam")
    low = q.maybe(grey.get("imin"), PURE, "imin") or 0.0
    if top is None:
        notes.append(f"{path.name}: neither flat images nor imax; the open beam is unknown.")
        return None, taken.darks, None
    if top <= low:
        q.refuse(f"the open beam has the grey value {top:g} and the dark image {low:g}")
    if taken.is_corrected:
        return None, None, top
    notes.append(
        f"{path.name}: no flat images; the open beam is {top:g} in every pixel, as the file states "
        "of the brightest."
    )
    one = np.ones((1, *taken.projections.shape[1:]), np.float32)
    darks = np.float32(low) * one if taken.darks is None else taken.darks
    return np.float32(top) * one, darks, None


def files_of(path: Path) -> Iterator[Path]:
    """Yield what a scan may be read from, whichever of its files is named: rather one too many."""
    roots = dict.fromkeys((path.parent, path.parent.parent))
    inner = (root / name for root in roots for name in (*FOLDERS, *CORRECTED))
    for folder in (each for each in dict.fromkeys(inner) if is_folder(each)):
        yield from (each for each in entries(folder) if each.suffix.lower() in ENDINGS)


def _is_scenario(file: InputFile) -> bool:
    head = file.head.lower()
    return SCENARIO in head and b'"file_type"' in head


def _is_metadata(file: InputFile) -> bool:
    head = file.head.lower()
    return not _is_scenario(file) and all(mark in head for mark in METADATA)


def _content(file: InputFile) -> Plain:
    try:
        return from_json(file.text(MAX_BYTES))
    except ValueError as e:
        raise FileFormatError(f"{file.name}: damaged JSON ({e}); copy it again.") from e


def _metadata_of(scenario: Path) -> tuple[Path, Plain] | None:
    """Return the one text beside a scenario, or in `projections`, that names its images."""
    folders = [scenario.parent / name for name in FOLDERS]
    beside = [each for folder in folders if is_folder(folder) for each in entries(folder)]
    found = [
        each
        for each in beside
        if each.suffix.lower() in CtSimu.suffixes and _named_scenario(each) == scenario.name
    ]
    if len(found) > 1:
        names = ", ".join(each.name for each in found[:4])
        raise FileFormatError(
            f"{scenario.name}: {len(found)} scans were taken of it ({names}); open one of these."
        )
    if not found:
        return None
    with open_input(found[0]) as file:
        return found[0], _content(file)


def _named_scenario(path: Path) -> str | None:
    """Return the name of the scenario that metadata name, None for any other file."""
    try:
        with open_input(path) as file:
            if not _is_metadata(file):
                return None
            content = _content(file)
            pattern = section(content, "output", "projections").get("filename")
            below(path, pattern if isinstance(pattern, str) else "")
            return _name_in(content)
    except EngineError:
        return None


def _name_in(content: Plain) -> str:
    """Return the name of the scenario, without the folders before it."""
    places = (
        section(content, "output", "acquisitionGeometry"),
        section(content, "acquisition_geometry"),
    )
    named = next(
        (str(each["path_to_CTSimU_JSON"]) for each in places if each.get("path_to_CTSimU_JSON")), ""
    )
    return named.replace("\\", "/").rpartition("/")[2]


def _scenario_of(metadata: Path, content: Plain) -> Path:
    """Return the scenario of metadata: beside them, or in the folder above."""
    name = _name_in(content)
    for folder in (metadata.parent, metadata.absolute().parent.parent) if name else ():
        if is_file(folder / name):
            return folder / name
    wanted = f"the scenario {name!r}, which is not beside it or one folder up" if name else "none"
    raise FileFormatError(
        f"{metadata.name}: of its scenario it names {wanted}; copy the scenario there, it states "
        "the geometry."
    )
