"""Isocenter: read a scan, reconstruct it, save the volume.

The names of this package are those of `engine`, the reconstruction engine without a user
interface. They load on first use.

Examples
--------
>>> import isocenter as iso
>>> volume = iso.reconstruct("scan.h5", "brain-fdg")                # doctest: +SKIP
>>> iso.save(volume, "image.nii.gz")                                # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import engine

if TYPE_CHECKING:
    from engine import *

__all__ = engine.__all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'isocenter' has no attribute {name!r}")
    return getattr(engine, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
