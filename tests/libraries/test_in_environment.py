"""The tests of layers and array libraries, in the environment that has these libraries."""

from __future__ import annotations

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.libraries.environment import NOT_INSTALLED, ROOT, interpreter

LAYERS = "tests/libraries"
EXAMPLES = "tests/examples/test_examples.py"
BLOCKS = "tests/packaging/test_blocks.py"


@pytest.fixture
def python() -> Path:
    """The interpreter of the other environment."""
    if find_spec("torch") is not None:
        pytest.skip("PyTorch is in this environment, where the tests run themselves")
    found = interpreter()
    if found is None:
        pytest.skip(NOT_INSTALLED)
    return found


def passed(python: Path, *words: str) -> str:
    """Run tests with another interpreter; return its summary."""
    # one thread: PyTorch's would wait for each other on a machine that runs other tests
    done = subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.essential
def test_quick_library_tests_pass(python: Path) -> None:
    assert " passed" in passed(python, "-rN", "-v", LAYERS)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_library_tests_and_examples_pass(python: Path) -> None:
    assert " passed" in passed(python, "-m", "slow", "-v", LAYERS)
    assert " passed" in passed(python, "-m", "slow or not slow", "-v", "-k", "torch", BLOCKS)
    found = passed(python, "-m", "slow", "-k", "torch or learned", EXAMPLES)
    assert "3 passed" in found
