"""Tests of the emulated GPU: kernels run as on a real one, and faults are reported."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.core.arrays import module_of
from engine.core.backend import cuda
from engine.core.errors import DeviceError, DeviceMemoryError
from tests.emulator import EmulatedGpu
from tests.emulator.kernels import KernelError
from tests.emulator.sanitizer import sanitizer_environment

ROOT = Path(__file__).parents[3]
BOTH_ORDERS = pytest.mark.parametrize("reverse", [False, True], ids=["ascending", "descending"])

DOUBLE = """
extern "C" __global__ void twice(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}
"""
BLOCK_SUM = """
extern "C" __global__ void __launch_bounds__(64) total(const float* values, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = values[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  for (int half = 32; half; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    BARRIER
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
"""


def kernel(source, name, gpu):
    return gpu.load(source, ()).function(name)


def warp_results(expression, gpu=None, *, type_="int", n=32):
    """Return the value of an expression of `lane` and `value` = 10 lane + 1 in each lane."""
    gpu = gpu or EmulatedGpu()
    source = f"""
    extern "C" __global__ void lanes({type_}* out) {{
      const int lane = threadIdx.x;
      const {type_} value = 10 * lane + 1;
      out[lane] = {expression};
    }}"""
    out = gpu.upload(np.zeros(n, {"int": np.int32, "double": np.float64}[type_]))
    kernel(source, "lanes", gpu)(1, n, out)
    return gpu.download(out).tolist()


@BOTH_ORDERS
def test_barrier_synchronises_the_threads_of_a_block(reverse, rng):
    gpu = EmulatedGpu(reverse=reverse)
    values = rng.integers(0, 100, (50, 64)).astype(np.float32)
    out = gpu.empty((50,), np.float32)

    kernel(BLOCK_SUM.replace("BARRIER", "__syncthreads();"), "total", gpu)(
        50, 64, gpu.upload(values), out
    )

    np.testing.assert_array_equal(gpu.download(out), values.sum(1))


@BOTH_ORDERS
def test_threads_run_in_the_requested_order(reverse):
    gpu = EmulatedGpu(reverse=reverse)
    source = """
    extern "C" __global__ void draw(int* ticket, int* out) {
      out[threadIdx.x] = atomicAdd(ticket, 1);
    }"""
    ticket, out = gpu.upload(np.zeros(1, np.int32)), gpu.empty((96,), np.int32)

    kernel(source, "draw", gpu)(1, 96, ticket, out)

    tickets = gpu.download(out).tolist()
    assert tickets == (list(range(96))[::-1] if reverse else list(range(96)))


def test_missing_barrier_is_visible_in_one_order():
    totals = []
    for reverse in (False, True):
        gpu = EmulatedGpu(reverse=reverse)
        out = gpu.empty((1,), np.float32)
        values = gpu.upload(np.ones(64, np.float32))
        kernel(BLOCK_SUM.replace("BARRIER", ""), "total", gpu)(1, 64, values, out)
        totals.append(gpu.download(out)[0])

    assert totals[0] != 64 or totals[1] != 64


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if (threadIdx.x < 16) __syncthreads();", "16 at line 3, 16 have ended"),
        (
            "if (threadIdx.x < 5) __syncthreads(); else\n __syncthreads();",
            "5 at line 3, 27 at line",
        ),
        ("if (threadIdx.x < 16) __shfl_xor_sync(0xffffffffu, 1, 1);\n __syncthreads();", "16 at"),
        ("if (threadIdx.x < 16) __syncwarp(0xffff0000u);", "lane 0 is not in its own mask"),
        ("if (threadIdx.x < 16) *out = __shfl_sync(0xffffu, 1, 20);", "reads lane 20"),
    ],
    ids=["ended", "two lines", "warp and block", "mask", "absent lane"],
)
def test_divergence_at_a_barrier_is_reported(body, words):
    gpu = EmulatedGpu()
    source = f'extern "C" __global__ void bad(int* out) {{\n\n{body} }}'

    with pytest.raises(KernelError, match=rf"kernel bad, block 0: .*{words}"):
        kernel(source, "bad", gpu)(1, 32, gpu.empty((1,), np.int32))


@BOTH_ORDERS
@pytest.mark.parametrize(
    ("expression", "source_of"),
    [
        ("__shfl_sync(~0u, value, 7)", lambda lane: 7),
        ("__shfl_sync(~0u, value, lane + 3)", lambda lane: (lane + 3) % 32),
        ("__shfl_sync(~0u, value, 2, 8)", lambda lane: lane // 8 * 8 + 2),
        ("__shfl_xor_sync(~0u, value, 5)", lambda lane: lane ^ 5),
        ("__shfl_up_sync(~0u, value, 4)", lambda lane: lane - 4 if lane >= 4 else lane),
        ("__shfl_down_sync(~0u, value, 9)", lambda lane: lane + 9 if lane + 9 < 32 else lane),
        ("__shfl_down_sync(~0u, value, 1, 4)", lambda lane: lane if lane % 4 == 3 else lane + 1),
    ],
)
@pytest.mark.parametrize("type_", ["int", "double"])
def test_shuffles_read_the_named_lane(expression, source_of, type_, reverse):
    actual = warp_results(expression, EmulatedGpu(reverse=reverse), type_=type_)

    assert actual == [10 * source_of(lane) + 1 for lane in range(32)]


def test_votes_count_the_participating_lanes():
    assert set(warp_results("__ballot_sync(~0u, lane % 3 == 0) == 0x49249249u")) == {1}
    assert set(warp_results("__popc(__ballot_sync(~0u, 1))", n=20)) == {20}
    assert set(warp_results("__any_sync(~0u, lane == 31)")) == {1}
    assert set(warp_results("__any_sync(~0u, lane == 32)")) == {0}
    assert set(warp_results("__all_sync(~0u, lane < 32)")) == {1}
    assert set(warp_results("__all_sync(~0u, lane != 9)")) == {0}
    assert warp_results("lane < 8 ? __ballot_sync(0xffu, 1) : __ballot_sync(~0xffu, 1)") == (
        [0xFF] * 8 + [-0x100] * 24
    )


@pytest.mark.parametrize("type_", ["int", "unsigned", "unsigned long long", "float", "double"])
def test_atomic_sums_lose_nothing(type_):
    gpu = EmulatedGpu()
    dtype = {"int": "i4", "unsigned": "u4", "float": "f4", "double": "f8"}.get(type_, "u8")
    source = f'extern "C" __global__ void sum({type_}* out) {{ atomicAdd(out, ({type_})2); }}'
    out = gpu.upload(np.zeros(1, dtype))

    kernel(source, "sum", gpu)(1000, 64, out)

    assert gpu.download(out)[0] == 128_000


def test_atomic_bounds_bits_and_exchange_work():
    gpu = EmulatedGpu()
    source = """
    extern "C" __global__ void mark(int* out) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      atomicMax(out, i);
      atomicMin(out + 1, -i);
      atomicOr(out + 2, 1 << i % 20);
      if (i == 3) out[3] = atomicExch(out + 4, 5);
    }"""
    out = gpu.upload(np.array([0, 0, 0, 0, 9], np.int32))

    kernel(source, "mark", gpu)(10, 32, out)

    assert gpu.download(out).tolist() == [319, -319, (1 << 20) - 1, 9, 5]


def test_constants_vectors_and_bits_work():
    gpu = EmulatedGpu()
    source = """
    __constant__ float weights[] = {0.5f, 0x1.8p+1};
    __constant__ int2 pair = {3, 4};
    extern "C" __global__ void read(float* out, const float2* points) {
      out[0] = weights[0] + weights[1];
      out[1] = make_int2(pair.y, pair.x).x;
      out[2] = points[1].x;
      out[3] = __int_as_float(__float_as_int(-2.5f));
      out[4] = __float2int_rn(2.5f) + 10 * __float2int_rd(-0.5f) + 100 * __float2int_ru(0.5f);
      out[5] = fminf(1.0f, nanf("")) + max(2, 3) + copysignf(4.0f, -0.0f);
    }"""
    out = gpu.empty((6,), np.float32)

    kernel(source, "read", gpu)(1, 1, out, gpu.upload(np.arange(6, dtype=np.float32)))

    assert gpu.download(out).tolist() == [3.5, 4, 2, -2.5, 92, 0]


def test_products_are_rounded_before_they_are_added():
    gpu = EmulatedGpu()
    source = """
    extern "C" __global__ void residue(const float* x, float* out) {
      out[0] = x[0] * x[0] - x[1];
      out[1] = fmaf(x[0], x[0], -x[1]);
    }"""
    x = np.float32(1 + 2**-12)
    out = gpu.empty((2,), np.float32)

    kernel(source, "residue", gpu)(1, 1, gpu.upload(np.array([x, x * x])), out)

    assert gpu.download(out).tolist() == [0, 2.0**-24]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda a, gpu: (np.ones(4, np.float32), np.int32(4)), "ndarray, needs an array of the"),
        (lambda a, gpu: (gpu.upload(np.ones(4)), np.int32(4)), "float64, needs float32"),
        (lambda a, gpu: (a[::2], np.int32(4)), "a strided view"),
        (lambda a, gpu: (a, 4), "int 4, needs a numpy scalar int32"),
        (lambda a, gpu: (a, np.int64(4)), "argument 2: int64, needs int32"),
        (lambda a, gpu: (a, np.float32(4)), "float32, needs int32"),
        (lambda a, gpu: (a, a.max()), "DeviceArray"),
        (lambda a, gpu: (a,), "takes 2 arguments, not 1"),
    ],
)
def test_launch_accepts_only_the_declared_types(wrong, words):
    gpu = EmulatedGpu()
    values = gpu.upload(np.ones(4, np.float32))

    with pytest.raises(TypeError, match=words):
        kernel(DOUBLE, "twice", gpu)(1, 4, *wrong(values, gpu))
    assert gpu.download(values).tolist() == [1] * 4


def test_block_size_is_limited_by_the_kernel():
    gpu = EmulatedGpu()
    values, out = gpu.upload(np.ones(128, np.float32)), gpu.empty((1,), np.float32)

    with pytest.raises(KernelError, match=r"1 blocks of 65 threads, it takes 1 to 64"):
        kernel(BLOCK_SUM.replace("BARRIER", ""), "total", gpu)(1, 65, values, out)


def test_compiler_error_names_its_line():
    with pytest.raises(DeviceError, match=r"kernel\.cu:2.*nothing"):
        EmulatedGpu().load('extern "C" __global__ void bad(float* a) {\n *a = nothing; }', ())


def test_host_and_device_arrays_cannot_be_mixed():
    gpu = EmulatedGpu()
    on_host, on_device = np.ones(3, np.float32), gpu.upload(np.arange(3, dtype=np.float32))

    for meet in (
        lambda: on_device + on_host,
        lambda: on_host * on_device,
        lambda: np.where(on_device > 0, on_host, on_device),
        lambda: gpu.xp.concatenate([on_device, on_host]),
        lambda: on_device.__setitem__(slice(2), on_host[:2]),
    ):
        with pytest.raises(TypeError, match="upload it first"):
            meet()
    with pytest.raises(TypeError, match="upload takes"):
        gpu.upload(on_device)
    with pytest.raises(TypeError, match="download takes"):
        gpu.download(on_host)


def test_results_stay_on_the_device():
    gpu = EmulatedGpu()
    x = gpu.upload(np.arange(6, dtype=np.float32).reshape(2, 3))
    x += 1
    x[0, 0] = 5

    results = [x * 2, x.sum(), x[0], x[0, 1], np.sqrt(x), gpu.xp.maximum(x, 3), x.T.copy()]

    assert {type(result) for result in results} == {type(x)}
    assert all(module_of(result) is gpu.xp for result in results)
    assert gpu.download(x).tolist() == [[5, 2, 3], [4, 5, 6]]
    assert float(x.mean(dtype=np.float64)) == 25 / 6


def test_graph_replays_its_recorded_launches():
    gpu = EmulatedGpu()
    values, sums = gpu.upload(np.ones(4, np.float32)), gpu.upload(np.ones(4, np.float32))
    twice = kernel(DOUBLE, "twice", gpu)

    def work():
        gpu.zero(sums)
        twice(1, 4, values, np.int32(4))
        np.add(sums, values, out=sums)

    graph = gpu.record(work)
    assert gpu.n_launches == 0
    assert gpu.download(values).tolist() == [1] * 4
    for _ in range(3):
        graph.launch()

    assert gpu.n_launches == 3
    assert gpu.download(sums).tolist() == [8] * 4


@pytest.mark.parametrize(
    "work",
    [
        lambda gpu, x: gpu.empty((2,), np.float32),
        lambda gpu, x: gpu.upload(np.ones(4, np.float32), x),
        lambda gpu, x: gpu.download(x),
        lambda gpu, x: float(x[0]),
        lambda gpu, x: x + 1,
        lambda gpu, x: gpu.stamp(),
    ],
    ids=["empty", "upload", "download", "number", "new array", "stamp"],
)
def test_graph_cannot_record_allocations_and_transfers(work):
    gpu = EmulatedGpu()
    x = gpu.upload(np.ones(4, np.float32))

    with pytest.raises(DeviceError, match="recording a graph"):
        gpu.record(lambda: work(gpu, x))
    work(gpu, x)


def test_graph_does_not_hold_its_arrays():
    gpu = EmulatedGpu()
    arrays = [gpu.upload(np.ones(4, np.float32))]
    graph = gpu.record(lambda: kernel(DOUBLE, "twice", gpu)(1, 4, *arrays, np.int32(4)))
    arrays.clear()

    with pytest.raises(KernelError, match="is no more"):
        graph.launch()


def test_memory_is_limited():
    gpu = EmulatedGpu(memory_limit=1000)
    first = gpu.empty((100,), np.float32)
    assert gpu.free_bytes() == 600

    with pytest.raises(DeviceMemoryError, match="1000"):
        gpu.upload(np.zeros(200, np.float32))
    with pytest.raises(DeviceMemoryError):
        _ = gpu.xp.zeros(200, np.float32)
    second = first + 1
    assert gpu.free_bytes() == 200
    view = second[10:]
    del first, second
    assert gpu.free_bytes() == 600
    del view
    assert gpu.memory.used_bytes == 0

    gpu.memory_limit = 10
    with pytest.raises(DeviceMemoryError):
        gpu.empty((3,), np.float32)


def test_release_frees_unused_memory():
    gpu = EmulatedGpu()
    retained, dropped = gpu.empty((100,), np.int8), gpu.empty((200,), np.int8)
    del dropped
    assert gpu.memory.reserved_bytes == 300

    gpu.release()

    assert gpu.memory.reserved_bytes == retained.nbytes


def test_nothing_works_after_a_failed_launch():
    gpu = EmulatedGpu(fail_at_launch=3)
    values = gpu.upload(np.ones(4, np.float32))
    twice = kernel(DOUBLE, "twice", gpu)
    twice(1, 4, values, np.int32(4))
    graph = gpu.record(lambda: twice(1, 4, values, np.int32(4)))
    graph.launch()

    for act in (
        graph.launch,
        graph.launch,
        gpu.wait,
        gpu.stamp,
        gpu.free_bytes,
        lambda: gpu.download(values),
        lambda: values + 1,
        lambda: gpu.load(DOUBLE, ()),
    ):
        with pytest.raises(DeviceError, match="kernel twice: the GPU reports"):
            act()


def test_backend_moves_arrays_through_the_emulator(rng):
    on = cuda(EmulatedGpu())
    values = rng.random((3, 4))

    on_device = on.to_device(values)

    assert on.is_cuda
    assert module_of(on_device) is on.xp
    assert on.to_device(on_device) is on_device
    np.testing.assert_array_equal(on.to_host(on_device), values)
    np.testing.assert_array_equal(on.to_host(on.xp.asarray(values)), values)


def test_late_execution_reveals_a_missing_wait():
    gpu = EmulatedGpu(late=True)
    twice = kernel(DOUBLE, "twice", gpu)
    for waits in (True, False):
        values, fresh = gpu.upload(np.ones(64, np.float32)), np.full(64, 5, np.float32)
        twice(1, 64, values, np.int32(64))
        done = gpu.stamp()
        with gpu.copying():
            if waits:
                gpu.wait_for(done)
            gpu.upload(fresh, values)
            copied = gpu.stamp()
        gpu.wait_for(copied)
        assert gpu.download(values)[0] == (5 if waits else 10)


def test_late_copy_brings_no_numbers_without_a_wait():
    gpu = EmulatedGpu(late=True, late_copies=True)
    for waits in (True, False):
        values = gpu.upload(np.ones(4, np.float32))
        with gpu.copying():
            gpu.upload(np.full(4, 5, np.float32), values)
            copied = gpu.stamp()
        if waits:
            gpu.wait_for(copied)
        assert (gpu.download(values)[0] == 5) == waits


def test_stamps_measure_time():
    gpu = EmulatedGpu()
    earlier = gpu.stamp()
    with gpu.copying():
        later = gpu.stamp()
    gpu.wait_for(later)

    assert later.seconds_since(earlier) > 0


def sanitized(n_threads):
    """Run `twice` on 64 numbers under AddressSanitizer, in a separate process."""
    code = f"""
import numpy as np
from tests.emulator import EmulatedGpu
gpu = EmulatedGpu(sanitize=True)
source = '''extern "C" __global__ void twice(float* values) {{
  __syncthreads();
  const int i = threadIdx.x;
  values[i] *= 2;
}}'''
gpu.load(source, ()).function("twice")(1, {n_threads}, gpu.upload(np.ones(64, np.float32)))
"""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=sanitizer_environment(), capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def test_address_sanitizer_names_the_line_of_a_write_out_of_bounds():
    fine, beyond = sanitized(64), sanitized(65)

    assert fine.returncode == 0, fine.stderr
    assert beyond.returncode != 0
    assert "heap-buffer-overflow" in beyond.stderr
    assert "kernel.cu:4" in beyond.stderr
