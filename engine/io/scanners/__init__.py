"""Find a scanner by the name of a built-in one, by its TOML file or by a crystal map."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.checked import checked
from engine.core.errors import SettingsError, UnknownFormatError
from engine.io.folder import exists
from engine.io.safety.open_input import open_head

if TYPE_CHECKING:
    from engine.geometry.scanner import Scanner

MAP_SUFFIXES = (".txt", ".csv", ".tsv")


def builtin_scanners() -> dict[str, str]:
    """Return the built-in scanners: key -> name shown to the user."""
    from engine.io.scanners.toml_scanner import builtin_keys, builtin_settings

    return {key: builtin_settings(key).name for key in builtin_keys()}


@checked()
def read_scanner(name_or_path: str) -> Scanner:
    """Return the scanner of this name or file.

    Parameters
    ----------
    name_or_path
        key of a built-in scanner, path of a scanner file (.toml), or path of a crystal map (.txt,
        .csv, .tsv)

    Returns
    -------
    scanner
        with TOF bins if its file states them

    Raises
    ------
    SettingsError
        if this is neither a key nor a file, or if the lengths of a .toml are not in mm
    UnknownFormatError
        if a file has another ending

    Examples
    --------
    >>> import engine
    >>> engine.read_scanner("siemens-mmr").n_crystals
    32256
    """
    # Every scan looks for crystal maps next to it by their suffixes, but few read one.
    from engine.io.scanners.toml_scanner import (
        builtin_keys,
        builtin_settings,
        read_toml_scanner,
        scanner_of,
    )

    keys = builtin_keys()
    # Keys win over files, so a file with the name of a scanner cannot replace it.
    if name_or_path in keys:
        return scanner_of(builtin_settings(name_or_path))
    path = Path(name_or_path)
    suffix = path.suffix.lower()
    if not name_or_path or (suffix not in (".toml", *MAP_SUFFIXES) and not exists(path)):
        # A missing .toml or map is reported as a missing file below. Any other text is probably a
        # misspelt key.
        near = get_close_matches(name_or_path.lower(), keys, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingsError(
            f"{name_or_path!r} is not a known scanner.{meant} Choose one of {', '.join(keys)}, a "
            "scanner file (.toml) or a crystal map (.txt)."
        )
    # Report a missing, empty or irregular file before its ending is judged.
    open_head(path)
    if suffix == ".toml":
        return read_toml_scanner(path)
    if suffix in MAP_SUFFIXES:
        from engine.io.scanners.crystal_map import read_crystal_map

        return read_crystal_map(path)
    raise UnknownFormatError(
        f"{path.name}: not a scanner file; choose a scanner file (.toml), a crystal map (.txt) or "
        f"one of {', '.join(keys)}."
    )
