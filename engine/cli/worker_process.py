"""Read HDF5 and MATLAB files in a separate process first.

A damaged file can crash its library or hang it. The separate process turns this into an error
message. A file that passes is read again by the command.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from engine.cli.outputs import files_with
from engine.core.errors import EngineError
from engine.io.folder import entries, is_file, is_folder
from engine.io.hdf5.opening import is_hdf5
from engine.io.safety.open_input import open_head
from engine.io.text.toml_file import read_toml

MATLAB = b"MATLAB 5.0 MAT-file"


def refuse_crashing(arguments: argparse.Namespace, *, inspects: bool = True) -> None:
    """Refuse input files that crash or hang their library, also files named by a study.

    Other problems of the files are reported where they are used.

    Parameters
    ----------
    arguments
        parsed options
    inspects
        False only lists the files that belong to an input, for a verb that reads its inputs in a
        process of its own
    """
    work = _inspect if inspects else _list_files
    fragile = [path for path in dict.fromkeys(_named(arguments)) if _is_fragile(path)]
    if not fragile:
        return
    from engine.jobs.loader import Loader, for_command

    loader = for_command()
    if not isinstance(loader, Loader):  # no separate process: a crash cannot be caught
        return
    try:
        # Before the command starts threads: the reader is a fork of this process
        for path in fragile:
            loader.call(work, path, about=path)
    finally:
        loader.close()


def _inspect(path: Path) -> None:
    from engine.modalities.inspection import inspect

    inspect(path)
    _list_files(path)


def _list_files(path: Path) -> None:
    """Search the links of a file, as the check of the outputs does.

    The library visits more objects than a reader, and can crash at one of them.
    """
    for _ in files_with(path):
        pass


def _named(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the input files of the options and of a job, and the files that study files name."""
    files_of = getattr(arguments, "files_of", None)
    if files_of is not None:
        yield from (each for each in files_of(arguments) if is_file(each))
    outputs = {option for option, *_ in getattr(arguments, "outputs", ())}
    for option, value in vars(arguments).items():
        for each in value if isinstance(value, list | tuple) else (value,):
            # A text such as ".." can name a folder by chance
            if option not in outputs and isinstance(each, Path):
                yield from _files_at(each)
            elif option not in outputs and isinstance(each, str) and is_file(Path(each)):
                yield from _files_at(Path(each))


def _files_at(path: Path) -> Iterator[Path]:
    """Yield a file and the files that it names as a study, or the files of a folder."""
    if is_folder(path):
        yield from (each for each in entries(path) if is_file(each))
    elif is_file(path):
        yield path
        yield from _of_study(path)


def _of_study(path: Path) -> Iterator[Path]:
    if path.suffix.lower() != ".toml":
        return
    from engine.modalities.study_values import refuse_other_hosts  # few commands get a study

    try:
        values = read_toml(path)
        # Before any of its files is asked for; the reader of the study reports it
        refuse_other_hosts(path.parent, values, path.name)
    except EngineError:
        return
    inputs = values.get("inputs")
    # Paths in a study are relative to its folder
    for value in (*values.values(), *(inputs.values() if isinstance(inputs, dict) else ())):
        if isinstance(value, str) and is_file(path.parent / value):
            yield path.parent / value


def _is_fragile(path: Path) -> bool:
    # Only the head is read here, by our own code
    try:
        head = open_head(path)
    except EngineError:
        return False
    return is_hdf5(head) or head.startswith(MATLAB)
