"""Flats and darks of a scan: found by name, or named by the user."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.io.folder import MAX_DEPTH, entries, is_file, is_folder
from engine.io.safety.open_input import open_input
from engine.io.xray.array_files import arrays_in, holds_arrays
from engine.raw_import.answers import Answers
from engine.raw_import.files import TIFF, Material, is_image_name, natural, role_of
from engine.raw_import.guess import Findings

MAX_NAMED = 8
NONE = "none"
"""Answer of a user if there are none."""


def with_given_references(material: Material, answers: Answers) -> Material:
    """Return a scan with the flats and darks that the user names.

    Parameters
    ----------
    material
        files of the scan
    answers
        answers of the user

    Returns
    -------
    given_references
        its folder is above all files, because the names in a sidecar are relative

    Raises
    ------
    FileFormatError
        if an answer names nothing, or the files have no common folder nearby
    """
    inside = _adjacent_arrays(material)
    flats = _answered(answers.flats, "flats", material, inside)
    darks = _answered(answers.darks, "darks", material, inside)
    changed = replace(
        material,
        flats=material.flats if flats is None else flats,
        darks=material.darks if darks is None else darks,
    )
    return _above_all(changed)


def note_references(material: Material, answers: Answers, found: Findings) -> None:
    """Record which flats and darks are used.

    Parameters
    ----------
    material
        files of the scan
    answers
        answers of the user
    found
        receives the assumptions
    """
    for role, files in (("flats", material.flats), ("darks", material.darks)):
        if files:
            answer = getattr(answers, role) is not None
            name = files[0].relative_to(material.folder).as_posix()
            more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
            why = "your input" if answer else "from their names or the name of their folder"
            found.take(role, name + more, why)


def _adjacent_arrays(material: Material) -> frozenset[str]:
    """Return the names of all arrays in the file of the projections, if it is an array file."""
    if len(material.images) != 1 or not holds_arrays(material.images[0]):
        return frozenset()
    with open_input(material.images[0]) as file:
        return frozenset(each.name.lstrip("/") for each in arrays_in(file))


def _answered(
    answer: str | None, role: str, material: Material, inside: frozenset[str]
) -> tuple[Path, ...] | None:
    """Return the files that an answer names; None without an answer.

    The result is empty if the answer is the name of an array in the file of the projections.
    """
    if answer is None:
        return None
    if answer == NONE or answer.lstrip("/") in inside:
        return ()
    # As typed, then relative to the folder of the scan, then to that of the images.
    tried = [
        Path(answer).expanduser(),
        material.folder / answer,
        material.images[0].parent / answer,
    ]
    for path in map(_downwards, tried):
        if is_folder(path):
            found = _in_folder(path, role)
        elif is_file(path):
            found = [path]
        elif is_folder(path.parent) and path.name:
            # A prefix, such as "flat_", stands for all images that begin with it.
            found = [
                each
                for each in entries(path.parent)
                if each.name.startswith(path.name) and each.name.lower().endswith(TIFF)
            ]
        else:
            found = []
        if found:
            return tuple(sorted((each.absolute() for each in found), key=natural))
    # The names of the datasets are in the message: a typing error is the usual cause.
    if inside:
        name = material.images[0].name
        raise FileFormatError(
            f"{answer}: there are no images for {role!r} at this path, and {name} has no dataset "
            "with this "
            f"name (available: {', '.join(sorted(inside)[:MAX_NAMED])}); correct the name, or "
            f"enter {NONE!r}."
        )
    raise FileFormatError(
        f"{answer}: there are no images for {role!r} at this path; enter a folder, a file, the "
        "prefix of the "
        f"image names, or {NONE!r}."
    )


def _downwards(path: Path) -> Path:
    """Return a path without "..", which the text of a sidecar must not contain."""
    return Path(os.path.realpath(path)) if ".." in path.parts else path


def _in_folder(folder: Path, role: str) -> list[Path]:
    """Return the images in a folder, without those whose own names state the other role."""
    found = [each for each in entries(folder) if is_image_name(each) and is_file(each)]
    fits = [each for each in found if role_of(Path(each.name), Path()) in ("", role)]
    # If all names contradict the user's choice, the user is right.
    return fits or found


def _above_all(material: Material) -> Material:
    """Return a scan whose folder contains all of its files, directly or in subfolders."""
    files = (*material.images, *material.flats, *material.darks)
    folder = material.folder.absolute()
    if all(each.absolute().is_relative_to(folder) for each in files):
        return replace(material, folder=folder, **_absolute(material))
    try:
        above = Path(os.path.commonpath([folder, *(each.absolute().parent for each in files)]))
    except ValueError:  # on two drives
        above = Path()
    deepest = max(len(each.absolute().relative_to(above).parts) for each in files) if (
        above.is_absolute()
    ) else MAX_DEPTH + 1  # fmt: skip
    # The root of a disk is not a folder of a scan, and a sidecar there would describe everything.
    if deepest > MAX_DEPTH or above == Path(above.anchor):
        raise FileFormatError(
            f"{folder.name}: the flats and darks are too far from this folder; copy them to a "
            "folder next to it."
        )
    return replace(material, folder=above, **_absolute(material))


def _absolute(material: Material) -> dict[str, tuple[Path, ...]]:
    return {
        role: tuple(each.absolute() for each in getattr(material, role))
        for role in ("images", "flats", "darks", "texts")
    }
