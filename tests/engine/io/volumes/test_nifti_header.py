"""The header states the same as nibabel reads from it, in both versions and byte orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from nibabel.spatialimages import HeaderDataError

from engine.io.safety.open_input import open_input
from engine.io.volumes.nifti_header import TYPES, NiftiHeader
from engine.io.volumes.nifti_values import read_nifti

KINDS = {1: nibabel.Nifti1Header, 2: nibabel.Nifti2Header}
CODES = [code for code, kind in TYPES.items() if not kind.startswith("V")]


def of_nibabel(version: int, order: str, seed: int) -> Any:
    """A header with random fields."""
    rng = np.random.default_rng(seed)
    header = KINDS[version](endianness=order)
    n_axes = rng.integers(1, 8)
    header["dim"][: n_axes + 1] = n_axes, *rng.integers(1, 300, n_axes)
    header["datatype"] = rng.choice(CODES)
    header["pixdim"][:5] = rng.choice([-1, 1]), *rng.uniform(0.1, 5, 4)
    header["vox_offset"] = rng.integers(352, 5000)
    header["scl_slope"] = rng.choice([0, 1, np.nan, rng.normal()])
    header["scl_inter"] = rng.normal()
    header["xyzt_units"] = rng.integers(0, 64)
    header["toffset"] = rng.normal()
    header["descrip"] = b"unit kBq/ml"
    header["qform_code"], header["sform_code"] = rng.integers(0, 2, 2)
    quaternion = rng.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    quaternion[0] *= seed % 3 > 0  # a rotation by 180 degrees
    quaternion /= np.linalg.norm(quaternion)
    for name, part in zip("bcd", quaternion[1:], strict=True):
        header[f"quatern_{name}"] = part
    for name in "xyz":
        header[f"qoffset_{name}"] = rng.normal(scale=100)
        header[f"srow_{name}"] = rng.normal(scale=100, size=4)
    return header


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [1, 2])
def test_all_facts_are_those_of_nibabel(version: int, order: str) -> None:
    for seed in range(60):
        theirs = of_nibabel(version, order, seed)
        ours = NiftiHeader(theirs.binaryblock + bytes(10), version)
        assert ours.shape == theirs.get_data_shape()
        assert ours.dtype == theirs.get_data_dtype()
        assert ours.start == theirs["vox_offset"]
        slope, offset = theirs.get_slope_inter()
        assert ours.scaling == ((1, 0) if slope is None else (slope, offset))
        for name in ("xyzt_units", "toffset", "descrip", "qform_code", "sform_code"):
            assert ours[name] == theirs[name], name
        assert np.array_equal(ours["pixdim"], theirs["pixdim"])
        if theirs["qform_code"] or theirs["sform_code"]:
            assert np.array_equal(ours.affine, theirs.get_best_affine())


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        ("scaling", {"scl_slope": 2, "scl_inter": np.inf}),
        ("affine", {"quatern_b": 0.9, "quatern_c": 0.9}),
        ("affine", {"pixdim": [1, -2, 2, 2, 1, 1, 1, 1]}),
        ("affine", {"pixdim": [0, 2, 2, 2, 1, 1, 1, 1]}),
    ],
)
def test_nibabel_refuses_the_same_damage(fact: str, values: dict[str, Any]) -> None:
    header = nibabel.Nifti1Header()
    header["qform_code"] = 1
    for name, value in values.items():
        header[name] = value
    asked = {"scaling": header.get_slope_inter, "affine": header.get_best_affine}[fact]
    with pytest.raises((HeaderDataError, ValueError)):
        asked()
    with pytest.raises(ValueError, match=r"slope|quaternion|pixdim"):
        getattr(NiftiHeader(header.binaryblock), fact)


def test_an_unknown_type_and_a_short_header_are_refused() -> None:
    header = nibabel.Nifti1Header()
    header["datatype"] = 77
    with pytest.raises(ValueError, match="data type 77"):
        _ = NiftiHeader(header.binaryblock).dtype
    with pytest.raises(ValueError, match="100 bytes, expected 348"):
        NiftiHeader(header.binaryblock[:100])


@pytest.mark.parametrize("kind", ["u1", "<i2", ">i2", ">i4", "u4", "i8", "<f4", ">f8"])
@pytest.mark.parametrize("scaling", [(1.0, 0.0), (0.0371, 0.0), (1.0, -3.3), (1.7e-5, 12.1)])
def test_scaled_values_are_those_of_nibabel(
    tmp_path: Path, kind: str, scaling: tuple[float, float]
) -> None:
    values = np.random.default_rng(1).integers(0, 250, (5, 6, 7)).astype(kind)
    header = nibabel.Nifti1Header(endianness=">" if kind.startswith(">") else "<")
    header.set_data_dtype(kind)
    header.set_data_shape(values.shape)
    header.set_slope_inter(*scaling)
    header["vox_offset"] = 352
    header.set_sform(np.eye(4), code=1)
    header["magic"] = b"n+1"
    path = tmp_path / "a.nii"
    path.write_bytes(header.binaryblock + bytes(4) + values.tobytes(order="F"))
    with open_input(path) as file:
        _, found = read_nifti(file)
    wanted = np.asarray(nibabel.load(path).dataobj, np.float32)
    assert np.array_equal(found, wanted)
