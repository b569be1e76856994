"""A study as a command line or as a Python script, which compute its image again.

Both state every setting that differs from its default, and the paths of all files. Each text is
read back before it is returned: one that would not give the study is refused.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.core.errors import SettingsError
from engine.core.settings import Settings
from engine.modalities.studies import modality_of, shipped_protocols
from engine.protocols.privacy.key import ending_of
from engine.protocols.run_context.assigned import assignments, table_of
from engine.protocols.run_context.environment import program_version
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import StudyValues

WIDTH = 88
"""Longest line of a table in a script, where that is possible."""
INDENT = 4
IMAGE = Path("image.nii.gz")


def command_of(
    study: StudyValues, output: Path = IMAGE, *, device: str = "auto", threads: int | None = None
) -> str:
    """Return a command line that reconstructs a study.

    It names the shipped protocol that is nearest, and each setting that differs from it. It is
    quoted for the shell of this system.

    Parameters
    ----------
    study
        study with its files and protocol
    output
        image to write
    device
        name of the device, as for `--device`
    threads
        threads of the CPU; None: all cores

    Raises
    ------
    SettingsError
        if the scan has no file, or if options cannot state the protocol

    Examples
    --------
    >>>     >>> study = engine.Study(data="scan.h5", protocol="brain-fdg")
    >>> print(command_of(study, threads=2).replace(str(Path.cwd()), "."))  # doctest: +SKIP
    isocenter reconstruct ./scan.h5 --protocol brain-fdg --threads 2 -o image.nii.gz
    """
    study = _with_files(study)
    words = ["isocenter", "reconstruct", str(study.data), *_protocol_words(study.protocol)]
    if study.scanner:
        words += ["--scanner", study.scanner]
    for role, path in study.inputs.items():
        words += [f"--{role.replace('_', '-')}", str(path)]
    words += ["--use-complete-events"] * study.complete_events
    words += ["--identify"] * study.identified
    if device != "auto":
        words += ["--device", device]
    if threads is not None:
        words += ["--threads", str(threads)]
    words += ["-o", str(output)]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def script_of(
    study: StudyValues, output: Path = IMAGE, *, device: str = "auto", threads: int | None = None
) -> str:
    """Return a Python script that reconstructs a study.

    Parameters
    ----------
    study
        study with its files and protocol
    output
        image to write. Time frames are written one by one, with their number in the name
    device
        "cpu", or "auto" and any GPU for the fastest device of the machine
    threads
        threads of the CPU; None: all cores

    Raises
    ------
    SettingsError
        if the scan has no file
    """
    on = ""
    if device == "cpu":
        on = f", on=iso.cpu({'' if threads is None else f'threads={threads}'})"
    title = f"Reconstruct {study.data.name} with the protocol {study.protocol.name}."
    return (
        f'"""{_harmless(title)} Made by Isocenter {program_version()}."""\n\n'
        f"{definition_of(study)}{_ending(study, output, on)}"
    )


def definition_of(study: StudyValues) -> str:
    """Return Python code that defines a study: `iso`, `protocol` and `study`.

    Parameters
    ----------
    study
        study with its files and protocol

    Raises
    ------
    SettingsError
        if the scan has no file
    """
    study = _with_files(study)
    kind, table = type(study.protocol), table_of(study.protocol)
    _check(study.protocol, kind(**table))
    arguments: dict[str, Any] = {"data": str(study.data)}
    if study.scanner:
        arguments["scanner"] = study.scanner
    if study.inputs:
        arguments["inputs"] = {role: str(path) for role, path in study.inputs.items()}
    for name in ("identified", "complete_events"):
        if getattr(study, name):
            arguments[name] = True
    # Not a table: a file that leaves a setting out means that of the version that wrote it
    is_public = kind.__module__.startswith("engine.")  # that of a plug-in is in its own module
    imported = "" if is_public else f"from {kind.__module__} import {kind.__name__}\n"
    protocol = _call(f"{'iso.' * is_public}{kind.__name__}", table)
    made = _call("iso.Study", arguments, "protocol=protocol")
    return f"import isocenter as iso\n{imported}\nprotocol = {protocol}\nstudy = {made}\n"


def _call(name: str, arguments: dict[str, Any], *more: str) -> str:
    stated = [f"{key}={_literal(each, INDENT, len(key) + 2)}" for key, each in arguments.items()]
    lines = "".join(f"    {each},\n" for each in (*stated, *more))
    return f"{name}(\n{lines})" if lines else f"{name}()"


def _ending(study: StudyValues, output: Path, on: str) -> str:
    if not study.protocol.has_frames:
        return f"volume = iso.reconstruct(study{on})\niso.save(volume, {_literal(str(output))})\n"
    ending = ending_of(output.name)
    start, end = _literal(f"{str(output).removesuffix(ending)}-"), _literal(ending)
    return (
        f"for n, each in enumerate(iso.reconstruct_frames(study{on}), 1):\n"
        f"    iso.save(each.volume, {start} + str(n) + {end})\n"
    )


def _with_files(study: StudyValues) -> StudyValues:
    """Return a study with absolute paths."""
    if study.in_memory:
        raise SettingsError(
            f"{study.data.name}: the scan has no file, so no command can name it. Save it with "
            "`isocenter.save(scan, 'scan.h5')`, and reconstruct that file."
        )
    return study.with_absolute_paths()


def _protocol_words(protocol: Protocol) -> list[str]:
    """Return the options that state a protocol, from the shipped protocol that needs fewest."""
    name, base = _nearest(protocol)
    # Without a shipped protocol of its kind, the kind is stated, because one scan can have several
    words = ["--protocol", name] if name else ["--set", f"modality={protocol.modality}"]
    given = assignments(protocol, base)
    try:
        _check(protocol, with_settings(base, tuple(given)))
    except SettingsError as e:
        raise SettingsError(
            f"the protocol {protocol.name!r} cannot be stated by options: {e} Save the study, and "
            "use `isocenter reconstruct study.toml`."
        ) from e
    return [*words, *(word for each in given for word in ("--set", each))]


def _nearest(protocol: Protocol) -> tuple[str, Protocol]:
    found = [
        (name, each)
        for name, each in shipped_protocols(protocol.modality).items()
        if type(each) is type(protocol)
    ]
    if not found:
        return "", modality_of(protocol).standard()
    return min(found, key=lambda pair: len(assignments(protocol, pair[1])))


def _check(wanted: Settings, made: Settings) -> None:
    """Refuse a text that would give other settings."""
    if different := assignments(wanted, made):
        raise SettingsError(f"these settings would differ: {', '.join(different)}.")


def _harmless(text: str) -> str:
    """Return a text for a docstring: without quotes, backslashes and control characters."""
    return "".join(c if c.isprintable() and c not in '"\\' else " " for c in text)


def _literal(value: Any, indent: int = 0, used: int = 0) -> str:
    """Return a value as Python code; tables take several lines if they are long."""
    line = _in_a_line(value)
    if indent + used + len(line) < WIDTH or not isinstance(value, dict | list):
        return line
    inner = " " * (indent + INDENT)
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    lines = "".join(f"{inner}{each},\n" for each in _entries(value, indent + INDENT))
    return f"{opened}\n{lines}{' ' * indent}{closed}"


def _entries(value: dict[str, Any] | list[Any], indent: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from (_literal(each, indent) for each in value)
        return
    for key, each in value.items():
        name = _in_a_line(key)
        yield f"{name}: {_literal(each, indent, len(name) + 3)}"


def _in_a_line(value: Any) -> str:
    match value:
        case str():
            # Like JSON with double quotes; `repr` escapes characters that cannot be seen
            return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
        case dict():
            pairs = (f"{_in_a_line(key)}: {_in_a_line(each)}" for key, each in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(_in_a_line(each) for each in value) + "]"
    return repr(value)
