"""Fixture with the results of a process under the shim; it runs once for all test workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from engine.core.json_types import Plain
from tests.disturbed.shim import compiled, obstacle, under

Reported = Callable[[str], list[Plain]]


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory, isocenter_home: Path) -> Reported:
    """Return the JSON lines that a module of this folder prints under the shim."""
    if obstacle():
        pytest.skip(obstacle())
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if folder.name.startswith("popen-") else folder

    def run(module: str) -> list[Plain]:
        place = folder / f"disturbed-{module}"
        with FileLock(f"{place}.lock"):
            if not (place / "output").exists():
                place.mkdir(exist_ok=True)
                output = under(compiled(place), f"tests.disturbed.{module}", place)
                (place / "output").write_text(output)
        return [json.loads(line) for line in (place / "output").read_text().splitlines()]

    return run
