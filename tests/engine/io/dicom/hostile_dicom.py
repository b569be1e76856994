"""Hostile files next to a good DICOM series, made from a good slice and a random seed.

The list and the seeds were chosen before the reader was changed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pydicom
from pydicom.dataset import Dataset
from pydicom.uid import generate_uid

SEEDS = (11, 12, 13)
DEPTH = 3000
EXPLICIT_LITTLE_ENDIAN = b"1.2.840.10008.1.2.1\0"
Make = Callable[[Path, Path, np.random.Generator], object]


@dataclass(frozen=True)
class Hostile:
    """A hostile file next to a series.

    Attributes
    ----------
    name : shown in the test report
    make : function that writes the file, called with path, good slice and random generator
    """

    name: str
    make: Make

    @property
    def is_random(self) -> bool:
        """Return True if the file depends on the seed."""
        return "random" in self.name or self.name.startswith(("cut", "copy", "4 GB"))


def _preamble(dataset: bytes = b"") -> bytes:
    """Return a preamble and a meta header, followed by an explicit little-endian dataset."""
    syntax = b"\x02\0\x10\0UI" + struct.pack("<H", len(EXPLICIT_LITTLE_ENDIAN))
    meta = syntax + EXPLICIT_LITTLE_ENDIAN
    length = b"\x02\0\0\0UL\x04\0" + struct.pack("<I", len(meta))
    return bytes(128) + b"DICM" + length + meta + dataset


def _nested_open(path: Path, good: Path, rng: np.random.Generator) -> None:
    """Write nested sequences of undefined length without an end."""
    start = b"\x08\0\x40\x11SQ\0\0\xff\xff\xff\xff\xfe\xff\0\xe0\xff\xff\xff\xff"
    path.write_bytes(_preamble(start * DEPTH))


def _nested_closed(path: Path, good: Path, rng: np.random.Generator) -> None:
    """Write nested, closed sequences of undefined length in an attribute that we read."""
    start = b"\x28\0\0\x30SQ\0\0\xff\xff\xff\xff\xfe\xff\0\xe0\xff\xff\xff\xff"
    end = b"\xfe\xff\x0d\xe0\0\0\0\0\xfe\xff\xdd\xe0\0\0\0\0"
    path.write_bytes(_preamble(start * DEPTH + end * DEPTH))


def _endless(path: Path, good: Path, rng: np.random.Generator) -> None:
    """Write a sequence that never ends, with a million empty items."""
    start = b"\x52\0\x30\x92SQ\0\0\xff\xff\xff\xff"
    path.write_bytes(_preamble(start + b"\xfe\xff\0\xe0\0\0\0\0" * 1_000_000))


def _cut_header(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(good.read_bytes()[: int(rng.integers(140, 900))])


def _cut_pixels(path: Path, good: Path, rng: np.random.Generator) -> None:
    whole = good.read_bytes()
    path.write_bytes(whole[: len(whole) - int(rng.integers(2, 500))])


def _empty(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(b"")


def _noise(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(rng.bytes(4000))


def _noise_after_the_magic(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(bytes(128) + b"DICM" + rng.bytes(4000))


def _noise_after_the_meta_header(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(_preamble(rng.bytes(4000)))


def _long_claim(path: Path, good: Path, rng: np.random.Generator) -> None:
    """Write an attribute that states 4 GB in a file of 1 kB."""
    path.write_bytes(_preamble(b"\x20\0\0\x40UT\0\0\xf0\xff\xff\xff" + rng.bytes(1000)))


def _huge(path: Path, good: Path, rng: np.random.Generator) -> None:
    """Write a sparse file of 8 GiB with an attribute of 3 GiB that readers need."""
    path.write_bytes(_preamble(b"\x20\0\0\x40UT\0\0\0\0\0\xc0"))
    os.truncate(path, 8 << 30)


def _changed(path: Path, good: Path, **attributes: object) -> None:
    dataset = pydicom.dcmread(good)
    dataset.SOPInstanceUID = generate_uid()
    for keyword, value in attributes.items():
        setattr(dataset, keyword, value)
    dataset.save_as(path)


def _text_for_numbers(path: Path, good: Path, rng: np.random.Generator) -> None:
    dataset = pydicom.dcmread(good)
    dataset.SOPInstanceUID = generate_uid()
    stream = BytesIO()
    dataset.save_as(stream)
    position = "\\".join(str(v) for v in dataset.ImagePositionPatient).encode()
    assert position in stream.getvalue()
    path.write_bytes(stream.getvalue().replace(position, b"x" * len(position)))


def _two_thousand_million_frames(path: Path, good: Path, rng: np.random.Generator) -> None:
    _changed(path, good, SeriesInstanceUID=generate_uid(), NumberOfFrames=2**31 - 1, Rows=65535)


def _claims_to_be_deflated(path: Path, good: Path, rng: np.random.Generator) -> None:
    data = good.read_bytes()
    syntax = pydicom.dcmread(good, stop_before_pixels=True).file_meta.TransferSyntaxUID
    old = (
        struct.pack("<H", len(syntax) + len(syntax) % 2)
        + syntax.encode()
        + b"\0" * (len(syntax) % 2)
    )
    new = struct.pack("<H", 22) + b"1.2.840.10008.1.2.1.99"
    path.write_bytes(data.replace(b"UI" + old, b"UI" + new, 1) if old in data else _preamble())


def _web_page(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_text("<!DOCTYPE html>\n<html><body>503 Service Unavailable</body></html>\n")


def _loop(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.symlink_to(path.name)


def _dangling(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.symlink_to("nowhere.dcm")


def _pipe(path: Path, good: Path, rng: np.random.Generator) -> None:
    os.mkfifo(path)


def _locked(path: Path, good: Path, rng: np.random.Generator) -> None:
    path.write_bytes(good.read_bytes())
    path.chmod(0)


HOSTILE = (
    Hostile("sequences nested without an end", _nested_open),
    Hostile("sequences nested in one another", _nested_closed),
    Hostile("endless sequence", _endless),
    Hostile("cut in the header", _cut_header),
    Hostile("copy cut in the pixels", _cut_pixels),
    Hostile("zero length", _empty),
    Hostile("random bytes", _noise),
    Hostile("random bytes after the magic", _noise_after_the_magic),
    Hostile("random bytes after the meta header", _noise_after_the_meta_header),
    Hostile("4 GB claimed in 1 kB", _long_claim),
    Hostile("8 GiB sparse", _huge),
    Hostile("text instead of numbers, same series", _text_for_numbers),
    Hostile("web page", _web_page),
    Hostile("link to itself", _loop),
    Hostile("link to nowhere", _dangling),
    Hostile("named pipe", _pipe),
    Hostile("no permission", _locked),
)
"""Each file must be named in a note, and the series next to it must open unchanged."""

HARMLESS = (
    Hostile("another series of 2³¹ frames", _two_thousand_million_frames),
    Hostile("header that claims to be deflated", _claims_to_be_deflated),
)
"""The series must open unchanged. If such a file is opened itself, the error names it."""


def other_series(folder: Path, good: Path) -> Dataset:
    """Write a slice of another modality next to a series. This is not an error."""
    dataset = pydicom.dcmread(good)
    dataset.SOPInstanceUID, dataset.SeriesInstanceUID = generate_uid(), generate_uid()
    dataset.Modality = "MR" if dataset.Modality != "MR" else "CT"
    dataset.save_as(folder / "other-modality.dcm")
    return dataset
