"""Read raw values of projections in pieces along the slowest axis of the file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core import arrays
from engine.core.arrays import Array
from engine.core.errors import FileFormatError, SettingsError
from engine.io.safety.open_input import InputFile
from engine.io.xray.frames import Images, allocate_images
from engine.io.xray.sidecar.settings import AXES, Sidecar

PIECE_BYTES = 64 * 2**20


def read_raw(
    settings: Sidecar, file: InputFile, path: Path, *, reference: bool
) -> tuple[Images, bool]:
    """Return (view, row, column) values, and True if they are stored as integers.

    Parameters
    ----------
    settings
        settings of the sidecar
    file
        file with the values
    path
        the sidecar, for error messages
    reference
        True for flats and darks, which can have any number of images

    Raises
    ------
    FileFormatError
        if the size of the file differs from the settings
    SettingsError
        if the sidecar states no type or shape
    """
    dtype, _ = stored_as(settings, path)
    shape = _shape(settings, file, path, dtype.itemsize, reference=reference)
    return _filled(settings, file, path, dtype, shape), dtype.kind in "iu"


def read_view(settings: Sidecar, file: InputFile, path: Path, number: int) -> Images:
    """Return one view of a file with views as the slowest axis.

    Parameters
    ----------
    settings
        settings of the sidecar
    file
        file with the values
    path
        the sidecar, for error messages
    number
        index of the view

    Returns
    -------
    image
        (1, rows, columns)
    """
    dtype, shape = stored_as(settings, path)
    one = settings.model_copy(
        update={
            "shape": (1, *shape[1:]),
            "offset_bytes": settings.offset_bytes + number * math.prod(shape[1:]) * dtype.itemsize,
        }
    )
    return _filled(one, file, path, dtype, (1, *shape[1:]))


def stored_as(settings: Sidecar, path: Path) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
    """Return type and shape of raw values.

    Parameters
    ----------
    settings
        settings of the sidecar
    path
        the sidecar, for error messages

    Raises
    ------
    SettingsError
        if the sidecar does not state both
    """
    if settings.dtype is None or settings.shape is None:
        raise SettingsError(
            f"{path.name}: a raw file needs the settings 'dtype' and 'shape'; add them."
        )
    is_little = settings.byte_order == "little"
    return np.dtype(settings.dtype).newbyteorder("<" if is_little else ">"), settings.shape


def flipped(images: Images, settings: Sidecar) -> Images:
    """Return a view of images with rows and columns reversed as stated in the sidecar."""
    flips = [slice(None, None, -1 if axis in settings.flip else 1) for axis in ("row", "column")]
    return images[:, flips[0], flips[1]]


def _shape(
    settings: Sidecar, file: InputFile, path: Path, item_bytes: int, *, reference: bool
) -> tuple[int, ...]:
    """Return the shape of the file, which must agree with its size."""
    shape = list(settings.shape or ())
    size = file.size - settings.offset_bytes
    view = settings.order.index("view")
    per_view = math.prod(shape) // shape[view] * item_bytes
    # Only the sidecar of projections states the number of images, so the size of the file decides.
    if reference:
        shape[view] = max(size // per_view, 1)
    wanted = per_view * shape[view]
    if size != wanted:
        have, rest = divmod(size, per_view)
        raise FileFormatError(
            f"{file.name}: contains {size:,} bytes of data, but {path.name} states {wanted:,} "
            f"bytes ({shape[view]:,} x {per_view:,}); copy the file again, or correct shape and "
            f"dtype. Complete views: {have:,}. Bytes after them: {rest:,}."
        )
    return tuple(shape)


def _filled(
    settings: Sidecar,
    file: InputFile,
    path: Path,
    dtype: np.dtype[np.generic],
    shape: tuple[int, ...],
) -> Images:
    order = settings.order
    full: tuple[int, ...] = shape
    full_order: tuple[str, ...] = order
    # Fan-beam data have one row and no axis for it.
    if "row" not in order:
        full, full_order = (*shape, 1), (*order, "row")
    sizes: dict[str, int] = dict(zip(full_order, full, strict=True))
    values = allocate_images(tuple(sizes[axis] for axis in AXES), file.name)
    # A view of the same memory with the axes and directions of the file: no second copy is needed.
    as_filed = flipped(values, settings).transpose([AXES.index(axis) for axis in full_order])
    n, rest = full[0], full[1:]
    slab = math.prod(rest) * dtype.itemsize
    # The middle of the file, because the first views can be empty.
    _refuse_swapped(file.array(dtype, rest, settings.offset_bytes + n // 2 * slab), file, path)
    step = max(PIECE_BYTES // slab, 1)
    for k in range(0, n, step):
        piece = (min(step, n - k), *rest)
        as_filed[k : k + step] = file.array(dtype, piece, settings.offset_bytes + k * slab)
        arrays.release_pages(values)
    return values


def _refuse_swapped(sample: Array, file: InputFile, path: Path) -> None:
    """Refuse floating-point values that are only plausible in the other byte order."""
    # Swapped integers are plausible too, so only floating-point values can be checked.
    if sample.dtype.kind != "f":
        return
    other = sample.byteswap()

    def strange(a: NDArray[np.generic]) -> float:
        with np.errstate(all="ignore"):
            size = np.abs(a.astype(np.float64))
        # Swapped floats have random exponents: most are tiny, huge or NaN.
        return float(np.mean(~np.isfinite(size) | (size > 1e9) | ((size > 0) & (size < 1e-12))))

    if strange(sample) > 0.2 and strange(other) < 0.01:
        raise FileFormatError(
            f"{file.name}: the values are only plausible with the opposite byte order; correct "
            f"byte_order in {path.name}."
        )
