"""Named protocols: those that come with the program and the user's own."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import cast

from app.models.inputs import AnyProtocol
from app.models.modalities import MODALITIES
from engine.errors import EngineError
from engine.modalities.studies import read_protocol
from engine.settings import parse


def known_protocols(folder: Path, modality: str) -> list[AnyProtocol]:
    """Return the shipped protocols of a modality, then the user's own, without damaged ones."""
    own = [each for each in _own(folder) if each.modality == modality]
    return [*shipped_protocols(modality), *own]


def shipped_protocols(modality: str) -> list[AnyProtocol]:
    """Return the protocols of a modality that come with the program; at least the default one."""
    entries = (files("resources") / "protocols").iterdir()
    named = {entry.name: entry.read_text("utf-8") for entry in entries if _is_toml(entry.name)}
    values = {name: tomllib.loads(named[name]) for name in sorted(named)}
    default = MODALITIES[modality].standard()
    found = [
        parse(type(default), each, where=name)
        for name, each in values.items()
        if each.get("modality", "pet") == modality
    ]
    if all(protocol.name != default.name for protocol in found):
        found.insert(0, default)
    return sorted(found, key=lambda protocol: protocol.name != default.name)


def user_protocol_path(folder: Path, name: str, modality: str) -> Path:
    """Return the file of a protocol of the user's own."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-").lower() or "protocol"
    kind = "" if modality == "pet" else f"{modality}-"
    return folder / "protocols" / f"{kind}{stem}.toml"


def _own(folder: Path) -> list[AnyProtocol]:
    found: list[AnyProtocol] = []
    for path in sorted((folder / "protocols").glob("*.toml")):
        try:
            found.append(cast(AnyProtocol, read_protocol(path)))
        except EngineError:
            continue
    return found


def _is_toml(name: str) -> bool:
    return name.endswith(".toml")
