"""Origin of a protocol: the saved protocol, its version and hash, and the changes since."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal, TypeVar

from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.protocols.study.unstated import unstated

if TYPE_CHECKING:
    from engine.protocols.study.protocol import Protocol

P = TypeVar("P", bound="Protocol")
CHANGED = "changed"
OUTSIDE = "its file was edited outside the program"
MAX_CHANGES, MAX_CHARACTERS = 400, 2000
ProtocolOrigin = Literal["program", "site", "own", "earlier", "nowhere"]
Quality = Literal["fast", "standard", "fine"]
OF_QUALITY = (("grid", "voxel_mm"), ("algorithm", "iterations"), ("algorithm", "updates"))
"""Settings that a quality level changes."""
ORIGINS: dict[ProtocolOrigin | None, str] = {
    "program": "comes with Isocenter",
    "site": "protocol of the site",
    "own": "your protocol",
    "earlier": "earlier version of a protocol",
    "nowhere": "not among the saved protocols",
    None: "not compared with the saved protocols",
}


class SavedAs(Settings):
    """Saved protocol that the settings come from.

    Attributes
    ----------
    revision : number of saves; 0: as supplied with the program
    sha256 : digest of its settings as they were saved
    locked : True if it must be unlocked before it can be changed
    changed : differences from it, in words; empty if there are none
    origin : place of the saved protocol when the study was made; None before they were compared
    quality : quality level that voxels and iterations are at; None if they are as saved
    unstated : settings that its file does not state, so that the program chooses them, in words
    """

    revision: int = setting(0, "Number of times it was saved; 0: as supplied", ge=0, le=1_000_000)
    sha256: str = setting("", "Hash of the settings when they were saved", max_length=64)
    locked: bool = setting(False, "True if the protocol is locked against changes")
    changed: tuple[str, ...] = setting((), "Changes since, in words", max_length=MAX_CHANGES)
    origin: ProtocolOrigin | None = setting(None, "Location of the saved protocol")
    quality: Quality | None = setting(None, "Quality level of voxels and iterations")
    unstated: tuple[str, ...] = setting(
        (), "Settings that the file does not state, in words", max_length=10
    )


FIRST_PRIOR = {"kind": "relative_difference"}
"""Prior of all protocols that name none."""


def digest_of(protocol: Protocol) -> str:
    """Return the SHA-256 of all settings of a protocol, including its name.

    Parameters
    ----------
    protocol
        protocol; its record of saving does not count
    """
    return digest_of_values(protocol.model_dump(mode="json", exclude_none=True))


def digest_of_values(values: Plain) -> str:
    """Return the SHA-256 of settings as a file contains them.

    Parameters
    ----------
    values
        settings; the entry `saved` does not count

    Returns
    -------
    digest_of_values
        independent of the order of the keys
    """
    # The digest is stored in `saved`, so it cannot cover itself.
    others = {key: value for key, value in values.items() if key != "saved"}
    # Protocols that were saved before there was a choice of priors keep their digest.
    algorithm = others.get("algorithm")
    if isinstance(algorithm, dict) and algorithm.get("prior") == FIRST_PRIOR:
        others["algorithm"] = {key: each for key, each in algorithm.items() if key != "prior"}
    text = json.dumps(others, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def stamped(protocol: P, revision: int, *, locked: bool = False) -> P:
    """Return a protocol with the record of being saved now.

    Parameters
    ----------
    protocol
        protocol to save
    revision
        number of times it has been saved, including this one
    locked
        True to protect it against changes
    """
    saved = SavedAs(revision=revision, sha256=digest_of(protocol), locked=locked)
    return protocol.model_copy(update={"saved": saved})


def as_read(protocol: P, values: Plain) -> P:
    """Return a protocol that was read from a file.

    It records settings that were changed since it was saved, and those that the file leaves out.

    Parameters
    ----------
    protocol
        protocol parsed from the file
    values
        settings as the file contains them
    """
    if left_out := unstated(protocol, values):
        others = (protocol.saved or SavedAs()).model_copy(update={"unstated": left_out})
        protocol = protocol.model_copy(update={"saved": others})
    saved = protocol.saved
    # A protocol that lists its changes was saved with them; the digest is that of its origin.
    if saved is None or not saved.sha256 or saved.changed:
        return protocol
    # Compare the file's own values: defaults added while reading would change the digest.
    if digest_of_values(values) == saved.sha256:
        return protocol
    return protocol.model_copy(update={"saved": saved.model_copy(update={"changed": (OUTSIDE,)})})


def identity_of(protocol: Protocol) -> Plain:
    """Return name, version, digests and changes of a protocol, for records.

    Parameters
    ----------
    protocol
        protocol of a study

    Returns
    -------
    identity
        JSON values; None for a version or digest that is unknown
    """
    saved = protocol.saved or SavedAs()
    return {
        "name": protocol.name,
        "label": label_of(protocol),
        "version": saved.revision or None,
        "sha256": digest_of(protocol),
        "saved_sha256": saved.sha256 or None,
        "changed": list(saved.changed),
        "origin": saved.origin,
        "quality": saved.quality,
    }


def label_of(protocol: Protocol) -> str:
    """Return the name, with a mark if the content differs: "Brain FDG (changed)".

    Parameters
    ----------
    protocol
        protocol of a study
    """
    return protocol.name + _mark(protocol)


def version_text(protocol: Protocol) -> str:
    """Return name, version and mark in a line: "Brain FDG, version 3 (changed)".

    Parameters
    ----------
    protocol
        protocol of a study
    """
    revision = protocol.saved.revision if protocol.saved else 0
    version = f", version {revision}" if revision else ""
    return f"{protocol.name}{version}{_mark(protocol)}"


def _mark(protocol: Protocol) -> str:
    saved = protocol.saved
    if saved is None or not saved.changed:
        return ""
    level = saved.quality.capitalize() if saved.quality else ""
    # A quality level is one entry of the changes; anything beyond it was changed by hand.
    by_hand = CHANGED if len(saved.changed) > bool(level) else ""
    return f" ({' and '.join(filter(None, (level, by_hand)))})"
