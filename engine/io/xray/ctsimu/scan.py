"""Read CTSimU scans: a scenario (JSON) that states the scanner, and its projections.

The volume has the axes of the stage: z is its rotation axis w, x its u at angle 0, and the origin
its centre. Grey values range from `imin` without light to `imax` in the open beam; flat-corrected
images are scaled to `imax`. Format of the CTSimU project (BAM and partners), versions 1.0 to 1.x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import EngineError, FileFormatError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.io.base import ProjectionsReader
from engine.io.folder import below, entries, is_file, is_folder
from engine.io.safety.open_input import InputFile, open_input
from engine.io.text.json_text import from_json
from engine.io.xray.ctsimu.images import (
    CORRECTED,
    FOLDERS,
    ScanImages,
    folders_named,
    found_images,
    named_images,
)
from engine.io.xray.ctsimu.notes import bad_pixel_map, bad_pixels, facts_of, notes_of
from engine.io.xray.ctsimu.parts import geometry_of, section, whole
from engine.io.xray.ctsimu.values import MAX_BYTES, PURE, Quantities
from engine.io.xray.frames import Images, assemble

SCENARIO = b'"ctsimu scenario"'
METADATA = b'"path_to_ctsimu_json"', b'"projections"'
KNOWN_MAJOR = 1
TEXTS = (".json", ".csv", ".tsv", ".txt")
ENDINGS = (".tif", ".tiff", ".raw", *TEXTS)


class CtSimu(ProjectionsReader):
    """Scan of a CTSimU scenario."""

    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        yield from files_of(settings)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return _is_scenario(file) or _is_metadata(file)

    @classmethod
    def one_of_each(cls, paths: Sequence[Path]) -> list[Path]:
        """Omit scenarios that metadata in the same folder name; the metadata represent both."""
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
    # Major versions change the meaning of fields; minor versions only add some.
    if version != KNOWN_MAJOR:
        raise FileFormatError(
            f"{path.name}: the version of the scenario format is {str(version)[:20]}, expected "
            f"{KNOWN_MAJOR}; save the scenario again with the CTSimU toolbox."
        )
    acquisition = section(content, "acquisition")
    key = "number_of_projections"
    n_views = whole(acquisition.get(key), f"acquisition.{key}", Quantities(path, 1))
    notes: list[str] = []
    says_corrected = section(acquisition, "flat_field").get("correction") is True
    # A second converter: the number of views is needed for all drifts, and is itself a quantity.
    q = Quantities(path, n_views)
    scan_images = (
        named_images(*metadata, q, notes)
        if metadata
        else found_images(path, q, corrected=says_corrected)
    )
    geometry = geometry_of(content, q)
    # After the geometry, which collects hidden and assumed quantities in `q`.
    notes += notes_of(path, content, q)
    flats, darks, white = _open_beam(path, content, metadata, scan_images, q, notes)
    return assemble(
        path,
        scan_images.projections,
        geometry,
        "transmission" if white else "counts",
        flats=flats,
        darks=darks,
        bad_pixels=bad_pixels(path, content, metadata, geometry.shape, q, notes),
        # The scenario states the axis exactly, so it is not searched for.
        calibrated=True,
        whole_numbers=scan_images.whole_numbers,
        white_level=white,
        info={"format": CtSimu.name, **facts_of(content, q)},
        notes=notes,
        remedy="Correct imax, or max_intensity in the metadata.",
    )


def _open_beam(
    path: Path,
    content: Plain,
    metadata: tuple[Path, Plain] | None,
    scan_images: ScanImages,
    q: Quantities,
    notes: list[str],
) -> tuple[Images | None, Images | None, float | None]:
    """Return flats, darks and white level: from images, otherwise as stated for all pixels."""
    if scan_images.flats is not None:
        return scan_images.flats, scan_images.darks, None
    grey = section(content, "detector", "gray_value")
    most = section(metadata[1], "output", "projections").get("max_intensity") if metadata else None
    # The metadata describe the images as written, the scenario as planned.
    key, stated = ("imax", grey.get("imax")) if most is None else ("max_intensity", most)
    top = q.optional(stated, PURE, key)
    low = q.optional(grey.get("imin"), PURE, "imin") or 0.0
    if top is None:
        notes.append(f"{path.name}: no flat images and no imax, so the open beam is unknown.")
        return None, scan_images.darks, None
    if top <= low:
        q.refuse(f"{key!r} is {top:g}, expected more than 'imin' ({low:g})")
    if scan_images.is_corrected:
        return None, None, top
    notes.append(
        f"{path.name}: no flat images; {top:g}, the stated maximum, is used as the open beam of "
        "every pixel."
    )
    # Uncorrected counts without flats: a uniform flat field, so that the dark level can be
    # subtracted.
    one = np.ones((1, *scan_images.projections.shape[1:]), np.float32)
    darks = np.float32(low) * one if scan_images.darks is None else scan_images.darks
    return np.float32(top) * one, darks, None


def files_of(path: Path) -> Iterator[Path]:
    """Yield the files of a scan, whichever of them is named; possibly too many.

    Parameters
    ----------
    path
        scenario or metadata
    """
    named = _named_scenario(path)
    scenario = _here_or_above(path, named) if named else path
    metadata = path if named else next(iter(_metadata_files(path)), None)
    if scenario is None:
        return
    yield scenario
    yield from (each for each in entries(scenario.parent) if each.suffix.lower() in TEXTS)
    yield from bad_pixel_map(scenario, _content_at(scenario))
    root = scenario.parent if metadata is None else metadata.parent
    inside = [root / name for name in (*FOLDERS, *CORRECTED)]
    inside += folders_named(metadata, _content_at(metadata)) if metadata else []
    for folder in dict.fromkeys(each for each in inside if is_folder(each)):
        yield from (each for each in entries(folder) if each.suffix.lower() in ENDINGS)


def _is_scenario(file: InputFile) -> bool:
    head = file.head.lower()
    return SCENARIO in head and b'"file_type"' in head


def _is_metadata(file: InputFile) -> bool:
    head = file.head.lower()
    # A scenario can contain the words of metadata, too.
    return not _is_scenario(file) and all(mark in head for mark in METADATA)


def _content(file: InputFile) -> Plain:
    try:
        return from_json(file.text(MAX_BYTES))
    except ValueError as e:
        raise FileFormatError(f"{file.name}: damaged JSON file; copy it again. Reason: {e}.") from e


def _content_at(path: Path) -> Plain:
    with open_input(path) as file:
        return _content(file)


def _metadata_of(scenario: Path) -> tuple[Path, Plain] | None:
    """Return the only metadata of a scenario, in its folder or in `projections`."""
    found = _metadata_files(scenario)
    if len(found) > 1:
        names = ", ".join(each.name for each in found[:4])
        raise FileFormatError(
            f"{scenario.name}: {len(found)} scans use this scenario ({names}); open one of these "
            "files."
        )
    return (found[0], _content_at(found[0])) if found else None


def _metadata_files(scenario: Path) -> list[Path]:
    folders = [scenario.parent / name for name in FOLDERS]
    neighbours = [each for folder in folders if is_folder(folder) for each in entries(folder)]
    return [
        each
        for each in neighbours
        if each.suffix.lower() in CtSimu.suffixes and _named_scenario(each) == scenario.name
    ]


def _named_scenario(path: Path) -> str | None:
    """Return the scenario named by metadata, None for any other file."""
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
    """Return the name of the scenario without its folders."""
    places = (
        section(content, "output", "acquisitionGeometry"),
        section(content, "acquisition_geometry"),
    )
    named = next(
        (str(each["path_to_CTSimU_JSON"]) for each in places if each.get("path_to_CTSimU_JSON")), ""
    )
    # Simulations on Windows write backslashes, and often absolute paths.
    return named.replace("\\", "/").rpartition("/")[2]


def _scenario_of(metadata: Path, content: Plain) -> Path:
    """Return the scenario of metadata, in the same folder or its parent."""
    name = _name_in(content)
    found = _here_or_above(metadata, name) if name else None
    if found is not None:
        return found
    if not name:
        raise FileFormatError(
            f"{metadata.name}: does not name the scenario with the geometry; open the scenario "
            "instead."
        )
    raise FileFormatError(
        f"{metadata.name}: names the scenario {name!r}, which is not in this folder or its parent; "
        "copy the scenario there."
    )


def _here_or_above(metadata: Path, name: str) -> Path | None:
    folders = (metadata.parent, metadata.absolute().parent.parent)
    return next((each / name for each in folders if is_file(each / name)), None)
