"""Options of several verbs. Outputs are checked before any work, so no input is overwritten.

`Output` marks an output option. Every other option that names a file counts as an input, so new
verbs are checked without extra code.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.streams import output
from engine.core.errors import EngineError, OutputError, SettingsError
from engine.core.json_types import Plain
from engine.core.printing import print_lines
from engine.io.folder import is_file
from engine.io.safety.atomic_write import refuse_impossible, write_atomically
from engine.io.safety.outputs import files_written, refuse_to_overwrite
from engine.protocols.privacy.key import file_of

if TYPE_CHECKING:
    from engine.data.input_role import InputRole

STANDARD_OUTPUT = Path("-")
"""Value of `--json` that prints to standard output."""
MAX_THREADS = 4096
"""Each thread of a projector has an image of its own, so more would only fill the memory."""
Written = Callable[[Path, argparse.Namespace], Iterable[Path]]
"""Returns the files that are written for the path of an option."""


class _Fallback:
    """Default of `-o`: no tuple and no text, which would count as the name of an input.

    Parameters
    ----------
    name
        file in the current folder; empty if the output must be named
    written
        returns the written files; None for those of a volume
    """

    def __init__(self, name: str, written: Written | None) -> None:
        self.name, self.written = name, written


class Output(argparse.Action):
    """Option that names an output file, or with `written` a folder of several files."""

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

    # Most volumes have companion files, such as the data of a header
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if values is None:  # an optional argument that is missing
            return
        before = getattr(namespace, self.dest, None)
        setattr(namespace, self.dest, values)
        known = getattr(namespace, "outputs", ())
        # A repeated option replaces its value, but OUT and -o contradict each other
        is_place = not self.option_strings or bool(getattr(namespace, "output_placed", False))
        if self.dest == "output" and is_place and before is not None and before != values:
            parser.error(f"two outputs, {before} and {values}; name one.")
        if self.dest == "output" and not self.option_strings:
            namespace.output_placed = True
        if self.dest == "json" and values == STANDARD_OUTPUT:
            return
        # Every use is recorded, since an option can be given several times
        namespace.outputs = (*known, (self.dest, values, self.written))


def add_output(
    p: argparse.ArgumentParser,
    text: str,
    *,
    metavar: str = "OUT",
    default: str = "",
    place: bool = False,
    written: Written | None = None,
) -> None:
    """Add `-o`, `--output`: the file that a command writes.

    Parameters
    ----------
    p
        parser of a verb
    text
        help text
    metavar
        name of the value in the help
    default
        file in the current folder; empty if the output must be named
    place
        accept the output as last argument too
    written
        returns the written files, if they are not those of a volume
    """
    options: Plain = {"type": Path, "action": Output, "metavar": metavar, "written": written}
    p.add_argument(
        "-o", "--output", required=not default and not place,
        help=f"{text} ({f'default: {default}' if default else 'required'})", **options,
    )  # fmt: skip
    if place:
        # The option has the help; the usage line shows both
        p.add_argument("output", nargs="?", help="the same as -o", **options)
    p.set_defaults(output_default=_Fallback(default, written) if default or place else None)


def fill_outputs(arguments: argparse.Namespace) -> None:
    """Set the default of `-o`, so that it is checked like a named output.

    Parameters
    ----------
    arguments
        parsed options, changed in place

    Raises
    ------
    SettingsError
        if the command needs an output and has none
    """
    found = getattr(arguments, "output_default", None)
    if found is None or arguments.output is not None:
        return
    if not found.name:
        raise SettingsError("the output is missing; name it with -o OUT.")
    arguments.output = Path(found.name)
    action = Output((), "output", written=found.written)
    arguments.outputs = (
        *getattr(arguments, "outputs", ()), ("output", arguments.output, action.written)
    )  # fmt: skip


def writes_json(arguments: argparse.Namespace) -> bool:
    """Return True if `--json -` reserves standard output for JSON."""
    return getattr(arguments, "json", None) == STANDARD_OUTPUT


def add_json(p: argparse.ArgumentParser, text: str) -> None:
    """Add `--json`.

    Parameters
    ----------
    p
        parser of a verb
    text
        contents of the file, for the help text
    """
    p.add_argument(
        "--json", type=Path, action=Output, metavar="OUT",
        help=f"{text}; - for standard output (default: none)",
    )  # fmt: skip


def write_json(text: str, to: Path, *, private: bool = False) -> None:
    """Write JSON to the file of `--json`, atomically, or to standard output.

    Parameters
    ----------
    text
        the JSON
    to
        value of the option
    private
        make the file readable only by its owner
    """
    if to != STANDARD_OUTPUT:
        write_atomically(text.encode(), to, private=private)
        return
    with output():
        print_lines(text.removesuffix("\n"))


def add_identify(p: argparse.ArgumentParser) -> None:
    """Add `--identify`. Without it, outputs contain pseudonyms.

    Parameters
    ----------
    p
        parser of a verb that writes files
    """
    p.add_argument(
        "--identify", action="store_true",
        help="write real file names and all header fields, including patient names",
    )  # fmt: skip


def add_force(p: argparse.ArgumentParser) -> None:
    """Add `--force`. Without it, no existing file is replaced.

    Parameters
    ----------
    p
        parser of a verb with an `Output` option
    """
    p.add_argument("--force", action="store_true", help="replace existing output files")


def add_merge_layers(p: argparse.ArgumentParser) -> None:
    """Add `--merge-layers`, for panels with several crystal layers."""
    p.add_argument("--merge-layers", action="store_true", help="merge all crystal layers into one")


def add_complete_events(p: argparse.ArgumentParser) -> None:
    """Add `--use-complete-events`. Without it, truncated list mode is refused."""
    p.add_argument(
        "--use-complete-events", action="store_true", dest="complete_events",
        help="use the complete events of truncated list mode",
    )  # fmt: skip


def count(text: str) -> int:
    """Parse a whole number of at least 1.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    return _whole_number(text, 1)


