"""Options that name what is written, checked before any work against all that is read.

`Output` marks such an option; every other option that names a file is an input. So a verb that is
added need not think of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from engine.core.errors import EngineError
from engine.io.input_files import files_behind
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.modalities.recognise import gathered
from engine.modalities.studies import files_of_study, read_study
from engine.protocols.privacy.key import file_of

Written = Callable[[Path, argparse.Namespace], Iterable[Path]]
"""Which files an option's path stands for."""


class Output(argparse.Action):
    """An option that names a file, or with `written` the folder of several, to be written."""

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        *,
        written: Written | None = None,
        **options: object,
    ) -> None:
        super().__init__(option_strings, dest, **options)  # type: ignore[arg-type]
        self.written: Written = written or (lambda path, _: files_written(path))

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        known = getattr(namespace, "outputs", ())
        namespace.outputs = (*known, (self.dest, values, self.written))


def add_identify(p: argparse.ArgumentParser) -> None:
    """Add the option without which names of files and folders stay here."""
    p.add_argument(
        "--identify", action="store_true",
        help="let names of files, and all a header says, go into what is written",
    )  # fmt: skip


def add_force(p: argparse.ArgumentParser) -> None:
    """Add the option without which no file is replaced."""
    p.add_argument("--force", action="store_true", help="replace an output that exists")


def add_merge_layers(p: argparse.ArgumentParser) -> None:
    """Add the option that takes all layers of crystals of two panels as one."""
    p.add_argument(
        "--merge-layers", action="store_true", help="all layers of crystals count together, as one"
    )


def add_complete_events(p: argparse.ArgumentParser) -> None:
    """Add the option without which list mode that is cut off is refused."""
    p.add_argument(
        "--use-complete-events", action="store_true", dest="complete_events",
        help="of list mode that ends within a record, use what is complete",
    )  # fmt: skip


def resolve_pseudonyms(arguments: argparse.Namespace) -> None:
    """Put the files of this user in the place of their pseudonyms, as replay lines name them."""
    outputs = {option for option, *_ in getattr(arguments, "outputs", ())}
    for option, value in list(vars(arguments).items()):
        is_input = isinstance(value, str | Path) and option not in outputs
        if is_input and not _is_there(value):
            found = file_of(str(value))
            if found is not None:
                setattr(arguments, option, type(value)(found))


def refuse_outputs(arguments: argparse.Namespace) -> None:
    """Refuse to write onto an input, onto one file twice, or without --force onto any file."""
    named = getattr(arguments, "outputs", ())
    outputs = [file for _, path, written in named for file in written(path, arguments)]
    if outputs:
        refuse_to_overwrite(outputs, _inputs(arguments), force=arguments.force)


def _inputs(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield all files that options name which are no outputs, and all that is read with them."""
    more = getattr(arguments, "inputs", None)  # of a verb whose options do not name all it reads
    if more is not None:
        yield from more(arguments)
    no_inputs = {"act", "outputs", "inputs", *(option for option, *_ in arguments.outputs)}
    for option, value in vars(arguments).items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if option not in no_inputs and isinstance(each, str | Path) and _is_there(each):
                yield from _files_of(Path(each))


def _is_there(name: str | Path) -> bool:
    """Whether a word names a file; many words are no names, and too long or odd to be one.

    An empty word is none, though `Path("")` is the current folder, whose files are no inputs.
    """
    try:
        return name != "" and Path(name).exists()
    except (OSError, ValueError):
        return False


def _files_of(path: Path) -> Iterator[Path]:
    yield from files_behind(path)
    yield from _files_beside(path)
    if path.suffix.lower() == ".toml":
        try:
            yield from files_of_study(read_study(path))
        except EngineError:
            return  # no study; or a damaged one, as will be said where it is opened


def _files_beside(path: Path) -> Iterator[Path]:
    """Yield what comes along with a scan from its folder."""
    try:
        _, found = gathered(path)
    except EngineError:
        return  # as will be said where it is opened
    if found is not None:
        for each in (found.data, *found.inputs.values()):
            yield from files_behind(each)
