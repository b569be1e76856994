"""Tests of device detection with stub driver libraries, without CuPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.core import backend
from engine.core.backend import driver
from engine.core.backend.devices import DeviceInfo, cpu_device, device_of, gpu_device
from engine.core.backend.generations import generation
from tests.machines.made import can_be_made, put_up
from tests.machines.table import MACHINES


@pytest.mark.skipif(not can_be_made(), reason="no C compiler, or not Linux")
def test_device_detection_imports_no_cupy(monkeypatch, tmp_path):
    put_up(MACHINES["CUDA 13"], monkeypatch, tmp_path)
    code = (
        "import sys; from engine.core.backend import devices, driver\n"
        f"driver.LIBRARIES = {driver.LIBRARIES!r}; sys.path.insert(0, {sys.path[0]!r})\n"
        "found = devices.find_devices()\n"
        "sys.stdout.write(f\"{found[1].label} {found[1].usable} {'cupy' in sys.modules}\")"
    )
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "NVIDIA RTX 4090 True False"


@pytest.mark.parametrize(
    ("capability", "words"),
    [
        (52, "Maxwell, compute capability 5.2"),
        (61, "Pascal, compute capability 6.1"),
        (70, "Volta, compute capability 7.0"),
        (75, "Turing, compute capability 7.5"),
        (86, "Ampere, compute capability 8.6"),
        (89, "Ada Lovelace, compute capability 8.9"),
        (90, "Hopper, compute capability 9.0"),
        (120, "Blackwell, compute capability 12.0"),
        (150, "compute capability 15.0"),
    ],
)
def test_gpu_generations_have_names(capability, words):
    assert generation(capability) == words


def test_cpu_backend_reports_its_device():
    assert device_of(backend.cpu(3)).label == cpu_device(3).label == "CPU, 3 threads"
    assert device_of(backend.cpu(3)).threads == 3


def test_gpu_backend_reports_free_memory():
    from tests.emulator import EmulatedGpu

    gpu = EmulatedGpu()
    device = device_of(backend.cuda(gpu))
    facts = gpu.facts
    assert device == DeviceInfo(
        "cuda", facts.name, facts.memory_bytes, gpu.free_bytes(), device.threads
    )
    assert device.is_gpu


@pytest.mark.gpu
def test_detected_gpu_is_the_one_cupy_uses():
    facts, found = backend.cuda().gpu.facts, gpu_device()
    assert found.usable
    assert (found.label, found.memory_bytes) == (facts.name, facts.memory_bytes)
    assert 0 < found.free_bytes <= found.memory_bytes
