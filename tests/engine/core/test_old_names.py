"""Tests of module names from before 0.2.0, which import the renamed modules with a warning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from engine.core.old_names import PUBLIC, RENAMED, renamed

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _no_old_module() -> Iterator[None]:
    """Start without modules under old names, and remove them afterwards."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if renamed(name)]:
        del sys.modules[name]


@pytest.mark.parametrize("old", sorted({*RENAMED} - {*PUBLIC}))
def test_old_name_imports_the_renamed_module(old: str) -> None:
    with pytest.warns(DeprecationWarning) as caught:  # parent packages may warn, too
        found = import_module(old)
    assert f"{old} is now {RENAMED[old]}." in [str(each.message) for each in caught]
    assert found is import_module(RENAMED[old])
    assert found.__spec__ is not None
    assert (found.__name__, found.__spec__.name) == (RENAMED[old], RENAMED[old])


@pytest.mark.parametrize("old", RENAMED)
def test_old_name_hides_no_other_name(old: str) -> None:
    """Python binds an imported module to its package, and replaces an attribute of that name."""
    package, _, last = old.rpartition(".")
    inner = getattr(import_module(renamed(package) or package), last, None)
    assert inner is None or isinstance(inner, ModuleType)


def test_submodules_follow_their_package_and_unknown_names_stay_unknown() -> None:
    assert renamed("engine.algorithms.osem") == "engine.recon.algorithms.osem"
    assert renamed("engine.algorithmics") == ""
    with pytest.warns(DeprecationWarning, match=r"engine\.algorithms\.osem is now"):
        assert (
            import_module("engine.algorithms.osem").Osem is import_module("engine").algorithms.Osem
        )
    with pytest.raises(ModuleNotFoundError, match=r"engine\.nothing"):
        import_module("engine.nothing")


def test_program_is_warned_once_and_imports_little() -> None:
    code = (
        "import sys, engine\n"
        "print(*sorted(name for name in sys.modules if name.startswith('engine')))\n"
        "from engine.arrays import module_of\n"
        "from engine.arrays import module_of\n"
    )
    command = [sys.executable, "-W", "always::DeprecationWarning", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["engine", "engine.core", "engine.core.old_names"]
    assert done.stderr.count("engine.arrays is now engine.core.arrays.") == 1
