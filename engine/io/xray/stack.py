"""TIFF images: one, many pages in a file, or a numbered stack with none missing."""

from __future__ import annotations

import logging
import re
import struct
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import Array
from engine.errors import FileFormatError
from engine.io.open_input import open_head
from engine.io.xray.frames import Images, listed
from engine.io.xray.scan_files import refuse_outside, refuse_too_large

NUMBERED = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.tiff?$", re.IGNORECASE)
MAGICS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
MAX_RATIO = 1100
DAMAGE = (
    OSError,
    ValueError,
    RuntimeError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    struct.error,
    zlib.error,
)
"""What a damaged image makes the library raise."""
logging.getLogger("tifffile").addHandler(logging.NullHandler())  # we say ourselves what is wrong


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


def is_tiff(head: bytes) -> bool:
    """Whether a file begins like a TIFF file."""
    return head[:4] in MAGICS


def series(folder: Path) -> dict[str, Stack]:
    """Return the numbered TIFF series of a folder by what stands before the number."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in folder.iterdir():
        match = NUMBERED.match(path.name)
        if match:
            found.setdefault(match["prefix"], []).append((int(match["number"]), path))
    stacks = {}
    for prefix, entries in found.items():
        entries.sort()
        stacks[prefix] = Stack(tuple(p for _, p in entries), tuple(n for n, _ in entries))
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
            f"{where.name}: number {twice[0]} of the series {name} is there twice; remove one."
        )
    have = set(numbers)
    gaps = [k for k in range(numbers[0], numbers[-1] + 1) if k not in have] if numbers else []
    if gaps:
        raise FileFormatError(
            f"{where.name}: of the series {name} number {listed(gaps)} "
            f"{'is' if len(gaps) == 1 else 'are'} missing ({len(numbers):,} files are there); copy "
            "the missing files."
        )
    if n_wanted is not None and len(numbers) < n_wanted:
        raise FileFormatError(
            f"{where.name}: {len(numbers):,} projections are there and {n_wanted:,} were taken, "
            f"the last is {stack.files[-1].name if numbers else 'missing'}; copy the missing files."
        )


def read_stack(stack: Stack, settings: Path) -> tuple[Images, bool]:
    """Return the images (n, rows, columns) and whether they are stored as whole numbers."""
    first = read_tiff(stack.files[0], settings)
    if first.ndim != 2:
        raise FileFormatError(f"{stack.files[0].name}: {len(first):,} pages, want one per file.")
    refuse_too_large(len(stack) * first.size, settings)
    values = np.empty((len(stack), *first.shape), np.float32)
    values[0] = first
    for k, file in enumerate(stack.files[1:], 1):
        image = read_tiff(file, settings)
        if image.shape != first.shape:
            raise FileFormatError(
                f"{file.name}: {' x '.join(map(str, image.shape))} pixels, the images before it "
                f"have {first.shape[0]} x {first.shape[1]} (rows x columns); copy it again."
            )
        values[k] = image
    return values, first.dtype.kind in "iu"


def read_tiff(path: Path, settings: Path) -> Array:
    """Return a grey image (rows, columns), or (pages, rows, columns)."""
    import tifffile

    refuse_outside(path, settings)
    if not is_tiff(open_head(path)):
        raise FileFormatError(f"{path.name}: not a TIFF image; was it damaged or renamed?")
    try:
        with tifffile.TiffFile(path) as file:
            _refuse_unusable(file, path)
            image = np.asarray(file.asarray())
    except DAMAGE as e:
        reason = " ".join(str(e).split())
        raise FileFormatError(
            f"{path.name}: damaged or truncated TIFF image ({reason}); copy it again."
        ) from e
    return image


def _refuse_unusable(file: Any, path: Path) -> None:
    """Refuse what is no grey image, or claims more than the file can hold, before reading it."""
    pages = file.pages
    shape, dtype = pages[0].shape, pages[0].dtype
    if len(shape) != 2 or dtype is None or dtype.kind not in "uif":
        raise FileFormatError(
            f"{path.name}: an image of shape {shape} and type {dtype}; want one grey value per "
            "pixel."
        )
    size = path.stat().st_size
    n_pixels = 0
    for page in pages:
        n_bytes = int(np.prod(page.shape, dtype=np.int64)) * dtype.itemsize
        here = sum(page.databytecounts)
        last = max(
            (a + n for a, n in zip(page.dataoffsets, page.databytecounts, strict=False)), default=0
        )
        ratio = 1 if int(page.compression) == 1 else MAX_RATIO
        if last > size or n_bytes > ratio * here or not all(page.dataoffsets):
            raise FileFormatError(
                f"{path.name}: damaged or truncated TIFF image, {n_bytes:,} bytes of pixels and "
                f"{here:,} to read in a file of {size:,}; copy it again."
            )
        n_pixels += n_bytes // dtype.itemsize
    refuse_too_large(n_pixels, path)
