"""Stored kernels load without the compiler of Numba."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.kernels import host_target

LOAD_ALL = """
import sys
from engine.core.backend import cpu
from engine.modalities.kernel_steps import warm_up
from engine.modalities.warm_up import of_any_scan

for _ in warm_up(of_any_scan(cpu(1))):
    pass
print(*sys.modules)
"""
"""Call each kernel. If a kernel called a missing function, Numba would abort."""
OTHER_VERSION = """
import sys
import numba

numba.version_info = numba.version_info._replace(short={short})
from engine.kernels.host_target import make_ready

make_ready()
print(*sys.modules)
"""
COMPILES = "numba.np.linalg"
"""Module of Numba that only the compiler imports."""


def imported_by(code: str) -> set[str]:
    """Return the modules that a new process has imported when it ends."""
    command = [sys.executable, "-c", code]
    return set(subprocess.check_output(command, text=True).split())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_stored_kernels_run_without_the_compiler() -> None:
    imported_by(LOAD_ALL)  # compile kernels that are not stored yet
    assert COMPILES not in imported_by(LOAD_ALL)


def test_unchecked_numba_version_loads_the_compiler() -> None:
    major, minor = host_target.LAST_CHECKED
    assert COMPILES in imported_by(OTHER_VERSION.format(short=(major, minor + 1)))
    assert COMPILES not in imported_by(OTHER_VERSION.format(short=(major, minor)))
