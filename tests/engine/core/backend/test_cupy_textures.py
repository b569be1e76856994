"""Tests of CUDA textures: layout and copies; the kernels test their values."""

import gc
from types import SimpleNamespace

import numpy as np
import pytest

from engine.core.backend import cuda, cupy_textures, textures


@pytest.mark.parametrize(
    "shape", [(3, 5, 7), (2, 768, 1024), (4, 1, 1), (1, 100, 129), (5, 33, 40)]
)
@pytest.mark.parametrize("row_bytes", [32, 64, 128])
def test_rows_and_images_in_pitched_memory_are_aligned(shape, row_bytes):
    n_pictures, n_rows, n_columns = textures.padded(shape, row_bytes)

    assert 4 * n_columns % row_bytes == 0
    assert 4 * n_columns * n_rows % textures.LAYER_BYTES == 0
    assert n_pictures == shape[0]
    assert n_rows >= shape[1]
    assert 0 <= n_columns - shape[2] < row_bytes // 4


def test_pitched_memory_of_common_detectors_is_not_padded():
    assert textures.padded((720, 768, 1024)) == (720, 768, 1024)


def test_copy_structure_has_the_cuda_layout():
    """Offsets from `driver_types.h` of CUDA 13, where pointers and sizes have 8 bytes."""
    copy = cupy_textures._Copy
    names = [name for name, _ in copy._fields_]

    assert [getattr(copy, name).offset for name in names] == [0, 8, 32, 64, 72, 96, 128, 152]


def test_copy_sizes_are_texels_in_arrays_and_bytes_in_memory():
    pytest.importorskip("cupy")
    values = SimpleNamespace(shape=(2, 6, 7), data=SimpleNamespace(ptr=1000))
    stored = SimpleNamespace(shape=(4, 16, 8), data=SimpleNamespace(ptr=2000))

    to_array = cupy_textures._copy(values, to_array=SimpleNamespace(ptr=3000), first=3)
    to_memory = cupy_textures._copy(values, to_memory=stored)

    assert (to_array.to_array, to_array.to_memory.at, to_array.to_position.z) == (3000, None, 3)
    assert (to_memory.to_array, to_memory.to_memory.at) == (None, 2000)
    for copy, width in ((to_array, 7), (to_memory, 28)):
        assert (copy.extent.x, copy.extent.y, copy.extent.z) == (width, 6, 2)
        assert (copy.from_memory.at, copy.from_memory.pitch, copy.from_memory.n_rows) == (
            1000, 28, 6,
        )  # fmt: skip
    assert (to_memory.to_memory.pitch, to_memory.to_memory.n_rows) == (32, 16)


def test_textures_are_linear_in_texels_and_zero_outside():
    runtime = pytest.importorskip("cupy").cuda.runtime

    reading = cupy_textures._reading().get_texture_desc()

    assert reading["addressMode"] == (runtime.cudaAddressModeBorder,) * 3
    assert reading["filterMode"] == runtime.cudaFilterModeLinear
    assert reading["readMode"] == runtime.cudaReadModeElementType
    assert reading["borderColor"] == (0, 0, 0, 0)
    assert reading["normalizedCoords"] == 0
    assert cupy_textures._float().get_channel_format()["x"] == 32


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["array", "pitched"])
def test_texture_deleted_during_graph_recording_is_harmless(kind):
    gpu = cuda().gpu
    textures = [gpu.texture(kind, (2, 4, 8))]
    source, target = gpu.upload(np.arange(5.0)), gpu.empty((5,), float)

    def work() -> None:
        textures.clear()
        gc.collect()
        gpu.copy(source, target)

    gpu.record(work).launch()
    assert np.array_equal(gpu.download(target), np.arange(5.0))
    assert not cupy_textures._references
