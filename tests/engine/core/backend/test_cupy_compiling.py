"""Tests of compiling and caching GPU kernels; marked `gpu`."""

from __future__ import annotations

import pytest

from engine.core.backend import cuda, cupy_compiling
from engine.core.backend.cupy_compiling import module_of
from engine.core.backend.gpu import Gpu
from engine.core.errors import DeviceError

pytestmark = pytest.mark.gpu

TEXT = 'extern "C" __global__ void nothing() {}'


@pytest.fixture(scope="module")
def gpu() -> Gpu:
    return cuda().gpu


def test_invalid_kernel_text_is_reported(gpu):
    with pytest.raises(DeviceError, match="could not be compiled"):
        gpu.load("no kernel", ())
    with pytest.raises(DeviceError, match="loading kernel"):
        gpu.load(TEXT, ()).function("missing")
    with pytest.raises(DeviceError, match="constant missing was not found"):
        gpu.load(TEXT, ()).constant("missing")


def test_compiled_kernel_is_cached_and_recompiled_if_truncated(gpu, monkeypatch, tmp_path):
    capability = gpu.facts.compute_capability
    module_of(TEXT, (), capability, tmp_path).get_function("nothing")
    (retained,) = tmp_path.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(cupy_compiling, "_compiled", lambda *_: pytest.fail("compiled again"))
        module_of(TEXT, (), capability, tmp_path).get_function("nothing")
    content = retained.read_bytes()
    retained.write_bytes(content[:100])
    module_of(TEXT, (), capability, tmp_path).get_function("nothing")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [content]
