"""Images that a sidecar names: raw files, TIFF files and numbered stacks, or several of them.

A name is a file's, or what the names of a numbered TIFF stack begin with; one that ends with `/`
is the one stack in that folder, or, of flats and darks, all TIFF images in it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.arrays import Array
from engine.errors import FileFormatError
from engine.io.budget import refuse_no_room
from engine.io.folder import below, entries, is_file, is_folder, open_below
from engine.io.open_input import open_input
from engine.io.xray.frames import Images
from engine.io.xray.raw import flipped, read_raw
from engine.io.xray.sidecar_settings import Sidecar
from engine.io.xray.stack import Stack, read_stack, refuse_missing, series
from engine.io.xray.tiff import tiff_of

TIFF = (".tif", ".tiff")


def shown(names: tuple[str, ...]) -> str:
    """Return names for people: the first, and how many more."""
    return names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")


def images_named(
    settings: Sidecar, names: tuple[str, ...], path: Path, *, reference: bool = False
) -> tuple[Images, bool]:
    """Return images (n, rows, columns), and whether they are stored as whole numbers.

    Parameters
    ----------
    settings
        what the sidecar says
    names
        of the images, in order
    path
        the sidecar, whose neighbours they are
    reference
        whether they are flats or darks, of which there may be any number
    """
    files = files_named(settings, names, path, reference=reference)
    are_tiff = [_is_tiff(file) for file in files]
    if len(files) > 1 and all(are_tiff) and _one(files[0]).ndim == 2:
        return _oriented(*read_stack(Stack(files, tuple(range(len(files)))), path), settings)
    parts = []
    for file, is_image in zip(files, are_tiff, strict=True):
        if is_image:
            image = _one(file)
            stacked = image[None] if image.ndim == 2 else image
            whole = image.dtype.kind in "iu"
            parts.append(_oriented(stacked.astype(np.float32), whole, settings))
        else:
            with open_input(file) as raw:
                several = reference or len(files) > 1
                parts.append(read_raw(settings, raw, path, reference=several))
    if len(parts) == 1:
        return parts[0]
    return _together([part for part, _ in parts], files, path), all(whole for _, whole in parts)


def files_named(
    settings: Sidecar, names: tuple[str, ...], path: Path, *, reference: bool = False
) -> tuple[Path, ...]:
    """Return the files that names stand for, in order; refuse those that are missing."""
    found: list[Path] = []
    for name in names:
        is_stack = settings.file is None or reference
        if name.lower().endswith(TIFF) or not is_stack or _is_raw(settings, name, path):
            with open_below(path, name) as file:  # which says what there is instead of a file
                found.append(file.path)
        else:
            found += _stack(name, path, reference=reference)
    return tuple(found)


def _is_raw(settings: Sidecar, name: str, path: Path) -> bool:
    """Whether a name beside a raw file is that of a file, or of one that is missing."""
    if settings.file is None or name.endswith("/"):
        return False
    return is_file(below(path, name)) or not _begun(name, path)[1]


def _begun(name: str, path: Path) -> tuple[str, dict[str, Stack]]:
    """Return what names of a stack begin with, and the stacks of the folder that do so."""
    *folders, prefix = name.split("/")
    folder = below(path, "/".join(folders)) if folders else path.parent
    stacks = series(folder) if is_folder(folder) else {}
    if folders and not prefix:
        return prefix, stacks
    return prefix, {prefix: stacks[prefix]} if prefix in stacks else {}


def _stack(name: str, path: Path, *, reference: bool) -> tuple[Path, ...]:
    if reference and name.endswith("/"):
        folder = below(path, name[:-1])
        files = [each for each in entries(folder) if _is_tiff(each)] if is_folder(folder) else []
        if not files:
            raise FileFormatError(
                f"{path.name}: no TIFF images in the folder {name}; copy them or correct the name."
            )
        return tuple(files)
    _, stacks = _begun(name, path)
    if not stacks:
        raise FileFormatError(
            f"{path.name}: no TIFF images {name}0000.tif beside it; copy them or correct `files`."
        )
    if len(stacks) > 1:
        raise FileFormatError(
            f"{path.name}: {len(stacks)} stacks of images are in {name} "
            f"({', '.join(sorted(stacks)[:4])}); name one of them, as {name}{min(stacks)}."
        )
    (stack,) = stacks.values()
    refuse_missing(stack, path)
    return stack.files


def _is_tiff(path: Path) -> bool:
    return path.name.lower().endswith(TIFF)


def _one(path: Path) -> Array:
    with open_input(path) as file:
        return tiff_of(file)


def _oriented(images: Images, whole: bool, settings: Sidecar) -> tuple[Images, bool]:
    if settings.image_order == ("column", "row"):
        images = images.transpose(0, 2, 1)
    return flipped(images, settings), whole


def _together(parts: list[Images], files: tuple[Path, ...], path: Path) -> Images:
    """Return all images one after the other."""
    for part, file in zip(parts, files, strict=True):
        if part.shape[1:] != parts[0].shape[1:]:
            raise FileFormatError(
                f"{file.name}: {' x '.join(map(str, part.shape[1:]))} pixels, the images before it "
                f"have {' x '.join(map(str, parts[0].shape[1:]))} (rows x columns); copy it again."
            )
    refuse_no_room(4 * sum(part.size for part in parts), path.name, "the projections")
    return np.concatenate(parts)
