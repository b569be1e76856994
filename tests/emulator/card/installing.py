"""Install the software card in a process: libraries with the driver's names, redirected CuPy."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path

from tests.emulator.card import (
    blas,
    callbacks,
    copying,
    cuda_arrays,
    driver,
    elf,
    fft,
    nvml,
    sorting,
    sparse,
    streams,
)
from tests.emulator.card.card import CALLS, Card, callback
from tests.emulator.card.machine import Machine

_UNCHANGED = ("cudaGetErrorName", "cudaGetErrorString", "cudaRuntimeGetVersion")
_PARTS = (blas, copying, driver, fft, nvml, cuda_arrays, sorting, sparse, streams)
_LIBRARIES = (
    ("cupy_backends/cuda/libs/cublas", "libcublas.so.13", "cublas"),
    ("cupy_backends/cuda/libs/cusparse", "libcusparse.so.12", "cusparse"),
    ("cupy_backends/cuda/libs/cusolver", "libcusolver.so.12", "cusolver"),
    ("cupy/cuda/cufft", "libcufft.so.12", "cufft"),
)
"""CuPy modules that link with a library, its soname, and the prefix of its functions."""
_references: list[object] = []
_cards: list[Card] = []


def install(machine: Machine) -> Card:
    """Install a card in this process, permanently."""
    card = Card(machine)
    _cards.append(card)
    _load_library(card, "libcuda.so.1", [n for n in CALLS if re.match("cu[A-Z]", n)])
    _load_library(card, "libnvidia-ml.so.1", [n for n in CALLS if n.startswith("nvml")])
    for soname in ("libcublasLt.so.13", "libnvJitLink.so.13"):  # CuPy asks for these first
        _load_library(card, soname, [])
    for module, soname, prefix in _LIBRARIES:
        file = next((_folder() / module).parent.glob(f"{Path(module).name}.*.so"))
        _load_library(card, soname, elf.required(file, prefix))
    os.environ.setdefault("CUDA_PATH", str(_folder() / "nvidia" / "cu13"))  # for its headers
    os.environ["CUPY_COMPILE_WITH_PTX"] = "1"
    os.environ["CUPY_ACCELERATORS"] = ""
    _redirect(card, "cupy_backends.cuda.api.runtime", "cuda", _UNCHANGED)
    _redirect(card, "cupy.cuda.thrust", "_Z11thrust_sort")
    _redirect(card, "cupy.cuda.thrust", "_Z14thrust_argsort")
    return card


def current() -> Card | None:
    """Return the software card of this process, or None."""
    return _cards[0] if _cards else None


def _load_library(card: Card, soname: str, names: list[str]) -> None:
    answers = {name: callback(card, name) for name in names}
    _references.append((answers, callbacks.library(soname, answers)))


def _redirect(card: Card, module: str, prefix: str, unchanged: tuple[str, ...] = ()) -> None:
    """Redirect functions of a CuPy module to the card."""
    answers: dict[str, object] = {}

    def answer(name: str) -> object:
        base = name.removesuffix("_ptsz").removesuffix("_ptds")
        return answers.setdefault(base, callback(card, base))

    file = importlib.import_module(module).__file__
    callbacks.redirect(
        Path(str(file)), f"PyInit_{module.rpartition('.')[2]}", prefix, answer, unchanged
    )
    _references.append(answers)


def install_from_environment() -> Card | None:
    """Install the machine from the environment, if there is one."""
    machine = Machine.requested()
    if machine is None:
        return None
    sys.path.append(str(_folder()))
    return install(machine)


def _folder() -> Path:
    return Path(sys.prefix) / "card"
