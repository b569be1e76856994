"""Run the kernel tests with the PTX that NVRTC compiles for each architecture.

python -m tests.emulator.ptx [ARCHITECTURE ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ARCHITECTURES = (75, 90, 120)
ROOT = Path(__file__).parents[3]
KERNELS = (
    *("cuda_twins", "cone_back_cuda", "joseph_cuda"),
    *("constants_and_grids", "joseph_gather_cuda"),
)
TESTS = (
    *(f"tests/engine/kernels/test_{name}.py" for name in KERNELS),
    "tests/engine/kernels/matrix/test_matrix_cuda.py",
    "tests/engine/kernels/scatter/test_scatter_cuda.py",
    "tests/engine/recon/algorithms/test_em_on_gpu.py",
    "tests/engine/operators/test_xray_on_gpu.py",
)


def main() -> int:
    """Run all kernel tests for each architecture; return the number of failed runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("architectures", nargs="*", type=int, default=ARCHITECTURES)
    n_failed = 0
    for arch in parser.parse_args().architectures:
        sys.stdout.write(f"compute_{arch}\n")
        sys.stdout.flush()
        environment = os.environ | {"ISOCENTER_PTX": str(arch)}
        command = [sys.executable, "-m", "pytest", "-k", "not compile", *TESTS]
        n_failed += bool(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)
    return n_failed


if __name__ == "__main__":
    sys.exit(main())
