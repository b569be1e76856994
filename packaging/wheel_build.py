"""Build command that adds the guide and the compiled kernels to a wheel."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

KERNELS = Path("engine") / "kernels" / "shipped"
"""Folder that packaging/shipped_kernels.py writes. It need not exist."""


def __getattr__(name: str) -> Any:
    """Make the command when the build asks for it: an installation may lack setuptools."""
    if name != "BuildWheel":
        raise AttributeError(name)
    from setuptools.command.build_py import build_py

    # The build loads this file alone, and the library `packaging` has the same name as this folder.
    sys.path.insert(0, str(Path(__file__).parent))
    from guide import HOME, ROOT, copy_into

    class BuildWheel(build_py):
        """Add files that are not package data."""

        def run(self) -> None:
            super().run()
            if self.editable_mode:
                return
            built = Path(self.build_lib)
            copy_into(built / HOME)
            if (ROOT / KERNELS).is_dir():
                shutil.copytree(ROOT / KERNELS, built / KERNELS, dirs_exist_ok=True)

    return BuildWheel
