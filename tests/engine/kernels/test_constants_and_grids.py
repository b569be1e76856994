"""Constant memory set by the host, copies on the device, and grids with several axes."""

import numpy as np
import pytest

from tests.emulator import EmulatedGpu
from tests.emulator.kernels import KernelError

CONSTANTS = """
struct View {
  float3 source;
  int number;
};
__constant__ View views[4];  // __constant__ float ignored[3];
__constant__ __align__(16) float scale = 2.0f;
__constant__ float weights[] = {0.5f, 0.25f};
extern "C" __global__ void read(float* out) {
  const View view = views[threadIdx.x];
  out[threadIdx.x] = scale * (view.source.x + 10 * view.source.z) + view.number + weights[0];
}
"""
VIEW = np.dtype([("source", "f4", 3), ("number", "i4")])

INDICES = """
extern "C" __global__ void __launch_bounds__(64) number(int* out) {
  const int nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  __syncthreads();
  out[(z * ny + y) * nx + x] += 10000 * z + 100 * y + x;
}
extern "C" __global__ void lanes(int* out) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[thread] = __shfl_sync(~0u, 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x, 31);
}
"""


def some_views():
    views = np.zeros(4, VIEW)
    views["source"] = np.arange(12).reshape(4, 3)
    views["number"] = [100, 200, 300, 400]
    return views


def expected_values(views, scale=2.0):
    source = views["source"]
    return (scale * (source[:, 0] + 10 * source[:, 2]) + views["number"] + 0.5).tolist()


def as_bytes(array):
    return np.ascontiguousarray(array).view(np.uint8).reshape(-1)


def test_host_sets_constants(on_gpu):
    gpu, views = on_gpu.gpu, some_views()
    module, out = gpu.load(CONSTANTS, ()), gpu.empty((4,), np.float32)

    constant = module.constant("views")
    gpu.copy(gpu.upload(as_bytes(views)), constant)
    module.function("read")(1, 4, out)

    assert constant.shape == (views.nbytes,)
    assert gpu.download(out).tolist() == expected_values(views)


def test_part_of_a_constant_can_be_set(on_gpu):
    gpu, views = on_gpu.gpu, some_views()
    module, out = gpu.load(CONSTANTS, ()), gpu.empty((4,), np.float32)
    everything, constant = gpu.upload(as_bytes(views)), module.constant("views")
    gpu.copy(everything, constant)

    gpu.copy(everything[:32], constant[32:])
    gpu.copy(gpu.upload(as_bytes(np.float32(3))), module.constant("scale"))
    module.function("read")(1, 4, out)

    assert gpu.download(out).tolist() == expected_values(views[[0, 1, 0, 1]], scale=3)


def test_graphs_set_constants_between_launches(on_gpu):
    gpu, views = on_gpu.gpu, some_views()
    module, out = gpu.load(CONSTANTS, ()), gpu.empty((2, 4), np.float32)
    on_device, constant = gpu.empty((2, 64), np.uint8), module.constant("views")
    read = module.function("read")
    gpu.copy(gpu.upload(as_bytes(np.float32(2))), module.constant("scale"))

    def work():
        for i in range(2):
            gpu.copy(on_device[i], constant)
            read(1, 4, out[i])

    graph = gpu.record(work)
    for part in (views[::-1], views[[1, 2, 1, 2]]):
        gpu.upload(np.stack([as_bytes(views), as_bytes(part)]), on_device)
        graph.launch()
        assert gpu.download(out).tolist() == [expected_values(views), expected_values(part)]


def test_two_gpus_have_separate_constants():
    first, second = EmulatedGpu(), EmulatedGpu()
    for gpu, value in ((first, 7), (second, 8)):
        gpu.copy(gpu.upload(as_bytes(np.float32(value))), gpu.load(CONSTANTS, ()).constant("scale"))

    again = first.load(CONSTANTS, ()).constant("scale").view(np.float32)

    assert first.download(again).tolist() == [7]


