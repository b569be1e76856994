"""Folders that Isocenter writes to: caches, jobs, results and settings.

The environment variable ISOCENTER_HOME moves all of them into one folder (tests, portable
installations).
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.core.errors import ResourceError

APP_NAME = "isocenter"
HOME_VARIABLE = "ISOCENTER_HOME"
OTHER_HOME = f"set {HOME_VARIABLE} to a folder you may write to"


def cache_dir() -> Path:
    """Folder of data that can be computed again; created if missing."""
    import platformdirs

    return made(
        _home("cache") or platformdirs.user_cache_path(APP_NAME, appauthor=False), OTHER_HOME
    )


def jobs_dir() -> Path:
    """Folder of jobs and checkpoints; created if missing."""
    import platformdirs

    # State, not cache: cleaning tools delete caches, and a checkpoint cannot be computed again.
    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("jobs") or state / "jobs", OTHER_HOME)


def state_dir() -> Path:
    """Folder of data that all runs share; created if missing."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("state") or state, OTHER_HOME)


def queue_dir() -> Path:
    """Folder of the study queue; not created."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return _home("queue") or state / "queue"


def locks_dir() -> Path:
    """Folder of the locks between processes; created if missing."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("locks") or state / "locks", OTHER_HOME)


def results_dir() -> Path:
    """Folder of finished images, unless the settings name another; not created."""
    import platformdirs

    return _home("results") or platformdirs.user_data_path(APP_NAME, appauthor=False) / "results"


def tuning_dir() -> Path:
    """Folder of the kernel variants tuned on this machine; not created."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return _home("tuning") or state / "tuning"


def exports_dir() -> Path:
    """Default folder for exported images, in the user's documents; not created."""
    import platformdirs

    return _home("exports") or platformdirs.user_documents_path() / APP_NAME.capitalize()


def config_dir() -> Path:
    """Folder of the user's settings; not created."""
    import platformdirs

    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home).expanduser().absolute()
    return platformdirs.user_config_path(APP_NAME, appauthor=False)


def made(folder: Path, remedy: str = "choose another folder", *, mode: int = 0o777) -> Path:
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
        folder.mkdir(mode, parents=True, exist_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{folder}: the folder cannot be created ({e.strerror or e}); {remedy}."
        ) from e
    return folder


def _home(name: str) -> Path | None:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() / name if home else None
