"""Give a file that cannot be used another name, so that nothing overwrites it."""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import ResourceError

MAX_NAMES = 1000


def set_aside(path: Path, ending: str = "") -> Path:
    """Rename a file to an unused name with "damaged" in it, and return its new path.

    Parameters
    ----------
    path
        file to rename; it stays in its folder
    ending
        part of the name that stays at its end, such as ".regions.toml"; empty: the suffix

    Raises
    ------
    ResourceError
        if the file cannot be renamed

    Examples
    --------
    >>> from pathlib import Path
    >>> from engine.io.safety.set_aside import set_aside
    >>> _ = Path("list.json").write_text("{")
    >>> set_aside(Path("list.json")).name
    'list.damaged.json'
    """
    ending = ending or path.suffix
    stem = path.name.removesuffix(ending)
    numbers = ("", *(f"-{k}" for k in range(2, MAX_NAMES)))
    names = (path.with_name(f"{stem}.damaged{each}{ending}") for each in numbers)
    free = next((each for each in names if not each.exists()), None)
    if free is None:
        raise ResourceError(
            f"{path.name}: the folder already contains {MAX_NAMES - 1} damaged files of this "
            "name; delete some of them."
        )
    try:
        return path.rename(free)
    except OSError as e:
        raise ResourceError(
            f"{path.name}: this file cannot be used and must not be overwritten, but it could not "
            f"be renamed to {free.name} ({e.strerror or e}); move it to another folder."
        ) from e
