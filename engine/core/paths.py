"""Folders of what Isocenter writes on its own account: caches, jobs, results and settings.

The environment variable ISOCENTER_HOME moves all into one folder (tests, portable installs).
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.core.errors import ResourceError

APP_NAME = "isocenter"
HOME_VARIABLE = "ISOCENTER_HOME"
OTHER_HOME = f"set {HOME_VARIABLE} to a folder you may write to"


def cache_dir() -> Path:
    """Folder of what can be computed again; made if absent."""
    import platformdirs

    return made(
        _home("cache") or platformdirs.user_cache_path(APP_NAME, appauthor=False), OTHER_HOME
    )


def jobs_dir() -> Path:
    """Folder of the jobs and their checkpoints; made if absent."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("jobs") or state / "jobs", OTHER_HOME)


def state_dir() -> Path:
    """Folder of what is kept of all runs; made if absent."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("state") or state, OTHER_HOME)


def queue_dir() -> Path:
    """Folder of the studies that wait for their turn; not made."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return _home("queue") or state / "queue"


def locks_dir() -> Path:
    """Folder of the locks between processes; made if absent."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return made(_home("locks") or state / "locks", OTHER_HOME)


def results_dir() -> Path:
    """Folder in which finished images are kept, unless the settings name another; not made."""
    import platformdirs

    return _home("results") or platformdirs.user_data_path(APP_NAME, appauthor=False) / "results"


def tuning_dir() -> Path:
    """Folder of the forms of kernels that were tuned on this machine; not made."""
    import platformdirs

    state = platformdirs.user_state_path(APP_NAME, appauthor=False)
    return _home("tuning") or state / "tuning"


def exports_dir() -> Path:
    """Folder that is offered for images that leave: among the user's documents; not made."""
    import platformdirs

    return _home("exports") or platformdirs.user_documents_path() / APP_NAME.capitalize()


def config_dir() -> Path:
    """Folder of the user's own settings; not made."""
    import platformdirs

    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home).expanduser().absolute()
    return platformdirs.user_config_path(APP_NAME, appauthor=False)


def made(folder: Path, way_out: str = "choose another folder", *, mode: int = 0o777) -> Path:
    """Return a folder, made if absent with the permissions that the umask leaves of `mode`.

    Raises
    ------
    ResourceError
        if it cannot be made, with the way out
    """
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{folder}: the folder cannot be made ({e.strerror or e}); {way_out}."
        ) from e
    return folder


def _home(name: str) -> Path | None:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser().absolute() / name if home else None
