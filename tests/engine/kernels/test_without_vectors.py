import os
import subprocess
import sys

ELSEWHERE = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
"""Has Numba compile for the least of this kind of processor."""
PROGRAM = """
import numpy as np
from numba import njit
from engine.kernels.vector_pack import PACKS_VECTORS, pack_row
from engine.kernels.vector_slabs import LAYS_VECTORS
from engine.kernels.vector_window import HAS_WINDOWS, MARGIN, add_between, can_collect

@njit
def packed(values, places, n, kept, kept_places, end):
    return pack_row(values, places, n, kept, kept_places, end)

@njit
def read(target, row, begin, step):
    add_between(target, 2, (5, 32), row, 0, begin, step)

assert not PACKS_VECTORS and not LAYS_VECTORS and not HAS_WINDOWS and not can_collect(1.0)

values, places = np.float32([0, 2, 0, 0, 3] * 9), np.arange(45, dtype=np.uint32)
kept, kept_places = np.zeros(61, np.float32), np.zeros(61, np.uint32)
n = packed(values, places, 43, kept, kept_places, 2)
assert n == 19 and kept_places[2:n].tolist() == np.flatnonzero(values[:43]).tolist()
assert kept[2:n].tolist() == [2, 3] * 8 + [2]

row, target = np.random.default_rng(1).random(60), np.zeros(40, np.float32)
read(target, np.pad(row, MARGIN).astype(np.float32), 2.3, 0.7)
truth = np.interp(2.3 + 0.7 * np.arange(5, 32), np.arange(60), row)
assert np.abs(target[3:30] - truth).max() < 1e-6 and not target[30:].any()
"""


def test_processors_without_such_vectors_pack_and_read_the_same():
    subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | ELSEWHERE, check=True)
