"""Read TIFF images: one, several pages in a file, or a numbered stack without gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np

from engine.core.arrays import Array, release_pages
from engine.core.errors import FileFormatError, GeometryError
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.bare_images import image_of
from engine.io.xray.frames import MAX_NAMED, Images, allocate_images, listed

AT_ONCE = 32
"""Number of images after which pages of a mapped file are released from memory."""
NUMBERED = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.tiff?$", re.IGNORECASE)


@dataclass(frozen=True)
class Stack:
    """Images of one numbered series, in the order of their numbers.

    Attributes
    ----------
    files : one per image
    numbers : numbers in the file names
    """

    files: tuple[Path, ...] = ()
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.files)

    def reversed(self) -> Stack:
        """Return the images in reverse order."""
        return Stack(self.files[::-1], self.numbers[::-1])

    def first(self, n: int) -> Stack:
        """Return the first `n` images."""
        return Stack(self.files[:n], self.numbers[:n])


def series(folder: Path, form: re.Pattern[str] = NUMBERED) -> dict[str, Stack]:
    """Return the numbered series of images in a folder.

    Parameters
    ----------
    folder
        folder of the images
    form
        pattern of file names with the group `number`, and `prefix` if there can be several series;
        default: TIFF images

    Returns
    -------
    stacks
        prefix -> images in order of their numbers; without a prefix, at most one under ""
    """
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in entries(folder):
        match = form.match(path.name)
        if match:
            prefix = match.groupdict().get("prefix") or ""
            found.setdefault(prefix, []).append((int(match["number"]), path))
    stacks = {}
    for prefix, images in found.items():
        # By number, because names without leading zeros sort as text: 1, 10, 2.
        images.sort()
        stacks[prefix] = Stack(tuple(p for _, p in images), tuple(n for n, _ in images))
    return stacks


def refuse_missing(stack: Stack, where: Path, n_wanted: int | None = None) -> None:
    """Refuse a series with gaps, repeated numbers, or missing images at its end.

    Parameters
    ----------
    stack
        the series
    where
        the file that describes it, for error messages
    n_wanted
        expected number of images; None if unknown

    Raises
    ------
    FileFormatError
        with the numbers of the missing or repeated images
    """
    numbers = stack.numbers
    name = stack.files[0].name if stack.files else ""
    # `a1.tif` and `a01.tif` have the same number.
    twice = [a for a, b in pairwise(numbers) if a == b]
    if twice:
        raise FileFormatError(
            f"{where.name}: number {twice[0]} exists twice in the series that starts with "
            f"{name!r}; remove one of the two files."
        )
    n_gaps = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    if n_gaps:
        gaps = chain.from_iterable(range(a + 1, b) for a, b in pairwise(numbers))
        raise FileFormatError(
            f"{where.name}: missing numbers in the series that starts with {name!r}: "
            f"{listed(islice(gaps, MAX_NAMED + 1))} (files found: {len(numbers):,}, missing: "
            f"{n_gaps:,}); copy the missing files."
        )
    if n_wanted is not None and len(numbers) < n_wanted:
        last = stack.files[-1].name if numbers else ""
        raise FileFormatError(
            f"{where.name}: found only {len(numbers):,} of {n_wanted:,} projections (last file: "
            f"{last!r}); copy the missing files."
        )


def refuse_more(stack: Stack, where: Path, n_stated: int, n_extra: int = 0) -> None:
    """Refuse a series that belongs to another scan, because it has too many images.

    Parameters
    ----------
    stack
        the series
    where
        the settings, for the error message
    n_stated
        number of images in the settings
    n_extra
        further images that are accepted, such as a repeat of the first view

    Raises
    ------
    GeometryError
        if there are more images
    """
    if len(stack) > n_stated + n_extra:
        raise GeometryError(
            f"{where.name}: found {len(stack):,} projections, but the settings state "
            f"{n_stated:,}; choose the settings of this scan."
        )


def read_stack(stack: Stack, settings: Path) -> tuple[Images, bool]:
    """Read the images of a stack.

    Parameters
    ----------
    stack
        images of one size, one per file
    settings
        the file that describes them, for error messages

    Returns
    -------
    images
        (n, rows, columns) float32
    whole
        True if they are stored as integers

    Raises
    ------
    FileFormatError
        if a file is damaged, has several pages or another size
    """
    kinds: list[str] = []

    def read(file: InputFile) -> Array:
        image = image_of(file)
        # Several pages in each file would be ambiguous: views, frames or colours.
        if image.ndim != 2:
            raise FileFormatError(
                f"{file.name}: contains {len(image):,} pages, expected one; save each image in its "
                "own file."
            )
        kinds.append(image.dtype.kind)
        return image

    return read_images(stack.files, settings, read), kinds[0] in "iu"


def read_images(
    files: Sequence[Path], settings: Path, read: Callable[[InputFile], Array]
) -> Images:
    """Read images of one size, one per file.

    Parameters
    ----------
    files
        the images in order
    settings
        the file that describes them, for error messages
    read
        function that returns the image (rows, columns) in an open file

    Returns
    -------
    images
        (n, rows, columns) float32

    Raises
    ------
    GeometryError
        if an image has another size
    """
    values = np.empty((0, 0, 0), np.float32)
    for k, path in enumerate(files):
        with open_input(path) as file:
            image = read(file)
        if not k:
            values = allocate_images((len(files), *image.shape), settings.name)
        refuse_other_size(path, image.shape, values.shape[1:])
        values[k] = image
        # The images can be in a mapped file; the system may then drop pages that are written.
        if not k % AT_ONCE:
            release_pages(values)
    return values


def refuse_other_size(path: Path, shape: tuple[int, ...], first: tuple[int, ...]) -> None:
    """Refuse an image of another detector or binning, such as a preview with a similar name.

    Parameters
    ----------
    path
        image, for the error message
    shape
        its (rows, columns)
    first
        (rows, columns) of the images before it

    Raises
    ------
    GeometryError
        if the sizes differ
    """
    if shape != first:
        raise GeometryError(
            f"{path.name}: has {' x '.join(map(str, shape))} pixels, but the other images have "
            f"{' x '.join(map(str, first))} (rows x columns); open images from a single scan."
        )


def folder_of_series(
    settings: Path, folders: Iterable[Path], form: re.Pattern[str], example: str
) -> Path:
    """Return the only folder with numbered images.

    Parameters
    ----------
    settings
        the file that describes the scan, for error messages
    folders
        folders to search
    form
        pattern of file names as in `series`
    example
        name of an image

    Raises
    ------
    FileFormatError
        if there is no such folder, or several
    """
    found = [each for each in folders if series(each, form)]
    if len(found) > 1:
        names = ", ".join(each.name for each in found[:4])
        raise FileFormatError(
            f"{settings.name}: found {len(found)} scans ({names}); open an image from one of them."
        )
    if not found:
        raise FileFormatError(
            f"{settings.name}: no folder next to this file contains {example}; copy the complete "
            "scan."
        )
    return found[0]
