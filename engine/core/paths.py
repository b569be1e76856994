"""Folders that Isocenter writes to, and the commands of the installer of its own folder.

The environment variable ISOCENTER_HOME moves caches, jobs, results and settings into one folder
(tests, portable installations).

A clone is set up by its own script. A wheel belongs to pip, pipx or uv. pipx and uv leave a file of
their own in the environment.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from engine.core.errors import ResourceError
from engine.core.private_files import (
    is_own,
    privacy_fault,
    report_refused,
)

Kind: TypeAlias = Literal["cache", "config", "data", "state"]

APP_NAME = "isocenter"
PROGRAM = Path(__file__).resolve().parents[2]
"""Folder that contains the package `engine`."""
HOME_VARIABLE = "ISOCENTER_HOME"
OTHER_HOME = f"Set {HOME_VARIABLE} to a folder you may write to."
PLACES = (
    "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip
"""Variables of the environment that place the default folders."""
OWNER_ONLY = 0o700
"""Permissions of the folders of queue and jobs: their files name scans and patients."""
CLONE, PIP, PIPX, UV = "clone", "pip", "pipx", "uv"
_MARKS = {"pipx_metadata.json": PIPX, "uv-receipt.toml": UV}
"""File in the environment of a tool, and its name."""
_SET_UP = "`python3 packaging/bootstrap.py run`"
_REPAIR = {
    CLONE: _SET_UP,
    PIPX: "`pipx reinstall isocenter`",
    UV: "`uv tool upgrade --reinstall isocenter`",
}
_REMOVE = {
    PIP: "`pip uninstall isocenter`",
    PIPX: "`pipx uninstall isocenter`",
    UV: "`uv tool uninstall isocenter`",
}
NEWEST_CUDA = 13
"""Newest CUDA version with a CuPy."""


def is_removed_by_pip(program: Path | None = None) -> bool:
    """Return True if an installer recorded the files of the program, and will remove only those.

    Parameters
    ----------
    program
        folder that contains the package `engine`; None: that of this program
    """
    return any((program or PROGRAM).glob("isocenter-*.dist-info"))


def cache_dir() -> Path:
    """Folder of data that can be computed again; created if missing."""
    return made(_home("cache") or _default("cache"), OTHER_HOME)


def cached_dir(name: str) -> Path:
    """Folder of images and matrices that later runs use without computing them; not created.

    Parameters
    ----------
    name
        name of the folder, such as "sensitivity"
    """
    return _private(cache_dir() / name)


def key_dir() -> Path:
    """Folder of the keys of this user; not created."""
    folder = config_dir() / "key"
    # Its own permissions count: nobody can read a folder that only its owner may enter.
    return folder if is_own(folder) else _private(folder)


def jobs_dir() -> Path:
    """Folder of jobs and checkpoints; created if missing."""
    # State, not cache: cleaning tools delete caches, and a checkpoint cannot be computed again.
    jobs = _home("jobs") or _default("state") / "jobs"
    return made(_private(jobs), OTHER_HOME, mode=OWNER_ONLY)


def state_dir() -> Path:
    """Folder of data that all runs share; created if missing."""
    return made(_home("state") or _default("state"), OTHER_HOME)


def queue_dir() -> Path:
    """Folder of the study queue; not created."""
    return _private(_home("queue") or _default("state") / "queue")


def locks_dir() -> Path:
    """Folder of the locks between processes; created if missing."""
    return made(_home("locks") or _default("state") / "locks", OTHER_HOME)


def results_dir() -> Path:
    """Folder of finished images, unless the settings name another; not created."""
    return _home("results") or _default("data") / "results"


def windows_dir() -> Path:
    """Folder of the unfinished work of windows; not created."""
    return _private(_home("windows") or _default("state") / "windows")


def tuning_dir() -> Path:
    """Folder of the kernel variants tuned on this machine; not created."""
    return _private(_home("tuning") or _default("state") / "tuning")


def real_path(path: Path) -> Path:
    """Return a path without links and "..".

    `Path.resolve` fails on a link that leads back to itself before Python 3.13. Here such a link
    stays in the path, and the code that opens the file reports it.

    Parameters
    ----------
    path
        file or folder; it need not exist
    """
    return Path(os.path.realpath(path))


def exports_dir() -> Path:
    """Default folder for exported images, in the user's documents; not created."""
    import platformdirs

    return _home("exports") or platformdirs.user_documents_path() / APP_NAME.capitalize()


