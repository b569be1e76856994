"""Files that a library reads for us are read in a process of their own first.

HDF5 and MATLAB files can be damaged so that their library ends the process or never returns. Then
the command ends with a sentence instead; a file that is read there to its end is read here again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import EngineError
from engine.io.folder import entries, is_file, is_folder
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.open_input import open_head
from engine.io.text.toml_file import read_toml
from engine.jobs.loader import Loader, for_command

MATLAB = b"MATLAB 5.0 MAT-file"


def refuse_crashing(arguments: argparse.Namespace) -> None:
    """Refuse files, named by the options or by a study among them, whose library crashes or hangs.

    What else is wrong with them is said where they are used.
    """
    fragile = [path for path in dict.fromkeys(_named(arguments)) if _is_fragile(path)]
    if not fragile:
        return
    loader = for_command()
    if not isinstance(loader, Loader):  # read here, it would crash here
        return
    try:
        for path in fragile:
            loader.call(_look_at, path, about=path)
    finally:
        loader.close()


def _look_at(path: Path) -> None:
    from engine.modalities.inspection import inspect

    inspect(path)


def _named(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the files that options name, and those that a study among them names."""
    outputs = {option for option, *_ in getattr(arguments, "outputs", ())}
    for option, value in vars(arguments).items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if option not in outputs and isinstance(each, str | Path):
                yield from _files_at(Path(each))


def _files_at(path: Path) -> Iterator[Path]:
    """Yield a file and those that it names as a study, or the files of a folder."""
    if is_folder(path):
        yield from (each for each in entries(path) if is_file(each))
    elif is_file(path):
        yield path
        yield from _of_study(path)


def _of_study(path: Path) -> Iterator[Path]:
    if path.suffix.lower() != ".toml":
        return
    try:
        values = read_toml(path)
    except EngineError:
        return
    inputs = values.get("inputs")
    for value in (*values.values(), *(inputs.values() if isinstance(inputs, dict) else ())):
        if isinstance(value, str) and is_file(path.parent / value):
            yield path.parent / value


def _is_fragile(path: Path) -> bool:
    try:
        head = open_head(path)
    except EngineError:
        return False
    return is_hdf5(head) or head.startswith(MATLAB)
