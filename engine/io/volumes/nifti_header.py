"""Header of a NIfTI file: its fields, and the shape, type, scaling and place that they state.

nibabel reads the same fields, and the tests compare both. Its import takes longer than to read a
volume, because it also imports all its other formats and pydicom.

Sources: nifti1.h and nifti2.h of the NIfTI Data Format Working Group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_NIFTI_1 = {
    "sizeof_hdr": ("i4", 0), "dim": ("8i2", 40), "datatype": ("i2", 70), "pixdim": ("8f4", 76),
    "vox_offset": ("f4", 108), "scl_slope": ("f4", 112), "scl_inter": ("f4", 116),
    "xyzt_units": ("u1", 123), "toffset": ("f4", 136), "descrip": ("S80", 148),
    "qform_code": ("i2", 252), "sform_code": ("i2", 254), "quatern": ("3f4", 256),
    "qoffset": ("3f4", 268), "srow": ("(3,4)f4", 280),
}  # fmt: skip
"""Type and first byte of each field that we use."""
_NIFTI_2 = {
    "sizeof_hdr": ("i4", 0), "dim": ("8i8", 16), "datatype": ("i2", 12), "pixdim": ("8f8", 104),
    "vox_offset": ("i8", 168), "scl_slope": ("f8", 176), "scl_inter": ("f8", 184),
    "xyzt_units": ("i4", 500), "toffset": ("f8", 216), "descrip": ("S80", 240),
    "qform_code": ("i4", 344), "sform_code": ("i4", 348), "quatern": ("3f8", 352),
    "qoffset": ("3f8", 376), "srow": ("(3,4)f8", 400),
}  # fmt: skip
SIZE_1, SIZE_2 = 348, 540
"""Bytes of the headers."""
MOST_AXES = 7
TYPES = {
    2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2", 768: "u4", 1024: "i8",
    1280: "u8", 32: "c8", 1792: "c16", 128: "V3", 2304: "V4", 1536: "V16", 2048: "V32",
}  # fmt: skip
"""Code of `datatype` -> NumPy's type; V for colours and for floats of 128 bits."""


class NiftiHeader:
    """Fields of a header, by their names in nifti1.h; `quatern`, `qoffset` and `srow` as arrays.

    Parameters
    ----------
    head
        first bytes of the file
    version
        1 or 2

    Raises
    ------
    ValueError
        if there are too few bytes
    """

    def __init__(self, head: bytes, version: int = 1) -> None:
        fields, size = (_NIFTI_2, SIZE_2) if version == 2 else (_NIFTI_1, SIZE_1)
        if len(head) < size:
            raise ValueError(f"{len(head)} bytes, expected {size}")
        formats, offsets = zip(*fields.values(), strict=True)
        kind = np.dtype(
            {"names": [*fields], "formats": formats, "offsets": offsets, "itemsize": size}
        )
        kinds = kind.newbyteorder("<"), kind.newbyteorder(">")
        little, big = (np.frombuffer(head, each, count=1)[0] for each in kinds)
        is_little = little["sizeof_hdr"] == size or 1 <= little["dim"][0] <= MOST_AXES
        self._order = "<" if is_little else ">"
        self._fields = little if is_little else big
        self._precision = np.finfo(self._fields["quatern"].dtype).eps

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of values along x, y, z, time and further axes."""
        n_axes = int(self["dim"][0])
        return tuple(int(n) for n in self["dim"][1 : n_axes + 1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values.

        Raises
        ------
        ValueError
            if its code is unknown
        """
        code = int(self["datatype"])
        if code not in TYPES:
            raise ValueError(f"the data type {code} is unknown")
        return np.dtype(self._order + TYPES[code])

    @property
    def start(self) -> int:
        """First byte of the values.

        Raises
        ------
        ValueError, OverflowError
            if it is not finite
        """
        return int(self["vox_offset"])

    @property
    def scaling(self) -> tuple[float, float]:
        """Slope and offset: value = stored · slope + offset.

        Raises
        ------
        ValueError
            if the slope is valid, but not the offset
        """
        slope, offset = float(self["scl_slope"]), float(self["scl_inter"])
        if slope == 0 or not np.isfinite(slope):
            return 1.0, 0.0
        if not np.isfinite(offset):
            raise ValueError(f"the slope is {slope:g}, but the offset is {offset}")
        return slope, offset

    @property
    def affine(self) -> NDArray[np.float64]:
        """Matrix (4, 4) from voxel numbers to RAS, in the unit of the header.

        It is from `sform`, or from `qform` if there is no `sform`.

        Raises
        ------
        ValueError
            if `qform` states no rotation, or negative voxels
        """
        affine = np.eye(4)
        if self["sform_code"] != 0:
            affine[:3] = self["srow"]
            return affine
        edges, side = self["pixdim"][1:4], self["pixdim"][0]
        if (edges < 0).any() or side not in (-1, 1):
            raise ValueError(f"pixdim is {', '.join(f'{n:g}' for n in self['pixdim'][:4])}")
        affine[:3, :3] = self._rotation() * np.array([*edges[:2], side * edges[2]])
        affine[:3, 3] = self["qoffset"]
        return affine

    def _rotation(self) -> NDArray[np.longdouble]:
        """Return the rotation (3, 3) of the unit quaternion whose last three parts are stored."""
        x, y, z = vector = self["quatern"].astype(np.longdouble)
        rest = 1 - vector @ vector
        # Stored parts are rounded, so a rotation by 180° can seem longer than 1.
        if abs(rest) < 3 * self._precision:
            rest = np.longdouble(0)
        if rest < 0:
            raise ValueError(f"the quaternion is {', '.join(f'{n:g}' for n in vector)}")
        w = np.sqrt(rest)
        s = 2 / (w * w + x * x + y * y + z * z)
        sx, sy, sz = s * x, s * y, s * z
        return np.array([
            [1 - (y * sy + z * sz), x * sy - w * sz, x * sz + w * sy],
            [x * sy + w * sz, 1 - (x * sx + z * sz), y * sz - w * sx],
            [x * sz - w * sy, y * sz + w * sx, 1 - (x * sx + y * sy)],
        ])  # fmt: skip