def config_dir() -> Path:
    """Folder of the user's settings; not created."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() if home else _default("config")


def made(folder: Path, remedy: str = "Choose another folder.", *, mode: int = 0o777) -> Path:
    """Return a folder, created if missing.

    Parameters
    ----------
    folder
        the folder; missing parents are created too
    remedy
        remedy in the error message
    mode
        permissions, reduced by the umask; they apply only to a new folder

    Raises
    ------
    ResourceError
        if it cannot be created
    """
    try:
        # mkdir applies the umask, so the folder can be more private than `mode` but never less.
        _make_parents(folder)
        folder.mkdir(mode, exist_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{folder}: the folder cannot be created ({e.strerror or e}). {remedy}"
        ) from e
    return folder


def user_cache_dir() -> Path:
    """Cache of this user, whatever ISOCENTER_HOME names; not created."""
    return _default("cache")


def _make_parents(folder: Path) -> None:
    """Create the missing folders above a folder; nobody else may write to them."""
    missing = []
    for parent in folder.parents:
        if parent.exists():
            break
        missing.append(parent)
    for parent in reversed(missing):
        parent.mkdir(0o755, exist_ok=True)


def private_state_dir() -> Path:
    """Folder of private copies, also if others can change ISOCENTER_HOME; not created."""
    return _private(_home("private") or _default("state") / "private")


def _private(folder: Path) -> Path:
    """Return a folder, or a private one of this user if others may change that folder."""
    # A file in place of a folder is a mistake of the user, and the caller reports it
    if any(parent.exists() and not parent.is_dir() for parent in folder.parents):
        return folder
    reason = privacy_fault(folder)
    if not reason:
        return folder
    # One for each refused folder, so that two shared homes do not mix their queues
    name = sha256(os.fsencode(folder)).hexdigest()[:12]
    instead = _default("state") / "private" / name / folder.name
    if still := privacy_fault(instead):
        raise ResourceError(
            f"{folder} cannot be used, nor can {instead} in its place. {reason} {still} Set "
            f"{HOME_VARIABLE} to a folder that only you can write to."
        )
    # Queue entries and jobs name files that a run writes, so they are not harmless data.
    n_left = _number_in(folder)
    used = f"{instead} is used instead."
    if n_left:
        used = f"{instead} is used instead, without the contents of {folder.name} ({n_left:,})."
    report_refused(folder, reason, used, is_shared=True)
    return instead


def _number_in(folder: Path) -> int:
    """Return the number of entries in a folder; their names only, nothing is opened."""
    try:
        return sum(1 for _ in folder.glob("[!.]*"))
    except OSError:
        return 0


def _default(kind: Kind) -> Path:
    """Return the folder of the system for a kind of data of this program; not created."""
    return _default_of(kind, tuple(map(os.environ.get, PLACES)))


@lru_cache
def _default_of(kind: Kind, _: tuple[str | None, ...]) -> Path:
    """Return the same folder for the same environment: every lock and every job needs one."""
    import platformdirs

    match kind:
        case "cache":
            return platformdirs.user_cache_path(APP_NAME, appauthor=False)
        case "config":
            return platformdirs.user_config_path(APP_NAME, appauthor=False)
        case "data":
            return platformdirs.user_data_path(APP_NAME, appauthor=False)
        case "state":
            return platformdirs.user_state_path(APP_NAME, appauthor=False)


def _home(name: str) -> Path | None:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() / name if home else None


def method(program: Path | None = None, environment: Path | None = None) -> str:
    """Return how the program was installed: "clone", "pip", "pipx" or "uv".

    Parameters
    ----------
    program
        folder that contains the package `engine`; None: that of this program
    environment
        folder of the Python environment; None: the one that runs
    """
    if ((program or PROGRAM) / "packaging" / "bootstrap.py").is_file():
        return CLONE
    home = environment or Path(sys.prefix)
    return next((tool for mark, tool in _MARKS.items() if (home / mark).is_file()), PIP)


def repair_command(missing: tuple[str, ...] = ()) -> str:
    """Return the command that repairs the installation, in backticks.

    Parameters
    ----------
    missing
        names of missing packages
    """
    packages = " ".join(missing) or "--force-reinstall isocenter"
    return _REPAIR.get(method(), f"`pip install {packages}`")


def remove_command() -> str:
    """Return the command that removes the program, in backticks; empty for a clone."""
    return _REMOVE.get(method(), "")


def cupy_command(cuda: int | None = None) -> str:
    """Return the command that installs CuPy, in backticks.

    Parameters
    ----------
    cuda
        CUDA version of the driver; None: not known
    """
    packages = f'"cupy-cuda{min(cuda or NEWEST_CUDA, NEWEST_CUDA)}x[ctk]" nvidia-ml-py'
    how = method()
    if how == CLONE:
        return _SET_UP
    if how == PIPX:
        return f"`pipx inject isocenter {packages}`"
    if how == UV:
        return f"`uv tool install {' '.join(f'--with {each}' for each in packages.split())} WHEEL`"
    return f"`pip install {packages}`"
