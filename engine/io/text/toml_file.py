"""Small tables of settings in TOML: studies, protocols, scanners and sidecars."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.io.safety.open_input import InputFile, open_input

MAX_TOML_BYTES = 1_000_000
MAX_DOTS = 16
"""Allowed dots in a key. Each opens one more table, and hundreds of thousands take minutes."""
MANY_DOTS = re.compile(rf"^[ \t]*\[*[-\w \t\"']*(?:\.[-\w \t\"']*){{{MAX_DOTS}}}", re.MULTILINE)


def read_toml(path: Path) -> Plain:
    """Read a small TOML file.

    Parameters
    ----------
    path
        at most 1 MB

    Raises
    ------
    SettingsError
        if the file is too large or not TOML
    """
    with open_input(path) as file:
        return toml_of(file)


def toml_of(file: InputFile) -> Plain:
    """Return the table in an open file; raise `SettingsError` if it contains none."""
    if file.size > MAX_TOML_BYTES:
        raise SettingsError(
            f"{file.name}: has {file.size:,} bytes, expected a settings file of at most "
            f"{MAX_TOML_BYTES:,} bytes; choose another file."
        )
    return toml_table(file.read(), file.name)


def toml_table(data: bytes, where: str) -> Plain:
    """Return the table in a TOML text.

    Parameters
    ----------
    data
        UTF-8 text
    where
        file name, for error messages

    Raises
    ------
    SettingsError
        if this is not TOML, or a key has too many dots
    """
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        # Check before parsing: tomllib takes minutes for such keys.
        if MANY_DOTS.search(text):
            raise ValueError("a key has too many parts separated by dots")
        return tomllib.loads(text)
    except (ValueError, RecursionError) as e:
        reason = "the values are nested too deeply" if isinstance(e, RecursionError) else str(e)
        raise SettingsError(
            f"{where}: not a valid TOML file; correct the file. Reason: {reason}."
        ) from e
