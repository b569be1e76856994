"""Simulate a machine of the table for one test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.core.backend import driver
from engine.core.backend.driver import cards
from engine.core.backend.selftest_results import SelfTestResult, tested_of, text_of
from tests.emulator.compiled_cache import cached_file, digest

HERE = Path(__file__).parent
GIB = 2**30
OF_CUPY = ("cupy", "cupy.cuda", "cupy.cuda.runtime", "cupy.cuda.nvrtc")


@dataclass(frozen=True)
class Card:
    """GPU as the driver reports it; `free_gib` is reported by NVML."""

    name: str
    capability: int
    gib: int = 8
    mode: int = 0
    free_gib: float | None = None


@dataclass(frozen=True)
class Machine:
    """A machine, and the expected choice of device.

    Attributes
    ----------
    cards : in the driver's order
    driver : CUDA version of the driver, None without one
    code : return code of cuInit
    cupy : CUDA version of CuPy, None if it is not installed
    fault : fault of CuPy
    environment : further variables
    failed : True if the self-test of the first card failed
    key : device that "auto" must choose
    words : pattern of the expected message; empty for none
    in_use : True if the reason only appears when the card is used
    """

    cards: tuple[Card, ...] = ()
    driver: int | None = 13000
    code: int = 0
    cupy: int | None = 13
    fault: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    failed: bool = False
    key: str = "cpu"
    words: str = ""
    in_use: bool = False

    @property
    def text(self) -> str:
        """Return the text that the stub driver library reads."""
        rows = [
            f"{card.name}|{card.capability}|{card.gib}|{card.mode}|{uuid_of(number)}"
            for number, card in enumerate(self.cards)
        ]
        return "\n".join((f"{self.code} {self.driver}", *rows))


def uuid_of(number: int) -> str:
    """Return the UUID of a GPU, as 32 digits."""
    return f"{0xABC0 + number:08x}" + 23 * "0" + "1"


def can_be_made() -> bool:
    """Return True if this system compiles and loads libraries as the tests need."""
    return shutil.which("cc") is not None and sys.platform.startswith("linux")


def put_up(machine: Machine, patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Install the driver, CuPy and NVML of the table for a test, with a separate home folder."""
    patch.setenv("MACHINE", machine.text)
    patch.setenv("CUPY_FAULT", machine.fault)
    patch.setenv("ISOCENTER_HOME", str(folder / "home"))
    for name, value in machine.environment:
        patch.setenv(name, value)
    library = "no-such-driver.so" if machine.driver is None else str(_driver())
    patch.setattr(driver, "LIBRARIES", (library,))
    _install_cupy(machine, patch, folder)
    patch.setitem(sys.modules, "pynvml", _nvml(machine))
    if machine.driver is not None and not machine.code and machine.cards:
        _keep_verdicts(machine)


def _driver() -> Path:
    source = HERE / "driver.c"
    name = f"driver-{digest(source.read_text())}.so"
    command = ["cc", "-shared", "-fPIC", "-w", str(source), "-o"]
    return cached_file(name, lambda out: _compile([*command, str(out)]))


def _compile(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _install_cupy(machine: Machine, patch: pytest.MonkeyPatch, folder: Path) -> None:
    known = [name for name in sys.modules if name.partition(".")[0] == "cupy"]
    for name in {*known, *OF_CUPY}:
        patch.setitem(sys.modules, name, None)  # restores the previous state at the end
        del sys.modules[name]
    if machine.cupy is None:
        patch.setitem(sys.modules, "cupy", None)
        return
    packages = folder / "packages"
    (packages / "cupy").mkdir(parents=True)
    shutil.copy(HERE / "cupy.py.txt", packages / "cupy" / "__init__.py")
    name = f"cupy-cuda{machine.cupy}x"
    facts = packages / f"{name.replace('-', '_')}-14.0.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 14.0.0\n")
    patch.syspath_prepend(str(packages))


def _nvml(machine: Machine) -> SimpleNamespace:
    """Return a stub of NVML: the GPU of a name, and its free memory."""

    class NVMLError(Exception):
        pass

    def found(name: str) -> Card:
        for number, card in enumerate(machine.cards):
            kind = "MIG" if " MIG " in card.name else "GPU"
            digits = uuid_of(number)
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
            if name in (f"{kind}-{'-'.join(parts)}", f"0000:{number + 1:02X}:00.0"):
                return card
        raise NVMLError("Not Found")

    def memory(card: Card) -> SimpleNamespace:
        free = card.gib if card.free_gib is None else card.free_gib
        return SimpleNamespace(free=int(free * GIB), total=card.gib * GIB)

    return SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlSystemGetDriverVersion=lambda: "580.65.06",
        nvmlDeviceGetHandleByUUID=found,
        nvmlDeviceGetHandleByPciBusId=found,
        nvmlDeviceGetMemoryInfo=memory,
    )


def _keep_verdicts(machine: Machine) -> None:
    """Store an earlier self-test result, because a simulated GPU cannot compute."""
    for number, card in enumerate(cards()):
        faults = ("list mode: off by 3 %",) if machine.failed and number == 0 else ()
        of = tested_of(card)
        of.path.parent.mkdir(parents=True, exist_ok=True)
        of.path.write_text(text_of(SelfTestResult(of, faults, "2026-01-01T00:00:00+00:00")))
