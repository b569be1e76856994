"""Tests of NumPy and MATLAB arrays with voxel sizes as volumes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from engine.core.errors import EngineError, UnknownFormatError
from engine.io import inspect, is_projections, read_mu_map, read_volume
from engine.io.input_files import files_behind
from engine.io.safety.open_input import open_input
from engine.io.xray import matlab
from tests.engine.io.volumes.matlab_files import write_matlab_73
from tests.engine.io.volumes.test_volumes_of_others import patient

SIZES = {"voxel_mm": [1.5, 2.0, 2.5], "order": "zyx", "centre_mm": [10.0, -20.0, 30.0]}
Write = Callable[[Path, np.ndarray, dict[str, object]], Path]


def in_npy(path: Path, values: np.ndarray, sizes: dict[str, object]) -> Path:
    np.save(path.with_suffix(".npy"), values)
    path.with_suffix(".json").write_text(json.dumps(sizes))
    return path.with_suffix(".npy")


def in_numpy(path: Path, values: np.ndarray, sizes: dict[str, object]) -> Path:
    np.savez_compressed(path.with_suffix(".npz"), array=values, **sizes)
    return path.with_suffix(".npz")


def in_matlab(path: Path, values: np.ndarray, sizes: dict[str, object]) -> Path:
    scipy.io.savemat(path.with_suffix(".mat"), {"mu": values, **sizes}, do_compression=True)
    return path.with_suffix(".mat")


def in_matlab_uncompressed(path: Path, values: np.ndarray, sizes: dict[str, object]) -> Path:
    scipy.io.savemat(path.with_suffix(".mat"), {"mu": values, "text": "odd", **sizes})
    return path.with_suffix(".mat")


def in_matlab_73(path: Path, values: np.ndarray, sizes: dict[str, object]) -> Path:
    return write_matlab_73(path.with_suffix(".mat"), {"mu": values, "text": "odd", **sizes})


WRITERS = (in_npy, in_numpy, in_matlab, in_matlab_uncompressed, in_matlab_73)


@pytest.mark.parametrize("write", WRITERS, ids=lambda w: w.__name__)
def test_any_axis_order_and_direction_gives_the_same_patient(tmp_path: Path, write: Write):
    expected = patient()
    for number, order in enumerate(itertools.permutations((0, 1, 2))):
        for signs in ((1, 1, 1), (-1, 1, -1)):
            values = expected.values.transpose(order)[tuple(slice(None, None, s) for s in signs)]
            letters = [
                f"{'-' if s < 0 else ''}{'zyx'[k]}" for s, k in zip(signs, order, strict=True)
            ]
            path = write(tmp_path / f"a{number}", values, {**SIZES, "order": " ".join(letters)})
            found = read_volume(path)
            np.testing.assert_array_equal(found.values, expected.values)
            assert found.grid == expected.grid and found.axes == "LPS" and not found.notes


@pytest.mark.parametrize("kind", ["u1", ">i2", "f2", ">f8"])
def test_any_real_number_type_is_read(tmp_path: Path, kind: str) -> None:
    for write in WRITERS:
        found = read_volume(write(tmp_path / write.__name__, patient().values.astype(kind), SIZES))
        np.testing.assert_array_equal(found.values, patient().values)


def test_column_major_array_gives_the_same_volume(tmp_path: Path) -> None:
    path = in_npy(tmp_path / "a", np.asfortranarray(patient().values), SIZES)
    np.testing.assert_array_equal(read_volume(path).values, patient().values)


def test_map_has_its_unit_and_is_centred_by_default(tmp_path: Path) -> None:
    values = np.zeros((4, 5, 6))
    values[1:3, 1:4, 1:5] = 0.096
    sizes = {"voxel_mm": [2.0, 2.0, 2.5], "order": "zyx", "unit": "1/cm"}
    for write in WRITERS:
        found = read_mu_map(write(tmp_path / write.__name__, values, sizes), None)
        assert found.unit == "1/mm" and found.grid.centre_mm == (0, 0, 0)
        np.testing.assert_allclose(found.values.max(), 0.0096, rtol=1e-6)
        assert any("the centre of the volume is used as the origin" in note for note in found.notes)


def test_one_of_several_volumes_must_be_named(tmp_path: Path) -> None:
    arrays = {"a": patient().values, "b": patient().values + 1, "list": np.arange(100.0)}
    np.savez(tmp_path / "x.npz", **arrays, **SIZES)
    with pytest.raises(EngineError, match=r"2 volumes .*a 3 × 4 × 5.*array = \"mu\""):
        read_volume(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", **arrays, **SIZES, array="b")
    np.testing.assert_array_equal(read_volume(tmp_path / "x.npz").values, patient().values + 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"order": None}, r'write order = "zyx"'),
        ({"order": "zyy"}, r"order of the axes 'zyy' is not valid"),
        ({"order": 3}, "'order' is 3, expected text"),
        ({"voxel_mm": [2, 2]}, r"'voxel_mm' is \[2, 2\], expected three numbers"),
        ({"voxel_mm": [2, 2, 0]}, "voxel size is 2 × 2 × 0 mm"),
        ({"voxel_mm": ["2", "2", "2"]}, "expected three numbers"),
        ({"unit": "1/m"}, "unknown unit '1/m'"),
        ({"centre": [0, 0, 0]}, "'centre' is an unknown key"),
        ({"shape": [3, 5, 4]}, "the array has 3 × 4 × 5 values, but its sidecar states 3 × 5 × 4"),
        ({"array": "x"}, "no volume 'x'"),
    ],
)
def test_wrong_sizes_give_one_sentence(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    sizes = {key: value for key, value in {**SIZES, **change}.items() if value is not None}
    with pytest.raises(EngineError, match=words):
        read_volume(in_npy(tmp_path / "a", patient().values, sizes))


def test_invalid_json_and_duplicate_sizes_are_refused(tmp_path: Path) -> None:
    path = in_npy(tmp_path / "a", patient().values, SIZES)
    path.with_suffix(".json").write_text('{"voxel_mm": [1, 2, 3], }')
    with pytest.raises(EngineError, match=r"a\.json: not valid JSON"):
        read_volume(path)
    in_npy(tmp_path / "b", patient().values, SIZES)
    with pytest.raises(EngineError, match=r"both this file and b\.json"):
        read_volume(in_numpy(tmp_path / "b", patient().values, SIZES))


def test_values_that_a_volume_cannot_have_are_refused(tmp_path: Path) -> None:
    for values, words in (
        (np.full((2, 2, 2), 1e300), "8 of 8 values are not numbers"),
        (np.ones((2, 2, 2), complex), "contains 0 volumes"),
        (np.ones((2, 2, 2, 2)), "contains 0 volumes"),
    ):
        with pytest.raises(EngineError, match=words):
            read_volume(in_npy(tmp_path / "a", values, SIZES))


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    for write in WRITERS:
        path = write(tmp_path / write.__name__, patient().values, SIZES)
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(EngineError, match=r"truncated|damaged"):
            read_volume(path)


def test_remedy_in_the_error_message_is_sufficient(tmp_path: Path) -> None:
    """The text in the error message, saved to the named file, makes the array a volume."""
    np.save(tmp_path / "mu.npy", patient().values)
    np.savez(tmp_path / "all.npz", mu=patient().values)
    (fault,) = inspect(tmp_path / "mu.npy").faults
    text = fault[fault.index("{") : fault.index("}") + 1]
    assert text in inspect(tmp_path / "all.npz").faults[0]
    (tmp_path / "mu.json").write_text(text)
    np.savez(tmp_path / "all.npz", mu=patient().values, **json.loads(text))
    for name in ("mu.npy", "all.npz"):
        found = read_volume(tmp_path / name)
        np.testing.assert_array_equal(found.values, patient().values)
        assert list(found.grid.voxel_mm) == json.loads(text)["voxel_mm"]
        assert not is_projections(tmp_path / name)


def test_other_json_file_is_ignored(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", patient().values)
    (tmp_path / "a.json").write_text('{"RepetitionTime": 2}')
    with pytest.raises(UnknownFormatError, match="without a voxel size"):
        read_volume(tmp_path / "a.npy")
    assert tmp_path / "a.json" not in files_behind(tmp_path / "a.npy")


def test_text_file_of_an_array_is_never_overwritten(tmp_path: Path) -> None:
    path = in_npy(tmp_path / "a", patient().values, SIZES)
    assert path.with_suffix(".json") in files_behind(path)


@pytest.mark.parametrize("is_packed", [True, False])
def test_matlab_variables_are_listed_without_decompression(
    tmp_path: Path, *, is_packed: bool
) -> None:
    values = {"first": np.arange(5.0), "long_name": np.ones((50, 60, 70)), "word": "odd"}
    scipy.io.savemat(tmp_path / "a.mat", values, do_compression=is_packed)
    with open_input(tmp_path / "a.mat") as file:
        found = list(matlab.entries(file.read, file.size))
        assert [each.name for each in found] == list(values)
        head = file.read(matlab.HEADER_BYTES)
        for each in found:
            content = memoryview(head + file.read(each.n_bytes, each.start))
            ((name, _),) = matlab.variables(content, 10**7)
            assert name == each.name
