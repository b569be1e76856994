"""Read images named by a sidecar: raw files, arrays, TIFF files, numbered stacks, or several.

A name is that of a file, or the common beginning of a numbered TIFF stack. A name that ends with
`/` is the only stack in that folder or, for flats and darks, all TIFF images in it.
ESRF images (EDF) are read like TIFF files; a stack of TIFF files wins over one of EDF files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.folder import below, entries, is_file, is_folder, open_below
from engine.io.safety.open_input import open_input
from engine.io.xray.array_files import array_of, holds_arrays
from engine.io.xray.bare_images import IMAGE_ENDINGS, NUMBERED_EDF, image_of
from engine.io.xray.frames import Images, allocate_images
from engine.io.xray.names import SIGN
from engine.io.xray.raw import flipped, read_raw, read_view
from engine.io.xray.sidecar.settings import AXES, Sidecar
from engine.io.xray.stack import Stack, read_stack, refuse_missing, refuse_other_size, series


def shown(names: tuple[str, ...]) -> str:
    """Return names as text: the first, and the number of the others."""
    return names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")


def images_named(
    settings: Sidecar, names: tuple[str, ...], path: Path, *, reference: bool = False
) -> tuple[Images, bool]:
    """Return images (n, rows, columns), and True if they are stored as integers.

    Parameters
    ----------
    settings
        settings of the sidecar
    names
        names of the images, in order
    path
        the sidecar; images are in its folder
    reference
        True for flats and darks, which can have any number of images

    Raises
    ------
    FileFormatError
        if files are missing, damaged, or of different sizes
    """
    files = _located(settings, names, path, reference=reference)
    if _is_stack(files):
        paths = tuple(file for file, _ in files)
        # Stacks are read image by image into one array; joining parts would double the memory.
        return _oriented(*read_stack(Stack(paths, tuple(range(len(paths)))), path), settings)
    parts = [
        _part(settings, file, inner, path, several=reference or len(files) > 1)
        for file, inner in files
    ]
    if len(parts) == 1:
        return parts[0]
    paths = tuple(file for file, _ in files)
    return _stacked([part for part, _ in parts], paths, path), all(whole for _, whole in parts)


def some_images(
    settings: Sidecar, names: tuple[str, ...], path: Path, numbers: Sequence[int], rows: slice
) -> Images:
    """Read some rows of some images without reading the others, if the format allows it.

    Parameters
    ----------
    settings
        settings of the sidecar
    names
        names of the images, in order
    path
        the sidecar
    numbers
        indices of the views
    rows
        slice of rows

    Returns
    -------
    images
        (n, rows, columns)
    """
    files = _located(settings, names, path, reference=False)
    if _is_stack(files):
        parts: list[Images] = []
        first: tuple[int, ...] = ()
        for file, _ in (files[k] for k in numbers):
            part = _oriented(_one(file)[None].astype(np.float32), True, settings)[0]
            first = first or part.shape
            refuse_other_size(file, part.shape[1:], first[1:])
            parts.append(part[:, rows].copy())
        return np.concatenate(parts)
    (file, inner), *more = files
    # A view is contiguous in a raw file only if it is the slowest axis.
    if not more and _is_raw_file(settings, file, inner) and settings.order[0] == "view":
        with open_input(file) as raw:
            return np.concatenate([read_view(settings, raw, path, k)[:, rows] for k in numbers])
    if not more and not _is_tiff(file) and "view" in settings.order:
        with open_input(file) as arrays:
            stored = array_of(arrays, inner, (settings.order.index("view"), numbers))
        return _array(settings, stored, file)[0][:, rows]
    # Other formats have to be read completely.
    return images_named(settings, names, path)[0][list(numbers)][:, rows]


def _is_stack(files: list[tuple[Path, str]]) -> bool:
    """Return True if each file is a single TIFF image."""
    are_tiff = all(_is_tiff(file) for file, _ in files)
    return len(files) > 1 and are_tiff and _one(files[0][0]).ndim == 2


def _is_raw_file(settings: Sidecar, file: Path, inner: str) -> bool:
    is_array = inner or (settings.dtype is None and holds_arrays(file))
    return not is_array and not _is_tiff(file)


def _part(
    settings: Sidecar, file: Path, inner: str, path: Path, *, several: bool
) -> tuple[Images, bool]:
    """Return the images of one file; if there are several files, it can have any number."""
    if _is_raw_file(settings, file, inner):
        with open_input(file) as raw:
            return read_raw(settings, raw, path, reference=several)
    if _is_tiff(file):
        image = _one(file)
        stacked = image[None] if image.ndim == 2 else image
        return _oriented(stacked.astype(np.float32), image.dtype.kind in "iu", settings)
    with open_input(file) as arrays:
        stored = array_of(arrays, inner)
    return _array(settings, stored, file)


def _array(settings: Sidecar, stored: Array, file: Path) -> tuple[Images, bool]:
    """Return an array with sorted axes; an array of two axes can be a single image."""
    # The order of axes for a stack of arrays applies to the last two axes of a single image.
    order = settings.order if stored.ndim == len(settings.order) else settings.order[-2:]
    if stored.ndim != len(order) or stored.dtype.kind not in "fiu":
        raise FileFormatError(
            f"{file.name}: the array has the shape {stored.shape} and the type {stored.dtype}, "
            f"expected a numeric array with the axes {', '.join(settings.order)}; correct `order`, "
            "or name another array."
        )
    # Axes that the array lacks get length 1.
    missing = [axis for axis in AXES if axis not in order]
    full = stored.reshape((*(1,) * len(missing), *stored.shape))
    turned = full.transpose([(*missing, *order).index(axis) for axis in AXES])
    return flipped(turned.astype(np.float32), settings), stored.dtype.kind in "iu"


def _located(
    settings: Sidecar, names: tuple[str, ...], path: Path, *, reference: bool
) -> list[tuple[Path, str]]:
    """Return each file and the name of the array in it, "" for files without arrays."""
    found: list[tuple[Path, str]] = []
    for name in names:
        file, inner = split(name, path)
        if inner:
            with open_below(path, file) as opened:
                found.append((opened.path, inner))
        else:
            files = files_named(settings, (name,), path, reference=reference)
            found += [(each, "") for each in files]
    return found


def split(name: str, path: Path) -> tuple[str, str]:
    """Return the names of a file and of the array in it, such as "scan.h5#/data".

    Parameters
    ----------
    name
        name in the sidecar
    path
        the sidecar

    Returns
    -------
    file, array
        array is "" if none is named, or if a file has this name with the #
    """
    file, sign, inner = name.partition(SIGN)
    # File names can contain a #.
    is_whole = not sign or is_file(path.parent / name)
    return (name, "") if is_whole else (file, inner)


def files_named(
    settings: Sidecar, names: tuple[str, ...], path: Path, *, reference: bool = False
) -> tuple[Path, ...]:
    """Return the files for which names stand.

    Parameters
    ----------
    settings
        settings of the sidecar
    names
        names of files, stacks or folders
    path
        the sidecar
    reference
        True for flats and darks

    Returns
    -------
    files
        in order

    Raises
    ------
    FileFormatError
        if a file is missing, or a folder contains several stacks
    """
    found: list[Path] = []
    for named in names:
        name = split(named, path)[0]
        is_stack = settings.file is None or reference
        if name.lower().endswith(IMAGE_ENDINGS) or not is_stack or _is_raw(settings, name, path):
            with open_below(path, name) as file:  # its error states the actual contents
                found.append(file.path)
        else:
            found += _stack(name, path, reference=reference)
    return tuple(found)


def _is_raw(settings: Sidecar, name: str, path: Path) -> bool:
    """Return True if a name next to a raw file is that of a file, existing or missing."""
    if settings.file is None or name.endswith("/"):
        return False
    return is_file(below(path, name)) or not _begun(name, path)[1]


def _begun(name: str, path: Path) -> tuple[str, dict[str, Stack]]:
    """Return the common beginning of the names of a stack, and the stacks of the folder with it."""
    *folders, prefix = name.split("/")
    folder = below(path, "/".join(folders)) if folders else path.parent
    stacks = series(folder) if is_folder(folder) else {}
    if prefix not in stacks and (prefix or not stacks) and is_folder(folder):
        # TIFF stacks come last, so they replace EDF stacks with the same prefix.
        stacks = {**series(folder, NUMBERED_EDF), **stacks}
    # A name that ends with "/" selects all stacks of the folder.
    if folders and not prefix:
        return prefix, stacks
    return prefix, {prefix: stacks[prefix]} if prefix in stacks else {}


def _stack(name: str, path: Path, *, reference: bool) -> tuple[Path, ...]:
    if reference and name.endswith("/"):
        folder = below(path, name[:-1])
        files = [each for each in entries(folder) if _is_tiff(each)] if is_folder(folder) else []
        if not files:
            raise FileFormatError(
                f"{path.name}: found no TIFF images in the folder {name!r}; copy them, or correct "
                "the name of the folder."
            )
        return tuple(files)
    _, stacks = _begun(name, path)
    if not stacks:
        raise FileFormatError(
            f"{path.name}: found no TIFF images such as {name}0000.tif; copy them or correct "
            "`files`."
        )
    if len(stacks) > 1:
        raise FileFormatError(
            f"{path.name}: found {len(stacks)} image stacks in {name} "
            f"({', '.join(sorted(stacks)[:4])}); name one of them, such as {name}{min(stacks)}."
        )
    (stack,) = stacks.values()
    refuse_missing(stack, path)
    return stack.files


def _is_tiff(path: Path) -> bool:
    return path.name.lower().endswith(IMAGE_ENDINGS)


def _one(path: Path) -> Array:
    with open_input(path) as file:
        return image_of(file)


def _oriented(images: Images, whole: bool, settings: Sidecar) -> tuple[Images, bool]:
    if settings.image_order == ("column", "row"):
        # Some detectors store columns first.
        images = images.transpose(0, 2, 1)
    return flipped(images, settings), whole


def _stacked(parts: list[Images], files: tuple[Path, ...], path: Path) -> Images:
    """Return the images of all parts in one array."""
    for part, file in zip(parts, files, strict=True):
        refuse_other_size(file, part.shape[1:], parts[0].shape[1:])
    shape = (sum(map(len, parts)), *parts[0].shape[1:])
    return np.concatenate(parts, out=allocate_images(shape, path.name))
