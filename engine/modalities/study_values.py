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
from engine.io.text.toml_file import read_toml
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import as_read
from engine.protocols.study.study import Study

P = TypeVar("P", bound=Protocol)
UNSAID_VERSION = 1
"""Version of protocol files that do not say one."""


def protocol_as(kind: type[P], values: Plain, where: str) -> P:
    """Return the protocol of a kind that a table of settings holds."""
    return parse(kind, {"version": UNSAID_VERSION, **values}, where=where)


def shipped_texts() -> dict[str, str]:
    """Return the protocol files that come with the program: their texts by name."""
    entries = (files("resources") / "protocols").iterdir()
    texts = {entry.name: entry.read_text("utf-8") for entry in entries}
    return {name: texts[name] for name in sorted(texts) if name.endswith(".toml")}


def shipped_protocol(name: str, kind: type[P]) -> P:
    """Return a protocol that comes with the program, whose kind is known."""
    where = f"{name}.toml"
    text = (files("resources") / "protocols" / where).read_text("utf-8")
    return protocol_as(kind, tomllib.loads(text), where)


def study_of_kind(path: Path, kind: type[Protocol]) -> Study:
    """Read a study file that names its protocol, whose kind is known."""
    table = read_toml(path)
    given = table.get("inputs", {})
    roles = set(given) if isinstance(given, dict) else set()
    values = with_paths_from(path.parent, table, path.name, roles)
    protocol = values.get("protocol")
    if not isinstance(protocol, dict):
        raise SettingsError(f"{path.name}: the study has no protocol; add one.")
    values["protocol"] = as_read(protocol_as(kind, protocol, path.name), protocol)
    return parse(Study, values, where=path.name)


def with_paths_from(folder: Path, values: Plain, where: str, roles: set[str]) -> Plain:
    """Return the values with all inputs in one table, their paths starting at the folder."""
    own = {*Study.model_fields}
    loose = {key: values[key] for key in values if key in roles}
    unknown = [key for key in values if key not in own | roles]
    inputs = values.get("inputs", {})
    if isinstance(inputs, dict):
        unknown += [f"inputs.{key}" for key in inputs if key not in roles]
        inputs = {**inputs, **loose}
    if unknown:
        raise SettingsError(
            f"{where}: {'; '.join(f'unknown key {key!r}' for key in unknown)}; known "
            f"keys: {', '.join([*sorted(own), *sorted(roles)])}."
        )
    rest = {key: value for key, value in values.items() if key in own}
    if isinstance(inputs, dict):
        inputs = {key: _from(folder, value) for key, value in inputs.items()}
    rest["inputs"] = inputs
    if "data" in rest:
        rest["data"] = _from(folder, rest["data"])
    scanner = rest.get("scanner")
    if isinstance(scanner, str) and is_file(folder / scanner):
        rest["scanner"] = str(folder / scanner)
    return rest


def _from(folder: Path, value: Any) -> Any:
    return str(folder / value) if isinstance(value, str) else value
