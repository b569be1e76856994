"""Identity of a protocol: the saved protocol it belongs to, and the differences from it.

The content decides, not the history of the settings. A study file, `--set`, a form and a script
with the same content have the same identity. A digest in the settings only selects the version for
the comparison.
"""

from __future__ import annotations

from typing import TypeVar

from engine.modalities.protocol_library import SavedProtocol, SavedProtocols, saved_digest
from engine.protocols.study.difference import changed_from
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import (
    OUTSIDE,
    Quality,
    SavedAs,
    digest_of,
)
from engine.protocols.study.study import StudyValues

P = TypeVar("P", bound=Protocol)
S = TypeVar("S", bound=StudyValues)


def identified(protocol: P, library: SavedProtocols | None = None) -> P:
    """Return a protocol whose `saved` records the saved protocol and all differences from it.

    Parameters
    ----------
    protocol
        settings of the reconstruction
    library
        saved protocols; None for those of this user
    """
    return compared(protocol, (library or SavedProtocols.of_this_user()).reference(protocol))


def identified_study(study: S) -> S:
    """Return a study whose protocol records its differences from the user's saved one.

    Parameters
    ----------
    study
        study to reconstruct
    """
    return study.model_copy(update={"protocol": identified(study.protocol)})


def compared(
    protocol: P,
    reference: SavedProtocol | None,
    *,
    base: Protocol | None = None,
    quality: Quality | None = None,
) -> P:
    """Return a protocol with a record of its differences from a saved one.

    Parameters
    ----------
    protocol
        settings of the reconstruction
    reference
        the saved protocol of the same name; None if none is saved
    base
        protocol that the settings started from, for a comparison if none is saved
    quality
        quality level of the settings; None for the one that they record
    """
    # A quality level that was applied earlier must not be lost by a later comparison.
    quality = quality or (protocol.saved.quality if protocol.saved is not None else None)
    if reference is None:
        if base is None:
            return _without_reference(protocol)
        changed = changed_from(base, protocol, quality)
        # Without a saved protocol there is no digest that a reader could look up.
        never_saved = {} if base.saved is not None else {"sha256": ""}
        return _without_reference(_with(changed, **never_saved))
    found = changed_from(reference.protocol, protocol, quality)
    # An earlier version is marked, because the newest one may give another image.
    origin = "earlier" if reference.is_earlier else reference.source
    return _with(found, sha256=saved_digest(reference), origin=origin)


def _without_reference(protocol: P) -> P:
    """Keep the record of a saved protocol that is elsewhere or was deleted."""
    saved = protocol.saved or SavedAs()
    # The digest shows that the content was changed, but not where.
    is_other = bool(saved.sha256) and digest_of(protocol) != saved.sha256
    changed = saved.changed or ((OUTSIDE,) if is_other else ())
    return _with(protocol, changed=changed, origin="nowhere")


def _with(protocol: P, **update: object) -> P:
    saved = (protocol.saved or SavedAs()).model_copy(update=update)
    return protocol.model_copy(update={"saved": saved})
