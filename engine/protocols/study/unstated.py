"""Settings that a protocol file leaves out, so that the program chooses them by the counts.

A file that the program wrote states the model of randoms and names every correction. Files that are
written by hand, or that are older, may leave both and the subsets out. Then the choice is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.json_types import Plain
from engine.data.reading_note import Information

if TYPE_CHECKING:
    from engine.protocols.study.protocol import Protocol

CHOSEN = "{what} not stated in this protocol: chosen automatically"
RANDOMS, SUBSETS = CHOSEN.format(what="randoms model"), CHOSEN.format(what="subsets")


def unstated(protocol: Protocol, values: Plain) -> tuple[str, ...]:
    """Return which settings a protocol leaves to the program because its file has none.

    Parameters
    ----------
    protocol
        as it was read
    values
        settings as the file holds them
    """
    group, stated = getattr(protocol, "corrections", None), values.get("corrections", {})
    is_whole = group is None or {kind.kind for kind in group.kinds} <= set(stated)
    left_out = {
        RANDOMS: "model" not in stated.get("randoms", {}),
        SUBSETS: not is_whole and "updates" not in values.get("algorithm", {}),
    }
    return tuple(text for text in _automatic(protocol) if left_out[text])


def still_unstated(protocol: Protocol) -> tuple[str, ...]:
    """Return the sentences about a protocol's file that hold for its settings as they are now."""
    saved, automatic = protocol.saved, _automatic(protocol)
    return tuple(each for each in saved.unstated if each in automatic) if saved else ()


def _automatic(protocol: Protocol) -> tuple[str, ...]:
    """Return the settings that the program chooses in a run."""
    randoms = getattr(getattr(protocol, "corrections", None), "randoms", None)
    is_used = getattr(randoms, "use", "off") != "off"
    found = [RANDOMS] if is_used and getattr(randoms, "model", "") == "auto" else []
    is_open = getattr(protocol.algorithm, "subsets", 1) is None
    return (*found, SUBSETS) if is_open else tuple(found)


def unstated_in(protocol: Protocol) -> tuple[Information, ...]:
    """Return the sentences on settings that the file of a protocol does not state."""
    return tuple(Information(f"{protocol.name}: {each}.") for each in still_unstated(protocol))