def seed(text: str) -> int:
    """Parse the seed of random numbers, a whole number of at least 0.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    return _whole_number(text, 0)


def threads(text: str) -> int:
    """Parse a number of CPU threads, from 1 to `MAX_THREADS`.

    Parameters
    ----------
    text
        value of the option

    Raises
    ------
    argparse.ArgumentTypeError
        for other values
    """
    return _whole_number(text, 1, MAX_THREADS)


def _whole_number(text: str, minimum: int, maximum: int | None = None) -> int:
    try:
        value = int(text)
    except ValueError:
        value = minimum - 1
    if value < minimum or (maximum is not None and value > maximum):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not valid; expected a whole number of at least {minimum}"
            if maximum is None
            else f"{text!r} is not valid; expected a whole number of at least {minimum} and at "
            f"most {maximum:,}"
        )
    return value


def add_threads(p: argparse._ActionsContainer) -> None:
    """Add `--threads`.

    Parameters
    ----------
    p
        parser of a verb, or a group of its options
    """
    p.add_argument(
        "--threads", type=threads, metavar="N", help="number of CPU threads (default: all cores)"
    )


def add_inputs(p: argparse.ArgumentParser, roles: Iterable[InputRole], before: str = "") -> None:
    """Add an option for each role.

    Parameters
    ----------
    p
        parser of a verb that reconstructs
    roles
        roles of auxiliary files; their values are `input_KEY`
    before
        beginning of each help text, such as "PET: "
    """
    for role in roles:
        where = f"input_{role.key}"
        p.add_argument(
            f"--{role.key.replace('_', '-')}", dest=where, type=Path, metavar="FILE",
            help=f"{before}{role.text} (default: none)",
        )  # fmt: skip
        # Commands from before version 0.3 have underscores
        if "_" in role.key:
            p.add_argument(f"--{role.key}", dest=where, type=Path, help=argparse.SUPPRESS)


def resolve_pseudonyms(arguments: argparse.Namespace) -> None:
    """Replace pseudonyms in input options by the files of this user.

    A replay line in a header has pseudonyms instead of paths. Only the user who made the image can
    resolve them.

    Parameters
    ----------
    arguments
        parsed options, changed in place
    """
    outputs = {option for option, *_ in getattr(arguments, "outputs", ())}
    for option, value in list(vars(arguments).items()):
        is_input = isinstance(value, str | Path) and option not in outputs
        # An existing file with the name of a pseudonym is meant literally
        if is_input and not is_there(value):
            found = file_of(str(value))
            if found is not None:
                setattr(arguments, option, type(value)(found))


def missing_file_hint(arguments: argparse.Namespace) -> str:
    """Return a sentence that names a file like the first missing input; empty without one.

    Parameters
    ----------
    arguments
        parsed options
    """
    from engine.cli.suggestions import file_hint

    outputs = {option for option, *_ in getattr(arguments, "outputs", ())}
    for option, value in vars(arguments).items():
        for each in value if isinstance(value, list | tuple) else (value,):
            # Only options of type Path surely name files
            if option not in outputs and isinstance(each, Path) and not is_there(each):
                hint = file_hint(each)
                if hint:
                    return hint
    return ""


def refuse_outputs(arguments: argparse.Namespace) -> None:
    """Refuse an output that is an input, is named twice, or exists without `--force`.

    A link next to an output is refused too: its target has a name that the user did not state.

    Parameters
    ----------
    arguments
        parsed options

    Raises
    ------
    EngineError
        with the first such output
    """
    named = getattr(arguments, "outputs", ())
    outputs = [file for _, path, written in named for file in written(path, arguments)]
    if outputs:
        refuse_to_overwrite(outputs, _inputs(arguments), force=arguments.force)
    for option, path, _ in named:
        # The JSON of a measurement is written at its end, which can be hours later
        if option == "json":
            refuse_impossible(path)
    paths = [path for _, path, _ in named]
    links = [file for file in outputs if file not in paths and file.is_symlink()]
    if links:
        raise OutputError(
            f"{links[0]}: an output would replace the target of this link; remove the link, or "
            "choose another name."
        )


def _inputs(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield all input files of the options, and the files read with them."""
    # Set by verbs that read more files than the options name.
    files_of = getattr(arguments, "files_of", None)
    if files_of is not None:
        from engine.io.input_files import files_behind

        for each in files_of(arguments):
            yield from files_behind(each)
    # Everything else that is an existing path counts as an input, even if it is only a name
    no_inputs = {"act", "outputs", "files_of", *(option for option, *_ in arguments.outputs)}
    for option, value in vars(arguments).items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if option not in no_inputs and _is_input(each):
                yield from files_with(Path(each))


