"""The command of the long tier counts every test. An interrupted run stores no result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REPORTS = "tests/engine/results/reports/test_key_images.py"
TWO_TESTS = (
    f"{REPORTS}::test_two_images_fit_one_page_and_eight_need_more",
    "tests/engine/simulate/test_phantoms.py::test_rasterised_mass_equals_the_analytic_mass[activity]",
)
"""Tests of two folders, each with its own `conftest.py`."""

STORED_IN = """
import sys
from pathlib import Path
from tests import long_tier
long_tier.RESULT = Path(sys.argv[1])
sys.exit(long_tier.main(sys.argv[2:]))
"""


def run(result: Path, *options: str) -> int:
    """Run the command with a different result file; return its exit code."""
    # Here the module is imported before pytest loads it as a plug-in.
    known = ("-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:cacheprovider")
    command = [sys.executable, "-c", STORED_IN, str(result), *known, *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300).returncode


@pytest.mark.slow
def test_tests_of_two_folders_are_counted_in_one_process(tmp_path: Path) -> None:
    # pytest compares its plug-ins only if the conftest of one folder does not apply to the other.
    result = tmp_path / "result.json"
    assert run(result, *TWO_TESTS) == pytest.ExitCode.OK
    (part,) = json.loads(result.read_text("utf-8")).values()
    assert part["passed"] == 2 and part["failed"] == []


@pytest.mark.slow
def test_interrupted_run_stores_no_result(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    assert run(result, "tests/no_such_folder") == pytest.ExitCode.USAGE_ERROR
    assert not result.exists()
