"""Compiled kernels of a wheel, so that a first run need not compile them.

`packaging/shipped_kernels.py` compiles them for some classes of processors. There is a folder for
each class and its versions of Python and of the libraries. It contains a folder for each module,
and `files.json` with the SHA-256 of each file. The files of a module are copied into the user's
folder of compiled kernels before its first use. Numba's files are pickles and can run code, so only
listed files are read. If a file is missing or damaged, the kernels of its module are compiled.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

SHIPPED = Path(__file__).parent / "shipped"
LIST = "files.json"
SUFFIXES = (".nbi", ".nbc")
"""Numba's index of a function, and the code for some types of its arguments."""

_LOG = logging.getLogger(__name__)


def write_list(folder: Path) -> None:
    """List the compiled kernels in a folder with their SHA-256.

    Parameters
    ----------
    folder
        folder of one class of processors and its versions
    """
    found = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    files = {str(p.relative_to(folder).as_posix()): _digest(p.read_bytes()) for p in found}
    (folder / LIST).write_text(json.dumps(files, indent=1) + "\n", encoding="utf-8")


def copy_shipped(libraries: str, module: str, target: Path) -> bool:
    """Copy the compiled kernels of a module; return False if the wheel has none for its state.

    Parameters
    ----------
    libraries
        name of the folder for this class of processors and these versions
    module
        name of the folder for the present state of the module
    target
        folder to create; another process can create it at the same time
    """
    files = _intact(SHIPPED / libraries, module)
    if not files:
        return False
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{module}-", dir=target.parent))
    except OSError:
        return False
    try:
        for name, content in files.items():
            (part / name).write_bytes(content)
            (part / name).chmod(0o644)
        part.chmod(0o755)
        part.rename(target)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        return target.is_dir()
    return True


def _intact(folder: Path, module: str) -> dict[str, bytes]:
    """Return the listed files of a module by name; empty if one is missing or damaged."""
    files = {}
    for path, digest in _listed(folder).items():
        parent, _, name = path.partition("/")
        if parent != module or Path(name).name != name:
            continue
        try:
            files[name] = (folder / path).read_bytes()
        except OSError:
            files[name] = b""
        if _digest(files[name]) != digest:
            _LOG.warning(
                "The compiled kernel %s differs from the list of the wheel, so the kernels of "
                "%s are compiled again.", folder / path, module.rpartition("-")[0],
            )  # fmt: skip
            return {}
    return files


@cache
def _listed(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder; empty if the wheel has none."""
    try:
        return dict(json.loads((folder / LIST).read_bytes()))
    except (OSError, ValueError):
        return {}


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
