"""Read tracer files: the injection as a TOML file with a table `[tracer]`."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from engine.core.errors import SettingsError
from engine.core.settings import parse
from engine.data.timing.tracer import Tracer
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import InputFile
from engine.io.text.toml_file import read_toml, toml_of

TABLE = "tracer"


def is_tracer(file: InputFile) -> bool:
    """Return True if an open file is a tracer file."""
    if file.path.suffix.lower() != ".toml":
        return False
    try:
        # Another TOML file can have such a table among others, so it must be the only one.
        return set(toml_of(file)) == {TABLE}
    except SettingsError:
        return False


def write_tracer(tracer: Tracer, path: Path) -> None:
    """Write a tracer file.

    Parameters
    ----------
    tracer
        injection, times and body; unknown values are left out
    path
        target; an existing file is replaced
    """
    table = tracer.model_dump(exclude_none=True, exclude_defaults=True)
    write_atomically(tomli_w.dumps({TABLE: table}).encode(), path)


def read_tracer(path: Path) -> Tracer:
    """Read a tracer file.

    Raises
    ------
    SettingsError
        if it has other tables, or a value is not allowed
    """
    table = read_toml(path)
    if set(table) != {TABLE} or not isinstance(table[TABLE], dict):
        raise SettingsError(
            f"{path.name}: the keys of the file are [{', '.join(table)}], expected a single table "
            "[tracer] with dose, times and weight; correct the file."
        )
    return parse(Tracer, table[TABLE], where=path.name)
