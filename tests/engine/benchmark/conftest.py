from __future__ import annotations

import pytest

from engine.backend import Backend, cpu, cuda
from tests.emulator import EmulatedGpu


@pytest.fixture
def both() -> list[Backend]:
    """The CPU, and the same kernels as a GPU runs them."""
    return [cpu(2), cuda(EmulatedGpu())]
