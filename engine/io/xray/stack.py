"""TIFF images: one, many pages in a file, or a numbered stack with none missing."""

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
"""Images after which memory is given back that those of a file take."""
NUMBERED = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.tiff?$", re.IGNORECASE)


@dataclass(frozen=True)
class Stack:
    """Images of one numbered series, in the order of their numbers.

    Attributes
    ----------
    files : one per image
    numbers : of the files
    """

    files: tuple[Path, ...]
    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.files)

    def reversed(self) -> Stack:
        """Return the same images, the last first."""
        return Stack(self.files[::-1], self.numbers[::-1])

    def first(self, n: int) -> Stack:
        """Return the first `n` images."""
        return Stack(self.files[:n], self.numbers[:n])


def series(folder: Path, form: re.Pattern[str] = NUMBERED) -> dict[str, Stack]:
    """Return the numbered series of a folder by what stands before the number, of TIFF images.

    With another form of their names, those have the groups `prefix` and `number`.
    """
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in entries(folder):
        match = form.match(path.name)
        if match:
            found.setdefault(match["prefix"], []).append((int(match["number"]), path))
    stacks = {}
    for prefix, images in found.items():
        images.sort()
        stacks[prefix] = Stack(tuple(p for _, p in images), tuple(n for n, _ in images))
    return stacks


def refuse_missing(stack: Stack, where: Path, n_wanted: int | None = None) -> None:
    """Refuse a series with gaps, with numbers given twice, or with images missing at its end.

    Parameters
    ----------
    stack
        the series
    where
        the file that describes it, for sentences
    n_wanted
        how many images there should be, None where that is not known
    """
    numbers = stack.numbers
    name = stack.files[0].name if stack.files else "none"
    twice = [a for a, b in pairwise(numbers) if a == b]
    if twice:
        raise FileFormatError(
            f"{where.name}: number {twice[0]} of the series {name} exists twice; remove one."
        )
    n_gaps = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    if n_gaps:
        gaps = chain.from_iterable(range(a + 1, b) for a, b in pairwise(numbers))
        raise FileFormatError(
            f"{where.name}: in the series {name}, number "
            f"{listed(islice(gaps, MOST_NAMED + 1), n_gaps)} {'is' if n_gaps == 1 else 'are'} "
            f"missing ({len(numbers):,} files found); copy the missing files."
        )
    if n_wanted is not None and len(numbers) < n_wanted:
        raise FileFormatError(
            f"{where.name}: {len(numbers):,} projections found, but {n_wanted:,} were recorded; "
            f"the last one found is {stack.files[-1].name if numbers else 'missing'}; copy the "
            "missing files."
        )


def read_stack(stack: Stack, settings: Path) -> tuple[Images, bool]:
    """Return the images (n, rows, columns) and whether they are stored as whole numbers."""
    first = _image(stack.files[0])
    if first.ndim != 2:
        raise FileFormatError(
            f"{stack.files[0].name}: {len(first):,} pages, expected one per file."
        )
    values = allocate_images((len(stack), *first.shape), settings.name)
    values[0] = first
    for k, file in enumerate(stack.files[1:], 1):
        image = _image(file)
        if image.shape != first.shape:
            raise FileFormatError(
                f"{file.name}: {' x '.join(map(str, image.shape))} pixels, the images before it "
                f"have {first.shape[0]} x {first.shape[1]} (rows x columns); copy it again."
            )
        values[k] = image
        if not k % AT_ONCE:
            rest(values)
    return values, first.dtype.kind in "iu"


def _image(path: Path) -> Array:
    with open_input(path) as file:
        return image_of(file)
