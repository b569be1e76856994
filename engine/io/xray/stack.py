"""Read TIFF images: one, several pages in a file, or a numbered stack without gaps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from pathlib import Path

from engine.core.arrays import Array, rest
from engine.core.errors import FileFormatError
from engine.io.folder import entries
from engine.io.safety.open_input import open_input
from engine.io.xray.bare_images import image_of
from engine.io.xray.frames import MOST_NAMED, Images, listed
from engine.io.xray.image_storage import allocate_images

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

    files: tuple[Path, ...]
    numbers: tuple[int, ...]

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
        pattern of file names with the groups `prefix` and `number`; default: TIFF images

    Returns
    -------
    stacks
        prefix -> images in order of their numbers
    """
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in entries(folder):
        match = form.match(path.name)
        if match:
            found.setdefault(match["prefix"], []).append((int(match["number"]), path))
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
    name = stack.files[0].name if stack.files else "none"
    # `a1.tif` and `a01.tif` have the same number.
    twice = [a for a, b in pairwise(numbers) if a == b]
    if twice:
        raise FileFormatError(
            f"{where.name}: number {twice[0]} exists twice in the series {name}; remove one of the "
            "two files."
        )
    n_gaps = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    if n_gaps:
        gaps = chain.from_iterable(range(a + 1, b) for a, b in pairwise(numbers))
        raise FileFormatError(
            f"{where.name}: in the series {name}, {'number' if n_gaps == 1 else 'numbers'} "
            f"{listed(islice(gaps, MOST_NAMED + 1), n_gaps)} {'is' if n_gaps == 1 else 'are'} "
            f"missing ({len(numbers):,} files found); copy the missing files."
        )
    if n_wanted is not None and len(numbers) < n_wanted:
        last = f" (last file: {stack.files[-1].name})" if numbers else ""
        raise FileFormatError(
            f"{where.name}: only {len(numbers):,} of {n_wanted:,} projections were found{last}; "
            "copy the missing files."
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
    first = _image(stack.files[0])
    # Several pages in each file would be ambiguous: views, frames or colours.
    if first.ndim != 2:
        raise FileFormatError(
            f"{stack.files[0].name}: contains {len(first):,} pages, expected one; save each image "
            "in its own file."
        )
    values = allocate_images((len(stack), *first.shape), settings.name)
    values[0] = first
    for k, file in enumerate(stack.files[1:], 1):
        image = _image(file)
        # Preview images can have similar names.
        if image.shape != first.shape:
            raise FileFormatError(
                f"{file.name}: has {' x '.join(map(str, image.shape))} pixels, but the previous "
                f"images have {first.shape[0]} x {first.shape[1]} (rows x columns); copy it again."
            )
        values[k] = image
        # The images can be in a mapped file; the system may then drop pages that are written.
        if not k % AT_ONCE:
            rest(values)
    return values, first.dtype.kind in "iu"


def _image(path: Path) -> Array:
    with open_input(path) as file:
        return image_of(file)
