from __future__ import annotations

import pytest

from engine.backend import Backend, cpu


@pytest.fixture
def both(device: Backend) -> list[Backend]:
    """The CPU, and a GPU: the emulated one, or the card."""
    return [cpu(2), device]
