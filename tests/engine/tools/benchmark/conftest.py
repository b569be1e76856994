from __future__ import annotations

import sys

import pytest

from engine.core.backend import Backend, cpu
from engine.tools.benchmark.peers import parallelproj_library


@pytest.fixture
def both(device: Backend) -> list[Backend]:
    """Return the CPU and a GPU, emulated or real."""
    return [cpu(2), device]


@pytest.fixture
def without_parallelproj(monkeypatch, tmp_path):
    """Hide the library of parallelproj 2."""
    monkeypatch.delenv(parallelproj_library.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(parallelproj_library, "find_library", lambda name: None)