def _is_input(value: object) -> bool:
    # A text such as ".." can name a folder by chance, and reading it takes long
    if isinstance(value, str):
        return is_there(value) and is_file(Path(value))
    return isinstance(value, Path) and is_there(value)


def is_there(name: str | Path) -> bool:
    """Return True if a value names an existing file or folder.

    An empty value is not a file, although `Path("")` is the current folder. Values that are too
    long or contain odd characters are not files either.
    """
    try:
        return name != "" and Path(name).exists()
    except (OSError, ValueError):
        return False


def files_with(path: Path) -> Iterator[Path]:
    """Yield the files that belong to an input: behind a header, in a study, in a folder.

    Parameters
    ----------
    path
        existing file or folder
    """
    # Only commands with an output look for other files of a scan.
    from engine.io.input_files import files_behind
    from engine.modalities.studies import files_of_study, read_study

    yield from files_behind(path)
    yield from _companion_files(path)
    # A study file names further inputs, which an output must not replace either
    if path.suffix.lower() == ".toml":
        try:
            yield from files_of_study(read_study(path))
        except EngineError:
            return  # not a study, or damaged: reported when it is opened


def _companion_files(path: Path) -> Iterator[Path]:
    """Yield the files that a scan takes from its folder."""
    from engine.io.input_files import files_behind
    from engine.modalities.recognise import gathered

    try:
        _, found = gathered(path)
    except EngineError:
        return  # reported when the scan is opened
    if found is not None:
        for each in (found.data, *found.inputs.values()):
            yield from files_behind(each)
