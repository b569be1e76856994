"""GPU functions on which the kernels rely: textures, atomic sums, graphs, two streams, memory.

Textures are zero outside and linear between the centres of texels, with 8-bit fractions: CUDA C++
Programming Guide, "Texture Fetching".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend, required_gpu
from engine.core.backend.gpu import Function, Gpu, TextureKind
from engine.core.errors import DeviceMemoryError
from engine.kernels.source import render
from engine.selftest.reference_answers import Family, Faults, far, other, random_numbers

BLOCK = 128
_STACK = (5, 37, 50)
_N = 3001
_N_PLACES = 11
_LONG, _SHORT = 20_000, 3
_FRACTION = 1 / 256
"""Step of a fraction, in units of the difference between neighbours."""
_KINDS: dict[TextureKind, str] = {
    "array": "sample_array",
    "layered": "sample_layered",
    "list": "sample_pictures",
    "pitched": "sample_pictures",
}


def _probe(gpu: Gpu, name: str) -> Function:
    return gpu.load(render("probe", block=BLOCK), ("-std=c++17",)).function(name)


def _blocks(n: int) -> int:
    return -(-n // BLOCK)


def _textures(there: Backend, here: Backend) -> Faults:
    gpu, rng = required_gpu(there), random_numbers()
    stack = rng.random(_STACK, np.float32)
    n_layers, n_rows, n_columns = _STACK
    # Positions up to two texels outside show if the border is zero.
    at = rng.uniform((-2, -2, 0), (n_columns + 2, n_rows + 2, n_layers), (_N, 3))
    at[:, 2] = np.floor(at[:, 2])
    places = at.astype(np.float32)
    wanted = linear(stack, places)
    for kind, name in _KINDS.items():
        texture = gpu.texture(kind, _STACK)
        # The second part does not start at layer 0, as when a scan streams in blocks of views.
        texture.update(gpu.upload(stack[:2].copy()))
        texture.update(gpu.upload(stack[2:].copy()), 2)
        asked = places.copy()
        # A 3-D array interpolates between layers as well, so the layer's centre is sampled.
        asked[:, 2] += 0.5 if kind == "array" else 0.0
        out = gpu.empty((_N,), np.float32)
        arguments = texture.argument, gpu.upload(asked), np.int32(_N), out
        _probe(gpu, name)(_blocks(_N), BLOCK, *arguments)
        yield from far(f"texture of kind {kind!r}", gpu.download(out), wanted, 2 * _FRACTION)


def linear(stack: NDArray[np.float32], at: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return values of layers by bilinear interpolation, 0 outside.

    Parameters
    ----------
    stack
        (n, n_rows, n_columns) layers
    at
        (m, 3) positions as x, y and layer, in texels from the outer corner

    Returns
    -------
    NDArray
        (m,)
    """
    padded = np.pad(stack.astype(np.float64), ((0, 0), (3, 3), (3, 3)))
    # A padding of 3, minus the half texel from the corner to the centre.
    x, y, layer = at[:, 0] + 2.5, at[:, 1] + 2.5, at[:, 2].astype(int)
    left, above = np.floor(x).astype(int), np.floor(y).astype(int)
    right, below = x - left, y - above
    rows = [
        padded[layer, above + i, left] * (1 - right) + padded[layer, above + i, left + 1] * right
        for i in (0, 1)
    ]
    blended: NDArray[np.float64] = rows[0] * (1 - below) + rows[1] * below
    return blended


def _atomics(there: Backend, here: Backend) -> Faults:
    gpu, i = required_gpu(there), np.arange(_N)
    sums, counts = gpu.empty((_N_PLACES,), np.float32), gpu.empty((_N_PLACES,), np.uint64)
    gpu.zero(sums)
    gpu.zero(counts)
    _probe(gpu, "add_up")(_blocks(_N), BLOCK, np.int32(_N), np.int32(_N_PLACES), sums, counts)
    # Sums of small whole numbers are exact in any order, so the bits must agree.
    wanted = np.bincount(i % _N_PLACES, i % 7 + 1, _N_PLACES)
    yield from other("floating-point sums", gpu.download(sums), wanted.astype(np.float32))
    # Numbers above 32 bits show a carry that is lost between two halves.
    whole = wanted.astype(np.uint64) << np.uint64(33)
    yield from other("integer sums", gpu.download(counts), whole)


def _graphs(there: Backend, here: Backend) -> Faults:
    gpu, count_on = required_gpu(there), _probe(required_gpu(there), "count_on")
    x, y, z = (gpu.upload(np.zeros(_N, np.float32)) for _ in range(3))
    n, turns = np.int32(_N), np.int32(_SHORT)

    def work() -> None:
        count_on(_blocks(_N), BLOCK, x, n, turns, y)
        gpu.copy(y, z)
        count_on(_blocks(_N), BLOCK, z, n, turns, x)
        gpu.zero(z)

    # Work that is recorded must not be executed until the graph is launched.
    graph = gpu.record(work)
    yield from far("recorded work, before the launch", gpu.download(x), np.zeros(_N), 0.0)
    for _ in range(4):
        graph.launch()
    yield from far("a graph", gpu.download(x), np.full(_N, 4.0 * 2 * _SHORT), 0.0)
    yield from far("the last step of a graph", gpu.download(z), np.zeros(_N), 0.0)


def _streams(there: Backend, here: Backend) -> Faults:
    """Check that work in one stream waits for a stamp of the other one."""
    gpu, count_on = required_gpu(there), _probe(required_gpu(there), "count_on")
    n, turns = np.int32(_N), np.int32(_LONG)
    x, y = gpu.upload(np.zeros(_N, np.float32)), gpu.empty((_N,), np.float32)
    gpu.wait()
    fresh = gpu.pinned(np.full(_N, 5.0, np.float32))
    count_on(_blocks(_N), BLOCK, x, n, turns, y)
    # The kernel above is long enough that a copy without synchronisation would overtake it.
    read = gpu.stamp()
    with gpu.copying():
        gpu.wait_for(read)  # otherwise x would change while the kernel reads it
        gpu.upload(fresh, x)
        ready = gpu.stamp()
    gpu.wait_for(ready)
    z = gpu.empty((_N,), np.float32)
    count_on(_blocks(_N), BLOCK, x, n, np.int32(_SHORT), z)
    yield from far("work before a copy", gpu.download(y), np.full(_N, float(_LONG)), 0.0)
    yield from far("work after a copy", gpu.download(z), np.full(_N, 5.0 + _SHORT), 0.0)
    seconds = gpu.stamp().seconds_since(read)
    if not 0 <= seconds < 60:
        yield f"time between two stamps: {seconds} s"


def _memory(there: Backend, here: Backend) -> Faults:
    """Check that a too large array raises the error that makes callers try smaller parts."""
    gpu = required_gpu(there)
    free, all_ = gpu.free_bytes(), gpu.facts.memory_bytes
    if not 0 < free <= all_:
        yield f"free memory: {free} of {all_} bytes"
    try:
        gpu.empty((2 * all_,), np.uint8)
    except DeviceMemoryError:
        pass
    else:
        yield "an allocation of twice the memory succeeded"
    values = random_numbers().random(_N, np.float32)
    # After a failed allocation the memory pool must still be usable.
    gpu.release()
    yield from other("an array after a failed allocation", gpu.download(gpu.upload(values)), values)


TEXTURES = Family("textures", _textures)
ATOMICS = Family("atomic sums", _atomics)
GRAPHS = Family("graphs", _graphs)
STREAMS = Family("two streams", _streams)
MEMORY = Family("memory", _memory)
