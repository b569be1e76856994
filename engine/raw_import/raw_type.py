"""Find type and byte order of raw values from their smoothness.

Neighbours in an image are alike. With items of s bytes, byte k of one item is like byte k of the
next for the bytes that count most; D(s) is the mean difference of bytes s apart, at the place in
the item where it is least. The smallest s whose D is nearly the least is the size of an item, the
way round is the one in which numbers are sizes that a scan has, or else the smoother one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

SIZES = (1, 2, 4, 8)
FEWEST_BYTES = 64
"""From which anything can be told."""
NEARLY = 1.5
"""D(s) may be so many times the least D,"""
ALLOWED = 0.5
"""and this much more, of 255."""
ROUGH = 40.0
"""D beyond which bytes say nothing."""
MOST_WRAPS = 0.05
"""Neighbours that may differ by more than half of the span of their type."""
SANE = (1e-20, 1e12)
"""Sizes of numbers that a scan may hold besides 0."""
MOST_STRANGE = 0.01
ALTERNATE = 2.0
"""Neighbours that differ so many times more than those two apart are halves of one number."""


@dataclass(frozen=True)
class RawType:
    """Type of raw values.

    Attributes
    ----------
    dtype : name of the type
    byte_order : which byte of a value comes first
    is_sure : whether other types fit clearly worse
    """

    dtype: str
    byte_order: str
    is_sure: bool

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The type as NumPy has it."""
        return np.dtype(self.dtype).newbyteorder("<" if self.byte_order == "little" else ">")


def raw_type(sample: bytes) -> RawType:
    """Return the type of raw values.

    Parameters
    ----------
    sample
        bytes of the file, from the beginning of an item; some thousands are enough
    """
    data = np.frombuffer(sample[: len(sample) // 8 * 8], np.uint8)
    if len(data) < FEWEST_BYTES:
        return RawType("uint16", "little", is_sure=False)
    least = {size: _differences(data, size) for size in SIZES}
    best = min(float(each.min()) for each in least.values())
    if best > ROUGH / 2 and (size := _size_of_floats(data)):
        return RawType(*_best_of(data, size), is_sure=False)
    size = next(s for s in SIZES if least[s].min() <= NEARLY * best + ALLOWED)
    while size < SIZES[-1] and _alternates(data, size):
        size *= 2
    dtype, order = _best_of(data, size)
    worse = [float(least[s].min()) for s in SIZES if s < size]
    is_sure = bool(best < ROUGH and all(each > 2 * best + 1 for each in worse))
    return RawType(dtype, order if size > 1 else "little", is_sure)


def _differences(data: Array, size: int) -> Array:
    """D at each place in an item of so many bytes."""
    steps = np.diff(data.reshape(-1, size), axis=0)  # 255 and 0 are neighbours, as −1 and 0 are
    return np.asarray(np.abs(steps.view(np.int8).astype(np.int16)).mean(axis=0))


def _alternates(data: Array, size: int) -> bool:
    values = data.view(f"<u{size}").astype(np.float64)
    one, two = (float(np.abs(values[n:] - values[:-n]).mean()) for n in (1, 2))
    return one > ALTERNATE * two


def _best_of(data: Array, size: int) -> tuple[str, str]:
    """Return type and byte order of items of so many bytes."""
    orders = {"little": "<", "big": ">"}
    if size >= 4:
        sane = {
            order: _roughness(data.view(f"{sign}f{size}"))
            for order, sign in orders.items()
            if _is_sane(data.view(f"{sign}f{size}"))
        }
        if sane:
            return f"float{8 * size}", min(sane, key=lambda order: sane[order])
    wraps = {
        (kind, order): _wraps(data.view(f"{sign}{kind[0]}{size}"))
        for order, sign in orders.items()
        for kind in ("uint", "int")
    }
    rough = {
        order: min(_roughness(data.view(f"{sign}{kind}{size}")) for kind in "ui")
        for order, sign in orders.items()
    }
    order = min(rough, key=lambda each: rough[each])
    is_signed = wraps["uint", order] > MOST_WRAPS + 3 * wraps["int", order]
    return f"{'int' if is_signed else 'uint'}{8 * size}", order


def _size_of_floats(data: Array) -> int:
    """Return the bytes of floating-point values about 0, whose bytes are not smooth; 0 of none."""
    for size in (8, 4):
        if any(_is_sane(data.view(f"{sign}f{size}")) for sign in "<>"):
            return size
    return 0


def _wraps(values: Array) -> float:
    """Part of the neighbours that differ by more than half of what their type spans."""
    half = 2.0 ** (8 * values.dtype.itemsize - 1)
    return float((np.abs(np.diff(values.astype(np.float64))) > half).mean())


def _roughness(values: Array) -> float:
    """Mean difference of neighbours; of floating-point values, in parts of their spread."""
    numbers = values.astype(np.float64)
    with np.errstate(all="ignore"):
        step = np.abs(np.diff(numbers))
        spread = 1.0 if values.dtype.kind in "iu" else np.abs(numbers - np.median(numbers)).mean()
    return float(np.nan_to_num(step.mean() / max(spread, 1e-30), nan=np.inf))


def _is_sane(values: Array) -> bool:
    with np.errstate(all="ignore"):
        size = np.abs(values.astype(np.float64))
        low, high = SANE
        strange = ~np.isfinite(size) | ((size > 0) & (size < low)) | (size > high)
    return float(strange.mean()) < MOST_STRANGE