def test_unknown_constant_is_an_error():
    with pytest.raises(KernelError, match="constant ignored: the source has views, scale, weights"):
        EmulatedGpu().load(CONSTANTS, ()).constant("ignored")


def test_copies_have_equal_shapes_and_are_contiguous(on_gpu):
    gpu = on_gpu.gpu
    x, wide = gpu.upload(np.ones(4, np.float32)), gpu.upload(np.ones((4, 2), np.float32))

    for values, out in (
        (x, gpu.empty((3,), np.float32)),
        (x, gpu.empty((4,), np.int32)),
        (wide[:, 0], x),
        (x, wide[:, 0]),
    ):
        with pytest.raises(ValueError, match=r"cannot be copied|strided"):
            gpu.copy(values, out)


def test_recorded_copy_does_not_hold_its_arrays():
    gpu = EmulatedGpu()
    x, arrays = gpu.upload(np.ones(4, np.float32)), [gpu.empty((4,), np.float32)]
    graph = gpu.record(lambda: gpu.copy(x, arrays[0]))
    graph.launch()
    arrays.clear()

    with pytest.raises(KernelError, match="is no more"):
        graph.launch()


@pytest.mark.parametrize("reverse", [False, True], ids=["ascending", "descending"])
@pytest.mark.parametrize(
    ("n_blocks", "n_threads", "shape"),
    [
        (3, 5, (1, 1, 15)),
        ((3, 2), 4, (1, 2, 12)),
        ((2, 3), (4, 5), (1, 15, 8)),
        ((2, 3, 4), (8, 4, 2), (8, 12, 16)),
        ((1, 1, 5), (1, 1, 3), (15, 1, 1)),
    ],
)
def test_blocks_and_threads_have_up_to_three_axes(n_blocks, n_threads, shape, reverse):
    gpu = EmulatedGpu(reverse=reverse)
    out = gpu.upload(np.zeros(shape, np.int32))

    gpu.load(INDICES, ()).function("number")(n_blocks, n_threads, out)

    z, y, x = np.indices(shape)
    np.testing.assert_array_equal(gpu.download(out), 10000 * z + 100 * y + x)


def test_real_gpu_numbers_blocks_and_threads_alike(on_gpu):
    gpu, out = on_gpu.gpu, on_gpu.gpu.upload(np.zeros((8, 12, 16), np.int32))

    on_gpu.gpu.load(INDICES, ()).function("number")((2, 3, 4), (8, 4, 2), out)

    z, y, x = np.indices((8, 12, 16))
    np.testing.assert_array_equal(gpu.download(out), 10000 * z + 100 * y + x)


def test_warps_count_threads_along_x_first(on_gpu):
    gpu, out = on_gpu.gpu, on_gpu.gpu.upload(np.zeros(64, np.int32))

    gpu.load(INDICES, ()).function("lanes")(1, (4, 8, 2), out)

    assert gpu.download(out).tolist() == [73] * 32 + [173] * 32


@pytest.mark.parametrize(
    ("n_blocks", "n_threads"),
    [(1, (8, 9)), (1, (1, 1, 65)), ((1, 65536), 1), ((1, 1, 1, 1), 1), (1, (0, 1)), (1, ())],
)
def test_impossible_grid_is_an_error(n_blocks, n_threads):
    gpu = EmulatedGpu()
    out = gpu.upload(np.zeros(64, np.int32))

    with pytest.raises(KernelError):
        gpu.load(INDICES, ()).function("number")(n_blocks, n_threads, out)


def test_empty_grid_runs_nothing(on_gpu):
    gpu, out = on_gpu.gpu, on_gpu.gpu.upload(np.zeros(4, np.int32))

    gpu.load(INDICES, ()).function("number")((3, 0), 4, out)

    assert gpu.download(out).tolist() == [0] * 4
