"""Faults planted in kernels, which the PTX executor must report by name."""

import numpy as np
import pytest

from tests.emulator import EmulatedGpu, nvrtc
from tests.emulator.kernels import KernelError

pytestmark = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
N = 64
SUM = """
  __shared__ float part[64];
  part[i] = values[i];
  %s
  for (int half = 32; half; half >>= 1) {
    if (i < half) part[i] += part[i + half];
    __syncthreads();
  }
  if (i == 0) out[0] = part[0];
"""
MISTAKES = {
    "a vector that is not at a multiple of its size": (
        "const float4 v = reinterpret_cast<const float4*>(values + 1)[i % 8];"
        "out[i] = v.x + v.y + v.z + v.w;",
        r"reads 16 bytes at 0x\w+, which is no multiple of them .*ld\.global.*v4",
    ),
    "a read behind an array": (
        "out[i] = values[i + 1];",
        r"thread 63, line \d+ reads 4 bytes at 0x\w+, outside of the arrays .*ld\.global",
    ),
    "a write before an array": (
        "out[i - 1] = values[i];",
        r"thread 0, line \d+ writes 4 bytes at 0x\w+, outside of the arrays .*st\.global",
    ),
    "a sum behind an array": (
        "atomicAdd(out + N + i, 1.0f);",
        r"changes 4 bytes at 0x\w+, outside of the arrays .*(atom|red)\.",
    ),
    "a barrier that is not there": (
        SUM % "",
        r"shared memory at 0x\w+, which (nobody wrote|thread \d+ (wrote|reads) with no barrier)",
    ),
    "shared memory that nobody wrote": (
        "__shared__ float part[65]; part[i] = values[i]; __syncthreads(); out[i] = part[i + 1];",
        r"thread 63, line \d+ reads shared memory at 0x100, which nobody wrote .*ld\.shared",
    ),
    "a read beyond shared memory": (
        "__shared__ float part[64]; part[i] = values[i]; __syncthreads(); out[i] = part[n + i];",
        r"reads 4 bytes at 0x1[0f][0c] of 256 of shared memory .*ld\.shared",
    ),
    "a shuffle that half of a warp does not reach": (
        "float v = values[i]; if (i % 32 < 16) v += __shfl_xor_sync(~0u, v, 1);"
        "__syncthreads(); out[i] = v;",
        r"threads wait for ever: \d+ at line \d+.*shfl\.sync|threads wait for ever: \d+ at line .*",
    ),
    "a shuffle whose lanes do not name themselves": (
        "out[i] = __shfl_xor_sync(1u, values[i], 0);",
        r"lane \d+ is not in its own mask",
    ),
    "an integer divided by zero": (
        "out[i] = n / (n - int(blockDim.x));",
        r"divides by 0 .*div\.s32",
    ),
}


def run(body, *, reverse, ptx=90, arguments=None):
    source = (
        'extern "C" __global__ void __launch_bounds__(64)\n'
        f"work(const float* values, float* out, int n) {{\n  const int N = {N};\n"
        f"  const int i = threadIdx.x;\n{body}\n}}"
    )
    gpu = EmulatedGpu(reverse=reverse, ptx=ptx)
    values = gpu.upload(np.arange(N, dtype=np.float32))
    out = gpu.upload(np.zeros(N, np.float32))
    work = gpu.load(source, ()).function("work")
    work(1, N, *(arguments or (values, out, np.int32(N))))
    return gpu.download(out)


@pytest.mark.parametrize("reverse", [False, True], ids=["ascending", "descending"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_reported(mistake, reverse):
    body, words = MISTAKES[mistake]
    with pytest.raises(KernelError, match=f"kernel work in PTX, block 0: .*({words})"):
        run(body, reverse=reverse)


@pytest.mark.parametrize("ptx", [75, 90, 120])
def test_kernel_without_a_mistake_runs(ptx):
    out = run(SUM % "__syncthreads();", reverse=True, ptx=ptx)

    assert out[0] == N * (N - 1) / 2


@pytest.mark.parametrize(
    ("value", "words"),
    [(64, "int 64, needs"), (np.int64(64), "int64, needs"), (np.float32(64), "float32, needs")],
    ids=["of Python", "too wide", "of another kind"],
)
def test_argument_of_another_width_or_kind_is_refused(value, words):
    array = EmulatedGpu().upload(np.zeros(N, np.float32))
    with pytest.raises(TypeError, match=f"kernel work, argument 3: {words}"):
        run("out[i] = n;", reverse=False, arguments=(array, array, value))


def test_shared_memory_of_the_last_block_is_invalid():
    source = """
    extern "C" __global__ void __launch_bounds__(32) work(float* out) {
      __shared__ float part[32];
      if (blockIdx.x == 0) part[threadIdx.x] = 1;
      __syncthreads();
      out[32 * blockIdx.x + threadIdx.x] = part[threadIdx.x];
    }"""
    gpu = EmulatedGpu(ptx=90)
    out = gpu.upload(np.zeros(64, np.float32))
    with pytest.raises(KernelError, match=r"block 1: thread 0, .* which nobody wrote"):
        gpu.load(source, ()).function("work")(2, 32, out)
