"""Finding devices: against driver libraries made for the test, never with CuPy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import backend
from engine.backend import devices
from engine.backend.devices import (
    DeviceInfo,
    choose,
    cpu_device,
    device_of,
    find_devices,
    gpu_device,
)

GIB = 2**30
DRIVER = """
#include <stddef.h>
#include <string.h>
int cuInit(unsigned flags) { return CODE; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuDeviceGet(int *device, int number) { *device = 0; return 0; }
int cuDeviceGetName(char *name, int size, int device) { strncpy(name, "Test GPU", size); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)8 << 30; return 0; }
int cuDeviceGetPCIBusId(char *id, int size, int device) { strncpy(id, "0000:01:00.0", size);
    return 0; }
"""
needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None or sys.platform == "win32", reason="no C compiler"
)


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Make a driver library that answers with a code and a CUDA version."""

    def make(code=0, version=13000):
        source, library = tmp_path / "driver.c", tmp_path / f"libtest-{code}-{version}.so"
        source.write_text(DRIVER)
        options = [f"-DCODE={code}", f"-DVERSION={version}", "-shared", "-fPIC"]
        subprocess.run(["cc", *options, "-o", library, source], check=True)
        monkeypatch.setattr(devices, "DRIVERS", (str(library),))

    return make


@pytest.fixture
def cupy_package(tmp_path, monkeypatch):
    """A CuPy for CUDA 13 that must not be imported."""
    folder = tmp_path / "packages"
    (folder / "cupy").mkdir(parents=True)
    (folder / "cupy" / "__init__.py").write_text("raise SystemError('CuPy was imported')\n")
    facts = folder / "cupy_cuda13x-14.0.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: cupy-cuda13x\nVersion: 14.0.0\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def no_nvml(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)


def test_without_a_driver_the_gpu_is_named_and_refused(monkeypatch):
    monkeypatch.setattr(devices, "DRIVERS", ("no-such-library.so",))
    cpu, gpu = find_devices()
    assert cpu.usable
    assert 0 < cpu.free_bytes <= cpu.memory_bytes
    assert not gpu.usable
    assert "No NVIDIA driver" in gpu.why_not
    assert "bootstrap.py" in gpu.why_not
    assert choose((cpu, gpu), "auto") is cpu
    assert choose((cpu, gpu), "cuda") is gpu


@needs_compiler
def test_a_driver_without_a_card_tells_its_code(driver):
    driver(code=100)
    gpu = gpu_device()
    assert not gpu.usable
    assert "CUDA error 100" in gpu.why_not
    assert "nvidia-smi" in gpu.why_not


@needs_compiler
def test_a_card_without_cupy_says_what_to_run(driver, monkeypatch, no_nvml):
    driver()
    monkeypatch.setitem(sys.modules, "cupy", None)
    gpu = gpu_device()
    assert gpu.label == "Test GPU"
    assert not gpu.usable
    assert "run `python3 packaging/bootstrap.py run` again" in gpu.why_not


@needs_compiler
def test_a_card_with_cupy_is_taken(driver, cupy_package, no_nvml):
    driver()
    found = find_devices()
    gpu = found[1]
    assert gpu.why_not == ""
    assert gpu.memory_bytes == gpu.free_bytes == 8 * GIB
    assert choose(found, "auto") is gpu
    assert choose(found, "cpu") is found[0]


@needs_compiler
def test_a_driver_older_than_cupy_is_told(driver, cupy_package, no_nvml):
    driver(version=12040)
    gpu = gpu_device()
    assert "serves CUDA 12.4" in gpu.why_not
    assert "newer driver" in gpu.why_not


@needs_compiler
@pytest.mark.parametrize(("answers", "free"), [(True, 3 * GIB), (False, 8 * GIB)])
def test_nvml_tells_what_is_free(driver, cupy_package, monkeypatch, answers, free):
    class NVMLError(Exception):
        pass

    def memory(handle):
        if not answers:
            raise NVMLError("Not Supported")
        return SimpleNamespace(free=3 * GIB)

    nvml = SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetHandleByPciBusId=lambda place: place,
        nvmlDeviceGetMemoryInfo=memory,
    )
    driver()
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    assert gpu_device().free_bytes == free


@needs_compiler
def test_looking_imports_no_cupy(driver, cupy_package):
    driver()
    code = (
        "import sys; from engine.backend import devices\n"
        f"devices.DRIVERS = {devices.DRIVERS!r}; sys.path.insert(0, {str(cupy_package)!r})\n"
        "found = devices.find_devices()\n"
        "sys.stdout.write(f\"{found[1].label} {'cupy' in sys.modules}\")"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Test GPU False"


def test_the_device_of_a_backend():
    assert device_of(backend.cpu(3)).label == cpu_device(3).label == "CPU, 3 threads"
    assert device_of(backend.cpu(3)).threads == 3


def test_the_device_of_a_gpu_knows_what_is_free():
    from tests.emulator import EmulatedGpu

    gpu = EmulatedGpu()
    device = device_of(backend.cuda(gpu))
    facts = gpu.facts
    assert device == DeviceInfo(
        "cuda", facts.name, facts.memory_bytes, gpu.free_bytes(), device.threads
    )
    assert device.is_gpu


@pytest.mark.gpu
def test_the_card_found_is_the_one_cupy_takes():
    facts, found = backend.cuda().gpu.facts, gpu_device()
    assert found.usable
    assert (found.label, found.memory_bytes) == (facts.name, facts.memory_bytes)
    assert 0 < found.free_bytes <= found.memory_bytes
