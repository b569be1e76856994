"""Plant the fault PLANTED for a whole run of pytest: -p tests.planted.plugin."""

from __future__ import annotations

import os

import pytest

from tests.planted.faults import MISTAKES


@pytest.fixture(scope="session", autouse=True)
def planted():
    """Leave the fault in place for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        MISTAKES[os.environ["PLANTED"]].plant(patch)
        yield
