"""Compile the kernels that a wheel contains.

.venv/bin/python packaging/shipped_kernels.py

Compiled kernels are valid for this system, for these versions of Python, NumPy, Numba and llvmlite,
and for each processor class that this machine can run. The script writes them to
engine/kernels/shipped, which Git ignores. The next wheel contains them. Kernels of other systems
and versions can be copied into the same folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import llvmlite.binding as llvm

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from engine.kernels.compile_cache import PREFIX  # noqa: E402
from engine.kernels.processor import LEVELS, Level, features_of  # noqa: E402
from engine.kernels.shipped import SHIPPED, SUFFIXES, write_list  # noqa: E402

SMALL_DEMOS = """
import sys
from pathlib import Path
from engine.core.backend import cpu
from engine.jobs.reconstruction import reconstruct
from engine.modalities.dual_head_pet.demo import DualHeadDemo
from engine.modalities.listmode_pet.demo import PetDemo
from engine.modalities.ring_sinogram_pet.demo import SinogramDemo
from engine.modalities.xray_ct.demo import CtDemo

for demo in (
    PetDemo(n_prompts=50_000),
    CtDemo(n_views=60, n_rows=36, n_columns=56),
    DualHeadDemo(n_prompts=200_000, n_points=1 << 8),
    SinogramDemo(n_prompts=50_000),
):
    reconstruct(demo.make(Path(sys.argv[1]) / demo.key), on=cpu())
"""
"""Program that simulates and reconstructs a small demo of each kind."""


def levels() -> list[Level]:
    """Return the processor classes that this machine can run."""
    own = {name for name, is_there in llvm.get_host_cpu_features().items() if is_there}
    return [level for level in LEVELS if level.features <= own]


def environment(level: Level, folder: Path) -> dict[str, str]:
    """Return the environment variables for compiling for a processor class into a folder."""
    features = dict(llvm.get_host_cpu_features())
    return {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder),
        "NUMBA_CPU_NAME": level.model,
        "NUMBA_CPU_FEATURES": features_of(level, features),
        "ISOCENTER_HOME": str(folder / "home"),
        "PYTHONPATH": str(ROOT),
    }


def compile_kernels(folder: Path, environ: dict[str, str]) -> None:
    """Compile all kernels into a folder, including those that only the demos use.

    Raises
    ------
    subprocess.CalledProcessError
        if a kernel cannot be compiled
    """
    subprocess.run([sys.executable, "-m", "engine.modalities.warm_up"], env=environ, check=True)
    command = [sys.executable, "-c", SMALL_DEMOS, str(folder / "demos")]
    subprocess.run(command, env=environ, check=True)


def collect(folder: Path, target: Path = SHIPPED) -> list[Path]:
    """Copy compiled kernels from a Numba cache folder, and write a list of them.

    Parameters
    ----------
    folder
        NUMBA_CACHE_DIR of the process that compiled them
    target
        folder for the wheel

    Returns
    -------
    list of Path
        a folder for each class of processors
    """
    folders = []
    for source in sorted(folder.glob(f"{PREFIX}*")):
        destination = target / source.name
        shutil.rmtree(destination, ignore_errors=True)
        for path in sorted(source.rglob("*")):
            if path.suffix in SUFFIXES:
                copy = destination / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        write_list(destination)
        folders.append(destination)
    return folders


def main() -> None:
    """Compile for each processor class, and print the number and size of the files."""
    for level in levels():
        with TemporaryDirectory() as folder:
            compile_kernels(Path(folder), environment(level, Path(folder)))
            for shipped in collect(Path(folder)):
                sizes = [path.stat().st_size for path in shipped.rglob("*.n*")]
                print(f"{level.model}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
