"""Any scan as a value, and the digest of its content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from engine.core.arrays import pieces_of, to_host
from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.data.histogram import Histogram
from engine.data.listmode import ListMode
from engine.data.projections import Projections
from engine.data.sinogram import Sinogram

Scan = ListMode | Histogram | Sinogram | Projections
"""Measurement of any kind, before its reconstruction."""


def content_of(scan: object) -> Plain:
    """Return size [bytes] and SHA-256 of the values of a scan.

    Parameters
    ----------
    scan
        a data class, or any nested values

    Returns
    -------
    content
        equal for equal scans; every number, the scanner and the facts count
    """
    total, n_bytes = sha256(), 0
    for piece in _pieces(scan):
        if isinstance(piece, np.ndarray):
            # Type and shape too: equal bytes can be other numbers.
            total.update(f"{piece.dtype.str}{piece.shape}".encode())
            n_bytes += piece.nbytes
            for part in pieces_of(piece):
                total.update(part)
        else:
            total.update(piece.encode("utf-8", "surrogatepass"))
    return {"bytes": n_bytes, "sha256": total.hexdigest()}


def _pieces(value: Any) -> Iterator[np.ndarray[Any, Any] | str]:
    """Yield arrays and texts that together define a value."""
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        yield np.ascontiguousarray(to_host(value))
    elif hasattr(value, "fingerprint"):  # a scanner
        yield from _pieces(value.fingerprint())
    elif isinstance(value, Settings):
        yield value.model_dump_json()
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            if each.compare and each.init:
                yield f"|{each.name}:"
                yield from _pieces(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for key in value:
            yield f"|{key}:"
            yield from _pieces(value[key])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _pieces(each)
            yield ","
    else:
        yield repr(value)
