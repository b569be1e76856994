"""Named protocols: those that come with the program and the user's own."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

from engine.errors import EngineError
from engine.protocol import Protocol, read_protocol
from engine.settings import parse


def known_protocols(folder: Path) -> list[Protocol]:
    """Return the shipped protocols, then the user's own in `folder`, without damaged ones."""
    return [*shipped_protocols(), *_own(folder)]


def shipped_protocols() -> list[Protocol]:
    """Return the protocols that come with the program; at least the default one."""
    entries = (files("resources") / "protocols").iterdir()
    named = {entry.name: entry.read_text("utf-8") for entry in entries if _is_toml(entry.name)}
    found = [parse(Protocol, tomllib.loads(named[n]), where=n) for n in sorted(named)]
    default = Protocol()
    if all(protocol.name != default.name for protocol in found):
        found.insert(0, default)
    return sorted(found, key=lambda protocol: protocol.name != default.name)


def user_protocol_path(folder: Path, name: str) -> Path:
    """Return the file of a protocol of the user's own."""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-").lower() or "protocol"
    return folder / "protocols" / f"{stem}.toml"


def _own(folder: Path) -> list[Protocol]:
    found = []
    for path in sorted((folder / "protocols").glob("*.toml")):
        try:
            found.append(read_protocol(path))
        except EngineError:
            continue
    return found


def _is_toml(name: str) -> bool:
    return name.endswith(".toml")
