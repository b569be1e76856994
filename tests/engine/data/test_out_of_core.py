"""Tests of arrays in files: the bits of NumPy, little memory, few writes."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from engine.core.arrays import module_of, n_not_finite, to_host
from engine.core.errors import GeometryError
from engine.data.storage.iterates import IterateStorage, iterate_files
from engine.data.storage.out_of_core import MAX_READ, OutOfCore, OutOfCoreArray
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import TotalVariation
from engine.recon.priors.tv_slabs import SlabbedTotalVariation

SHAPE = (7, 5, 6)


@pytest.fixture
def storage(tmp_path: Path) -> IterateStorage:
    return IterateStorage(tmp_path, job=tmp_path)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use blocks of two rows, so that the last block is incomplete."""
    monkeypatch.setattr("engine.data.storage.out_of_core.BLOCK_BYTES", 2 * 4 * 5 * 6)


def random_images(
    rng: np.random.Generator, n: int, shape: tuple[int, ...] = SHAPE
) -> list[np.ndarray]:
    return [rng.standard_normal(shape, np.float32) for _ in range(n)]


def filed(storage: IterateStorage, arrays: list[np.ndarray]) -> list[OutOfCoreArray]:
    return [OutOfCoreArray(storage, storage.in_memory(values)) for values in arrays]


FORMULAS = {
    "a sum": lambda xp, x, y, z: x + 2 * y,
    "a step": lambda xp, x, y, z: xp.clip(x + 0.7 * (y * z), 0.0, np.inf),
    "a choice": lambda xp, x, y, z: xp.where(y > 0.1, x / xp.where(y > 0.1, y, 1), 0),
    "functions of elements": lambda xp, x, y, z: xp.sqrt(xp.abs(-x)) - xp.maximum(y, z),
    "many arrays": lambda xp, x, y, z: x + y - z * x + (y / (z + 9)) * (x - y) - x * y * z,
    "another type": lambda xp, x, y, z: (x > y).astype(np.float32) * x,
    "rows": lambda xp, x, y, z: (x + y)[1::3] * z[1::3],
    "numbers of numpy": lambda xp, x, y, z: np.float32(2) * x - np.float64(3) * y,
    "an array in memory": lambda xp, x, y, z: np.full(SHAPE, 2.5, np.float32) - x * xp.ones_like(y),
    "no files": lambda xp, x, y, z: xp.ones(SHAPE, np.float32) + xp.zeros(SHAPE, np.float32),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_expressions_have_the_bits_of_numpy(
    rng: np.random.Generator, storage: IterateStorage, name: str
) -> None:
    arrays, formula = random_images(rng, 3), FORMULAS[name]
    expected = formula(np, *arrays)
    found = formula(OutOfCore(storage), *filed(storage, arrays))
    assert isinstance(found, OutOfCoreArray)
    assert (found.shape, found.dtype, found.size) == (expected.shape, expected.dtype, expected.size)
    assert found.n_read <= MAX_READ
    np.testing.assert_array_equal(np.concatenate([part for _, part in found.parts()]), expected)
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.stack(list(found)), expected)


def test_sums_use_double_precision_and_write_nothing(
    rng: np.random.Generator, storage: IterateStorage
) -> None:
    (x, y), xp = random_images(rng, 2), OutOfCore(storage)
    a, b = filed(storage, [x, y])
    n_files = len(storage._maps)
    assert float(xp.sum(a * b, dtype=np.float64)) == pytest.approx(
        float(np.sum(x.astype(np.float64) * y)), rel=1e-6
    )
    assert float((a - b).max()) == (x - y).max() == float(xp.max(a - b))
    with np.errstate(all="ignore"):
        assert xp.isfinite(a * b).all() and n_not_finite(a / (a - a)) == a.size
    assert len(storage._maps) == n_files


