"""Every window test runs without a display and with its own user folder."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest  # noqa: E402


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """A fresh user folder for each test."""
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
