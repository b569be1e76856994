"""Command of the build: it adds the guide and the compiled kernels to a wheel."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

KERNELS = Path("engine") / "kernels" / "shipped"
"""Folder of packaging/shipped_kernels.py; it need not exist."""


def __getattr__(name: str) -> Any:
    """Make the command when the build asks for it: an installation need not have setuptools."""
    if name != "BuildWheel":
        raise AttributeError(name)
    from setuptools.command.build_py import build_py

    # The build loads this file alone, and the library `packaging` has the name of this folder.
    sys.path.insert(0, str(Path(__file__).parent))
    from guide import HOME, ROOT, copy_into

    class BuildWheel(build_py):
        """Adds files that are no package data."""

        def run(self) -> None:
            super().run()
            if self.editable_mode:
                return
            built = Path(self.build_lib)
            copy_into(built / HOME)
            if (ROOT / KERNELS).is_dir():
                shutil.copytree(ROOT / KERNELS, built / KERNELS, dirs_exist_ok=True)

    return BuildWheel
