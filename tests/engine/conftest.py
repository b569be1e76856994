"""Devices for tests of code that runs on all of them."""

from __future__ import annotations

import pytest

from engine.core.backend import Backend, cuda
from tests.emulator import EmulatedGpu


@pytest.fixture(params=["emulated", pytest.param("card", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> Backend:
    """Return a GPU: the emulated one, or a real one if the machine has one."""
    return cuda(EmulatedGpu() if request.param == "emulated" else None)
