"""A study: which data, scanner and auxiliary images, with which protocol."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from engine.errors import SettingsError
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.settings import Settings, parse, read_toml, setting, to_toml


def _modality(protocol: Any) -> str:
    """Return what kind of scan a protocol is for; those that do not say are for PET."""
    if isinstance(protocol, dict):
        return str(protocol.get("modality", "pet"))
    return str(getattr(protocol, "modality", "pet"))


AnyProtocol = Annotated[
    Annotated[ListModeProtocol, Tag("pet")]
    | Annotated[DualHeadProtocol, Tag("dual-head")]
    | Annotated[CtProtocol, Tag("ct")],
    Discriminator(_modality),
]
KINDS: dict[str, type[ListModeProtocol | DualHeadProtocol | CtProtocol]] = {
    "dual-head": DualHeadProtocol,
    "ct": CtProtocol,
}
"""Protocols that say their modality; the others are for list-mode PET."""


class Study(Settings):
    """One scan to reconstruct. Paths are absolute, or relative to the study file."""

    data: Path = setting(..., "The scan: its file or its header", label="Scan")
    scanner: str | None = setting(
        None, "Scanner name, scanner file or crystal map; None: as the scan says", label="Scanner"
    )
    attenuation: Path | None = setting(None, "Attenuation map [1/mm]", label="μ-map")
    normalisation: Path | None = setting(None, "Crystal efficiencies", label="Normalisation")
    response: Path | None = setting(
        None, "Response matrix of a dual-head scanner", label="Response"
    )
    protocol: AnyProtocol = ListModeProtocol()


def read_study(path: Path) -> Study:
    """Read a study file; relative paths start at its folder."""
    values = read_toml(path)
    for key in ("data", "attenuation", "normalisation", "response"):
        if isinstance(values.get(key), str):
            values[key] = str(path.parent / values[key])
    _resolve_scanner(values, path.parent)
    return parse(Study, values, where=path.name)


def write_study(study: Study, path: Path) -> None:
    """Write a study file that `read_study` reads back."""
    from engine.io.atomic_write import write_atomically

    write_atomically(to_toml(study).encode(), path)


def _resolve_scanner(values: dict[str, Any], folder: Path) -> None:
    scanner = values.get("scanner")
    if isinstance(scanner, str) and (folder / scanner).is_file():
        values["scanner"] = str(folder / scanner)


def read_protocol(path: Path) -> ListModeProtocol | DualHeadProtocol | CtProtocol:
    """Read and check a protocol file of any modality."""
    return _protocol(read_toml(path), path.name)


def shipped_protocols() -> dict[str, ListModeProtocol | DualHeadProtocol | CtProtocol]:
    """Return the protocols that come with the program, by the name of their file."""
    entries = (files("resources") / "protocols").iterdir()
    texts = {entry.name: entry.read_text("utf-8") for entry in entries}
    return {
        name.removesuffix(".toml"): _protocol(tomllib.loads(texts[name]), name)
        for name in sorted(texts)
        if name.endswith(".toml")
    }


def find_protocol(name_or_path: str) -> ListModeProtocol | DualHeadProtocol | CtProtocol:
    """Return a protocol by the name of one that comes with the program, or by its file."""
    path = Path(name_or_path)
    if path.suffix == ".toml" or path.exists():
        return read_protocol(path)
    known = shipped_protocols()
    if name_or_path not in known:
        raise SettingsError(
            f"{name_or_path!r} is no protocol; known: {', '.join(known)}, or a protocol .toml file."
        )
    return known[name_or_path]


def _protocol(
    values: dict[str, Any], where: str
) -> ListModeProtocol | DualHeadProtocol | CtProtocol:
    return parse(KINDS.get(_modality(values), ListModeProtocol), values, where=where)
