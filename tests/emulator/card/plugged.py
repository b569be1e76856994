"""Install the software card in a process: libraries with the driver's names, redirected CuPy."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path

from tests.emulator.card import (
    blas,
    copying,
    doors,
    driver,
    elf,
    fft,
    nvml,
    pictures,
    sorting,
    sparse,
    streams,
)
from tests.emulator.card.card import CALLS, Card, door
from tests.emulator.card.machine import Machine

_OWN_WORDS = ("cudaGetErrorName", "cudaGetErrorString", "cudaRuntimeGetVersion")
_PARTS = (blas, copying, driver, fft, nvml, pictures, sorting, sparse, streams)
_LIBRARIES = (
    ("cupy_backends/cuda/libs/cublas", "libcublas.so.13", "cublas"),
    ("cupy_backends/cuda/libs/cusparse", "libcusparse.so.12", "cusparse"),
    ("cupy_backends/cuda/libs/cusolver", "libcusolver.so.12", "cusolver"),
    ("cupy/cuda/cufft", "libcufft.so.12", "cufft"),
)
"""CuPy modules that link with a library, its soname, and the prefix of its functions."""
_plugged: list[object] = []
_cards: list[Card] = []


def plug(machine: Machine) -> Card:
    """Install a card in this process, permanently."""
    card = Card(machine)
    _cards.append(card)
    _serve(card, "libcuda.so.1", [n for n in CALLS if re.match("cu[A-Z]", n)])
    _serve(card, "libnvidia-ml.so.1", [n for n in CALLS if n.startswith("nvml")])
    for soname in ("libcublasLt.so.13", "libnvJitLink.so.13"):  # CuPy asks for these first
        _serve(card, soname, [])
    for module, soname, prefix in _LIBRARIES:
        file = next((_folder() / module).parent.glob(f"{Path(module).name}.*.so"))
        _serve(card, soname, elf.wanted(file, prefix))
    os.environ.setdefault("CUDA_PATH", str(_folder() / "nvidia" / "cu13"))  # for its headers
    os.environ["CUPY_COMPILE_WITH_PTX"] = "1"
    os.environ["CUPY_ACCELERATORS"] = ""
    _lead(card, "cupy_backends.cuda.api.runtime", "cuda", _OWN_WORDS)
    _lead(card, "cupy.cuda.thrust", "_Z11thrust_sort")
    _lead(card, "cupy.cuda.thrust", "_Z14thrust_argsort")
    return card


def current() -> Card | None:
    """Return the software card of this process, or None."""
    return _cards[0] if _cards else None


def _serve(card: Card, soname: str, names: list[str]) -> None:
    answers = {name: door(card, name) for name in names}
    _plugged.append((answers, doors.library(soname, answers)))


def _lead(card: Card, module: str, prefix: str, keep: tuple[str, ...] = ()) -> None:
    """Redirect functions of a CuPy module to the card."""
    answers: dict[str, object] = {}

    def answer(name: str) -> object:
        base = name.removesuffix("_ptsz").removesuffix("_ptds")
        return answers.setdefault(base, door(card, base))

    file = importlib.import_module(module).__file__
    doors.lead(Path(str(file)), f"PyInit_{module.rpartition('.')[2]}", prefix, answer, keep)
    _plugged.append(answers)


def plugged_in() -> Card | None:
    """Install the machine from the environment, if there is one."""
    machine = Machine.wanted()
    if machine is None:
        return None
    sys.path.append(str(_folder()))
    return plug(machine)


def _folder() -> Path:
    return Path(sys.prefix) / "card"