def test_expression_is_evaluated_once_and_its_files_removed(
    rng: np.random.Generator, storage: IterateStorage
) -> None:
    x = OutOfCoreArray(storage, storage.in_memory(random_images(rng, 1)[0]))
    total = x * 2
    in_memory = total.in_memory()
    assert total.in_memory() is in_memory and total.n_read == 1
    assert len(storage._maps) == 2
    del x, in_memory
    again = total + 1
    del total
    again.in_memory()
    assert len(storage._maps) == 1


def test_displayed_image_has_a_named_file(
    rng: np.random.Generator, storage: IterateStorage, tmp_path: Path
) -> None:
    values = random_images(rng, 1)[0]
    x = OutOfCoreArray(storage, storage.in_memory(values))
    first, second = x * 2, x * 3
    shown = to_host(first)
    assert [path.name for path in iterate_files(tmp_path)] == ["iterate-000001.f32"]
    to_host(second)
    assert [path.name for path in iterate_files(tmp_path)] == ["iterate-000002.f32"]
    np.testing.assert_array_equal(
        np.fromfile(iterate_files(tmp_path)[0], "<f4"), 3 * values.ravel()
    )
    np.testing.assert_array_equal(shown, 2 * values)  # the displayed file is unchanged
    assert to_host(second) is second.in_memory()


def test_rows_take_the_memory_of_a_few_rows(
    rng: np.random.Generator, storage: IterateStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.data.storage.out_of_core.BLOCK_BYTES", 1 << 16)
    x, y = filed(storage, random_images(rng, 2, (64, 64, 64)))
    (x + 1).in_memory()  # load modules before the measurement
    tracemalloc.start()
    z = x + 2 * y * x
    z.in_memory()
    z.sum()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 16 < 4 * x.size


def test_iterated_rows_are_written_into_a_file(
    rng: np.random.Generator, storage: IterateStorage
) -> None:
    values = random_images(rng, 1)[0]
    of_a_row = np.dtype((np.float32, SHAPE[1:]))
    found = OutOfCore(storage).fromiter(iter(values), dtype=of_a_row, count=len(values))
    np.testing.assert_array_equal(found, values)


def test_arrays_of_different_shapes_are_refused(
    rng: np.random.Generator, storage: IterateStorage
) -> None:
    x = OutOfCoreArray(storage, storage.in_memory(random_images(rng, 1)[0]))
    with pytest.raises(GeometryError, match=r"of the shapes \(7, 5, 6\) and \(2, 5, 6\)"):
        x + x[:2]


def test_array_names_its_module(rng: np.random.Generator, storage: IterateStorage) -> None:
    x = OutOfCoreArray(storage, storage.in_memory(random_images(rng, 1)[0]))
    assert isinstance(module_of(x), OutOfCore) and module_of(x).storage is storage


@pytest.mark.parametrize("budget", [0, 200_000])
@pytest.mark.parametrize("steps", [1, 4])
def test_total_variation_in_slabs_has_the_bits_of_the_whole(
    rng: np.random.Generator, tmp_path: Path, budget: int, steps: int
) -> None:
    shape, spacing = (23, 6, 5), (2.0, 1.0, 1.5)
    storage, gradient = IterateStorage(tmp_path, budget_bytes=budget), Gradient(shape, spacing)
    v = random_images(rng, 2, shape)
    whole, slabs = TotalVariation(gradient), SlabbedTotalVariation(gradient)
    flow, flow_in_file = (
        whole.no_flow(v[0]),
        slabs.no_flow(OutOfCoreArray(storage, storage.in_memory(v[0]))),
    )
    for values in v:  # the second one starts from the dual image of the first
        a, flow = whole.prox(values, 0.3, bounds=lambda x: x.clip(0), flow=flow, steps=steps)
        b, flow_in_file = slabs.prox(
            OutOfCoreArray(storage, storage.in_memory(values)),  # type: ignore[arg-type]
            0.3,
            bounds=lambda x: x.clip(0),
            flow=flow_in_file,
            steps=steps,
        )
        np.testing.assert_array_equal(b, a)
        np.testing.assert_array_equal(flow_in_file, np.moveaxis(flow, 0, 1))
