"""Which saved protocol settings come from: its version, its digest, and what was changed since."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, TypeVar

from engine.plain import Plain
from engine.settings import Settings, setting

if TYPE_CHECKING:
    from engine.study.protocol import Protocol

P = TypeVar("P", bound="Protocol")
OUTSIDE = "its file was edited outside of the program"
MOST_CHANGES, MOST_LETTERS = 400, 2000


class SavedAs(Settings):
    """The saved protocol that settings are, or were before they were changed.

    Attributes
    ----------
    revision : how often it was saved, 1 the first time; 0 as it comes with the program
    sha256 : digest of its settings as they were saved
    locked : whether nobody may change it before unlocking it
    changed : what differs from it, in words; empty where nothing does
    """

    revision: int = setting(0, "How often it was saved; 0: as it came", ge=0, le=1_000_000)
    sha256: str = setting("", "Digest of the settings as they were saved", max_length=64)
    locked: bool = setting(False, "Whether it is kept as it is")
    changed: tuple[str, ...] = setting(
        (), "What was changed since, in words", max_length=MOST_CHANGES
    )


def digest_of(protocol: Protocol) -> str:
    """Return the SHA-256 of all settings of a protocol, its name among them."""
    return digest_of_values(protocol.model_dump(mode="json", exclude_none=True))


def digest_of_values(values: Plain) -> str:
    """Return the SHA-256 of settings as a file holds them, whatever it says of its saving."""
    kept = {key: value for key, value in values.items() if key != "saved"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def stamped(protocol: P, revision: int, *, locked: bool = False) -> P:
    """Return a protocol as one that is saved now, so often."""
    saved = SavedAs(revision=revision, sha256=digest_of(protocol), locked=locked)
    return protocol.model_copy(update={"saved": saved})


def as_read(protocol: P, values: Plain) -> P:
    """Return a protocol that was read from a file of these values.

    One whose settings are not those that were saved says so.
    """
    saved = protocol.saved
    if saved is None or not saved.sha256 or saved.changed:
        return protocol
    if digest_of_values(values) == saved.sha256:
        return protocol
    return protocol.model_copy(update={"saved": saved.model_copy(update={"changed": (OUTSIDE,)})})


def changed_from(base: Protocol, now: P, also: tuple[str, ...] = ()) -> P:
    """Return settings that say what in them differs from the saved protocol they began as.

    Parameters
    ----------
    base
        the saved protocol
    now
        the settings that are used
    also
        words that stand before the differences
    """
    from engine.study.difference import setting_changes

    words = [str(each.difference) for each in setting_changes(base, now)]
    if not words:
        return now.model_copy(update={"saved": base.saved})
    saved = base.saved or SavedAs(sha256=digest_of(base))
    changed = tuple(word[:MOST_LETTERS] for word in (*also, *saved.changed, *words))[:MOST_CHANGES]
    return now.model_copy(update={"saved": saved.model_copy(update={"changed": changed})})


def identity_of(protocol: Protocol) -> Plain:
    """Return name, version and digests of a protocol, and what was changed in it, for records."""
    saved = protocol.saved or SavedAs()
    return {
        "name": protocol.name,
        "version": saved.revision or None,
        "sha256": digest_of(protocol),
        "saved_sha256": saved.sha256 or None,
        "changed": list(saved.changed),
    }


def version_words(protocol: Protocol) -> str:
    """Return name and version in a line: "Brain FDG, version 3"."""
    revision = protocol.saved.revision if protocol.saved else 0
    return f"{protocol.name}, version {revision}" if revision else protocol.name
