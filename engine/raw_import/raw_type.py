"""Find type and byte order of raw values from their smoothness.

Neighbours in an image are similar. For items of s bytes, the most significant bytes of consecutive
items are similar. D(s) is the mean difference of bytes at distance s, at the position in the item
where it is smallest. The smallest s with nearly the smallest D is the size of an item. The byte
order is the one with numbers in the range of a scan, or else with smoother values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

SIZES = (1, 2, 4, 8)
FEWEST_BYTES = 64
"""Smallest number of bytes that allows a decision."""
NEARLY = 1.5
"""Largest D(s) relative to the smallest D,"""
ALLOWED = 0.5
"""plus this difference (bytes have a range of 255)."""
ROUGH = 40.0
"""D above which bytes carry no information."""
MOST_WRAPS = 0.05
"""Fraction of neighbours that may differ by more than half of the range of their type."""
SANE = (1e-20, 1e12)
"""Range of the magnitudes of numbers in a scan, other than 0."""
MOST_STRANGE = 0.01
ALTERNATE = 2.0
"""Neighbours differ this much more than every second value if they are halves of one number."""


@dataclass(frozen=True)
class RawType:
    """Type of raw values.

    Attributes
    ----------
    dtype : name of the type
    byte_order : "little" or "big"
    is_sure : True if other types fit clearly worse
    """

    dtype: str
    byte_order: str
    is_sure: bool

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The type as a NumPy type."""
        return np.dtype(self.dtype).newbyteorder("<" if self.byte_order == "little" else ">")


def raw_type(sample: bytes) -> RawType:
    """Return the type of raw values.

    Parameters
    ----------
    sample
        bytes of the file from the beginning of an item; a few thousand are enough
    """
    data = np.frombuffer(sample[: len(sample) // 8 * 8], np.uint8)
    if len(data) < FEWEST_BYTES:
        return RawType("uint16", "little", is_sure=False)
    least = {size: _differences(data, size) for size in SIZES}
    best = min(float(each.min()) for each in least.values())
    # Noise around 0 has random mantissas and exponents of both signs, so no byte is smooth.
    if best > ROUGH / 2 and (size := _size_of_floats(data)):
        return RawType(*_best_of(data, size), is_sure=False)
    size = next(s for s in SIZES if least[s].min() <= NEARLY * best + ALLOWED)
    # Two halves of a number alternate between smooth and rough, which looks like a smaller type.
    while size < SIZES[-1] and _alternates(data, size):
        size *= 2
    dtype, order = _best_of(data, size)
    worse = [float(least[s].min()) for s in SIZES if s < size]
    is_sure = bool(best < ROUGH and all(each > 2 * best + 1 for each in worse))
    return RawType(dtype, order if size > 1 else "little", is_sure)


def _differences(data: Array, size: int) -> Array:
    """Return D at each position in an item of this size."""
    steps = np.diff(data.reshape(-1, size), axis=0)  # 255 and 0 are neighbours, as −1 and 0 are
    return np.asarray(np.abs(steps.view(np.int8).astype(np.int16)).mean(axis=0))


def _alternates(data: Array, size: int) -> bool:
    values = data.view(f"<u{size}").astype(np.float64)
    one, two = (float(np.abs(values[n:] - values[:-n]).mean()) for n in (1, 2))
    return one > ALTERNATE * two


def _best_of(data: Array, size: int) -> tuple[str, str]:
    """Return type and byte order of items of this size."""
    orders = {"little": "<", "big": ">"}
    # A wrong byte order gives floats of absurd magnitude, which is the strongest evidence.
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
    # Unsigned values wrap at 0 if they are really signed; a little wrapping is noise.
    is_signed = wraps["uint", order] > MOST_WRAPS + 3 * wraps["int", order]
    return f"{'int' if is_signed else 'uint'}{8 * size}", order


def _size_of_floats(data: Array) -> int:
    """Return the size of floating-point values near 0, whose bytes are not smooth.

    0 if there are none.
    """
    for size in (8, 4):
        if any(_is_sane(data.view(f"{sign}f{size}")) for sign in "<>"):
            return size
    return 0


def _wraps(values: Array) -> float:
    """Return the fraction of neighbours that differ by over half of the range of their type."""
    half = 2.0 ** (8 * values.dtype.itemsize - 1)
    return float((np.abs(np.diff(values.astype(np.float64))) > half).mean())


def _roughness(values: Array) -> float:
    """Return the mean difference of neighbours.

    Relative to the spread for floating-point values.
    """
    numbers = values.astype(np.float64)
    with np.errstate(all="ignore"):
        # Interpreted with the wrong type, values can be NaN or overflow; both count as infinitely
        # rough.
        step = np.abs(np.diff(numbers))
        spread = 1.0 if values.dtype.kind in "iu" else np.abs(numbers - np.median(numbers)).mean()
    return float(np.nan_to_num(step.mean() / max(spread, 1e-30), nan=np.inf))


def _is_sane(values: Array) -> bool:
    with np.errstate(all="ignore"):
        size = np.abs(values.astype(np.float64))
        low, high = SANE
        strange = ~np.isfinite(size) | ((size > 0) & (size < low)) | (size > high)
    return float(strange.mean()) < MOST_STRANGE
