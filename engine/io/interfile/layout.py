"""Layout of an Interfile image in its data file, in space and in time.

STIR and Siemens state the centre of the first voxel along x and y: f + i v, where f is the `first
pixel offset`, or −(n // 2) v if it is missing. CASToR writes the centre of the volume there. Each
time frame can have an offset in the data file, a scale, a start and a duration.

    value = (slope · image scaling factor) · stored + offset
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.geometry.grid import ImageGrid
from engine.io.castor.crystals import AXES_NOTE
from engine.io.interfile.header import InterfileHeader, keys_of
from engine.io.safety.open_input import InputFile
from engine.io.safety.ranges import stated_grid
from engine.io.text.rows import is_number

AXES = ("x", "y", "z")
CASTOR = "castor version"
"""Key in headers that CASToR writes."""
MAX_FRAMES = 1000


@dataclass(frozen=True)
class FramePlace:
    """Values of one frame in the data file.

    Attributes
    ----------
    start : first byte
    slope, offset : value = slope · stored + offset
    """

    start: int
    slope: float
    offset: float


def shape_of(header: InterfileHeader) -> tuple[int, int, int]:
    """Return the shape (n_z, n_y, n_x) of an image.

    Raises
    ------
    GeometryError
        if the image has other axes than x, y, z and time
    FileFormatError
        if a size is missing
    """
    name = header.path.name
    n_axes = header.whole("number of dimensions") or 3
    if n_axes not in (3, 4):
        raise GeometryError(
            f"{name}: 'number of dimensions' is {n_axes}, expected 3, or 4 with time frames; "
            "export one number per voxel."
        )
    labels = [(header.of_axis("matrix axis label", k) or AXES[k - 1]).lower() for k in (1, 2, 3)]
    if labels != list(AXES):
        raise GeometryError(
            f"{name}: the axes are {', '.join(labels)}, expected x, y, z; choose the header of an "
            "image."
        )
    sizes = [header.number(*keys_of("matrix size", k)) for k in (3, 2, 1)]
    if any(size is None or size < 1 or not size.is_integer() for size in sizes):
        raise FileFormatError(
            f"{name}: the number of voxels ('matrix size [1]' to '[3]') is missing or invalid, "
            "expected three whole numbers above 0; correct the header."
        )
    n_z, n_y, n_x = (int(size or 0) for size in sizes)
    return n_z, n_y, n_x


def grid_of(
    header: InterfileHeader, shape: tuple[int, int, int]
) -> tuple[ImageGrid, tuple[str, ...]]:
    """Return the grid of an image, and notes on it.

    Parameters
    ----------
    header
        header of the image
    shape
        (n_z, n_y, n_x)

    Raises
    ------
    GeometryError
        if the voxel size is missing or impossible
    """
    keys = ("scaling factor (mm/pixel)", "scale factor (mm/pixel)")
    edges = [
        header.number(*(spelling for key in keys for spelling in keys_of(key, k)))
        for k in (1, 2, 3)
    ]
    if any(edge is None for edge in edges):
        raise GeometryError(
            f"{header.path.name}: the voxel size ({keys[0]!r}) is missing; add it to the header."
        )
    voxel = [edge or 0.0 for edge in edges]
    first = [header.number(*keys_of("first pixel offset (mm)", k)) for k in (1, 2, 3)]
    if header.text(CASTOR):
        x, y, z = (place or 0.0 for place in first)
        return stated_grid(header.path, shape, voxel, (x, -y, z)), (AXES_NOTE,)
    across = list(zip(first, voxel, reversed(shape), strict=True))[:2]
    # Many programs write 0 without a meaning. Taken literally, the first voxel would be at the
    # centre.
    is_stated = all(begin is not None for begin in first[:2]) and any(first[:2])
    middle = [
        ((begin or 0.0) if is_stated else -(n // 2) * edge) + (n - 1) / 2 * edge
        for begin, edge, n in across
    ]
    # Rounded to 1e-9 mm, so that decimal sizes such as 2.08626 give a centre of exactly 0.
    centre = [round(place, 9) for place in (*middle, first[2] or 0.0)]
    note: tuple[str, ...] = ()
    if not is_stated and any(begin is not None for begin in first[:2]):
        note = (f"{header.path.name}: the first pixel offset is 0 and counts as not stated.",)
    return stated_grid(header.path, shape, voxel, centre), note


def parts_of(header: InterfileHeader, n_bytes: int) -> tuple[FramePlace, ...]:
    """Return the position and scale of each frame in the data file.

    Parameters
    ----------
    header
        header of the image
    n_bytes
        size of one frame, which separates frames without a stated offset
    """
    n = _n_frames(header)
    first = _start(header, 1, 0)
    starts = [first, *(_start(header, k, first + (k - 1) * n_bytes) for k in range(2, n + 1))]
    slope, offset = header.number("data rescale slope"), header.number("data rescale offset")
    scales = [_scale(header, k) for k in range(1, n + 1)]
    return tuple(
        FramePlace(start, scale * (1.0 if slope is None else slope), offset or 0.0)
        for start, scale in zip(starts, scales, strict=True)
    )


def times_of(header: InterfileHeader) -> Plain:
    """Return starts and durations [s] of the frames, with BIDS names; {} if they are not stated."""
    n = _n_frames(header)
    keys = ("image relative start time (sec)", "image duration (sec)")
    starts, lengths = ([header.of_axis(key, k) for k in range(1, n + 1)] for key in keys)
    if n < 2 or None in (*starts, *lengths):
        return {}
    try:
        times = [[float(each or 0) for each in row] for row in (starts, lengths)]
    except ValueError:
        return {}
    return {"FrameTimesStart": times[0], "FrameDuration": times[1]}


def _n_frames(header: InterfileHeader) -> int:
    counts = [header.whole(key) for key in ("number of time frames", "number of frame groups")]
    if header.whole("number of dimensions") == 4:
        along = header.number(*keys_of("matrix size", 4))
        counts.append(int(along) if along and along.is_integer() else None)
    # Three keys can state the number, and often only one of them is right. The others are then 1.
    n = max([each or 1 for each in counts])
    if not 1 <= n <= MAX_FRAMES:
        raise FileFormatError(
            f"{header.path.name}: states {n:,} time frames, expected 1 to {MAX_FRAMES:,}; correct "
            "the header."
        )
    return n


def _start(header: InterfileHeader, frame: int, otherwise: int) -> int:
    key = "data offset in bytes"
    stated = header.whole(*keys_of(key, frame), *((key,) if frame == 1 else ()))
    start = otherwise if stated is None else stated
    if start < 0:
        raise FileFormatError(
            f"{header.path.name}: the data offset is {start} bytes, expected 0 or more; correct "
            "the header."
        )
    return start


def _scale(header: InterfileHeader, frame: int) -> float:
    key = "image scaling factor"
    # One factor for all frames is common, too.
    stated = header.number(*keys_of(key, frame), *keys_of(key, 1), key)
    counts = 1.0 if stated is None else stated
    units = header.text("quantification units") or "1"
    # Interfile 3.3 stores a factor in this key, newer programs the name of the unit.
    number = (header.number("quantification units") or 1.0) if is_number(units) else 1.0
    if 1.0 not in (counts, number) and counts != number:
        raise FileFormatError(
            f"{header.path.name}: the scaling factor ({counts:g}) and the quantification units "
            f"({number:g}) contradict each other; correct the header."
        )
    return counts if counts != 1 else number


def refuse_other_size(header: InterfileHeader, data: InputFile, n_bytes: int) -> None:
    """Refuse a data file whose size differs from that in the header.

    Parameters
    ----------
    header
        header of the image
    data
        open data file
    n_bytes
        size that the header states

    Raises
    ------
    FileFormatError
        states both sizes
    """
    if n_bytes != data.size:
        raise FileFormatError(
            f"{header.path.name}: states {n_bytes:,} bytes of values, but {data.name} has "
            f"{data.size:,} bytes; copy both files again."
        )
