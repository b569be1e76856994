"""Tests of the two commands on the installation page."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import bootstrap
import pytest
from machine import Gpus

ROOT = Path(bootstrap.ROOT)
SCRIPT = ROOT / "packaging" / "bootstrap.py"


def test_old_python_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer.*install a newer one"):
        runpy.run_path(str(SCRIPT))


def test_old_python_can_parse_the_script() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))
    assert not any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)


@pytest.mark.parametrize("arguments", [[], ["install"], ["run", "--fast"], ["set-up", "-x"]])
def test_unknown_arguments_are_refused_with_the_usage(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage: bootstrap.py" in done.stderr


def test_gpu_packages_wait_for_gpu_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "gpus", lambda: Gpus((13, 0), (89,)))
    assert bootstrap.gpu_extras(tmp_path) == ()
    (tmp_path / "engine" / "kernels").mkdir(parents=True)
    (tmp_path / "engine" / "kernels" / "rays.cu").touch()
    assert bootstrap.gpu_extras(tmp_path) == ("cuda13",)


def test_kernel_compiling_module_exists() -> None:
    assert find_spec(bootstrap.WARM_UP) is not None
