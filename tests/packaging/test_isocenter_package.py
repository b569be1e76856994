"""`import isocenter` is the public interface of the engine under the name of the product."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import engine
import isocenter
from tests.engine.test_face import HEAVY

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in Path(isocenter.__file__).parent.glob("[a-z]*.py"))


def test_names_equal_those_of_the_engine() -> None:
    assert isocenter.__all__ == engine.__all__
    for name in set(engine.__all__) - {"__version__"}:
        assert getattr(isocenter, name) is getattr(engine, name)
    assert isocenter.__version__ == engine.__version__
    assert set(engine.__all__) <= set(dir(isocenter))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'isocenter' has no attribute 'reed'"):
        _ = isocenter.reed


@pytest.mark.parametrize("name", engine._SUBPACKAGES)
def test_submodule_is_that_of_the_engine(name: str) -> None:
    assert importlib.import_module(f"isocenter.{name}") is getattr(engine, name)
    assert getattr(isocenter, name) is getattr(engine, name)


def test_every_engine_module_has_a_file() -> None:
    assert sorted(engine._SUBPACKAGES) == MODULES


def test_docstring_example_runs() -> None:
    example = doctest.DocTestParser().get_doctest(isocenter.__doc__ or "", {}, "isocenter", None, 0)
    assert len(example.examples) > 1
    assert doctest.DocTestRunner().run(example).failed == 0


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the folders of the clone on its path."""
    code = f"import sys; sys.path[:0] = {[str(ROOT), str(ROOT / 'packaging')]}; "
    return subprocess.run(
        [sys.executable, "-c", code + arguments[0], *arguments[1:]],
        capture_output=True,
        text=True,
        check=True,
    )


def test_import_loads_no_heavy_modules() -> None:
    script = f"import isocenter; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    assert started(script).stdout.split() == []


def test_package_runs_as_the_command() -> None:
    script = "import runpy; sys.argv[1:] = ['--version']; runpy.run_module('isocenter', "
    done = started(script + "run_name='__main__', alter_sys=True)")
    assert done.stdout.strip() == f"isocenter {version('isocenter')}"
