"""Read values of study and protocol files without knowing the modality."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.core.settings import parse
from engine.io.folder import is_file
from engine.io.names import network_host
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.study import StudyValues

P = TypeVar("P", bound=Protocol)
UNSAID_VERSION = 1
"""Version of protocol files that do not state one."""


def protocol_as(kind: type[P], values: Plain, where: str) -> P:
    """Return the protocol in a table of settings.

    Parameters
    ----------
    kind
        class of the protocol
    values
        table as read from a file
    where
        name of the file, for messages
    """
    return parse(kind, {"version": UNSAID_VERSION, **values}, where=where)


def shipped_texts() -> dict[str, str]:
    """Return the texts of the protocol files that come with the program, by name."""
    entries = (files("resources") / "protocols").iterdir()
    texts = {entry.name: entry.read_text("utf-8") for entry in entries}
    return {name: texts[name] for name in sorted(texts) if name.endswith(".toml")}


def shipped_protocol(name: str, kind: type[P]) -> P:
    """Return a protocol of a known modality that comes with the program.

    Parameters
    ----------
    name
        name of its file without the ending
    kind
        class of the protocol
    """
    where = f"{name}.toml"
    text = (files("resources") / "protocols" / where).read_text("utf-8")
    return protocol_as(kind, tomllib.loads(text), where)


def refuse_other_hosts(folder: Path, values: Plain, where: str) -> None:
    """Refuse a study that names files on another computer.

    Windows sends the login of the user to a computer as soon as one of its files is opened, and a
    study can come from anybody.

    Parameters
    ----------
    folder
        folder of the study; its own computer is accepted
    values
        table as read from the file
    where
        name of the file, for messages

    Raises
    ------
    SettingsError
        names the path
    """
    inputs = values.get("inputs")
    tables = (values, inputs if isinstance(inputs, dict) else {})
    paths = [value for table in tables for value in table.values() if isinstance(value, str)]
    for path in paths:
        if network_host(path) not in ("", network_host(str(folder))):
            raise SettingsError(
                f"{where}: names a file on another computer ({path}). Connect the network folder "
                "as a drive, and write the path on this drive into the study."
            )


def with_paths_from(folder: Path, values: Plain, where: str, roles: set[str]) -> Plain:
    """Return the values of a study with all inputs in one table, and absolute paths.

    Parameters
    ----------
    folder
        folder at which relative paths start
    values
        table as read from the file
    where
        name of the file, for messages
    roles
        keys of all auxiliary files

    Raises
    ------
    SettingsError
        if there is an unknown key; a misspelt role would otherwise lose a correction
    """
    own = {*StudyValues.model_fields}
    # A role may be next to `data` or in the table `inputs`; both mean the same.
    loose = {key: values[key] for key in values if key in roles}
    unknown = [key for key in values if key not in own | roles]
    inputs = values.get("inputs", {})
    if isinstance(inputs, dict):
        unknown += [f"inputs.{key}" for key in inputs if key not in roles]
        inputs = {**inputs, **loose}
    if unknown:
        raise SettingsError(
            f"{where}: some keys are unknown ({', '.join(map(repr, unknown))}). Choose from these "
            f"keys: {', '.join([*sorted(own), *sorted(roles)])}."
        )
    rest = {key: value for key, value in values.items() if key in own}
    if isinstance(inputs, dict):
        inputs = {key: _path_below(folder, value) for key, value in inputs.items()}
    rest["inputs"] = inputs
    # Relative paths start at the study file, so that a folder can be moved as a whole.
    if "data" in rest:
        rest["data"] = _path_below(folder, rest["data"])
    scanner = rest.get("scanner")
    # A scanner can be a name or a file; it is a file if there is one in the folder.
    if isinstance(scanner, str) and is_file(folder / scanner):
        rest["scanner"] = str(folder / scanner)
    return rest


def _path_below(folder: Path, value: Any) -> Any:
    return str(folder / value) if isinstance(value, str) else value
