"""Settings that a protocol file leaves out and the program chooses from the counts.

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
RANDOMS_UNSTATED = CHOSEN.format(what="randoms model")
SUBSETS_UNSTATED = CHOSEN.format(what="subsets")


def unstated(protocol: Protocol, values: Plain) -> tuple[str, ...]:
    """Return which settings a protocol leaves to the program because its file has none.

    Parameters
    ----------
    protocol
        protocol as read from its file
    values
        settings as the file holds them
    """
    stated = values.get("corrections", {})
    names = _automatic_models(protocol)
    found = [text for name, text in names.items() if "model" not in stated.get(name, {})]
    group = getattr(protocol, "corrections", None)
    is_whole = group is None or {kind.kind for kind in group.kinds} <= set(stated)
    is_fitted = _leaves_subsets(protocol) and "updates" not in values.get("algorithm", {})
    return (*found, SUBSETS_UNSTATED) if is_fitted and not is_whole else tuple(found)


def still_unstated(protocol: Protocol) -> tuple[str, ...]:
    """Return the sentences about a protocol's file that hold for its settings as they are now."""
    saved, automatic = protocol.saved, [*_automatic_models(protocol).values()]
    automatic += [SUBSETS_UNSTATED] if _leaves_subsets(protocol) else []
    return tuple(each for each in saved.unstated if each in automatic) if saved else ()


def _automatic_models(protocol: Protocol) -> dict[str, str]:
    """Return the sentence for each correction whose model the program chooses, by its key."""
    group = getattr(protocol, "corrections", None)
    steps = [] if group is None else group.steps()
    return {
        step.kind: CHOSEN.format(what=f"{step.title.lower()} model")
        for step in steps
        if step.use != "off" and getattr(step, "model", "") == "auto"
    }


def _leaves_subsets(protocol: Protocol) -> bool:
    return getattr(protocol.algorithm, "subsets", 1) is None


def unstated_in(protocol: Protocol) -> tuple[Information, ...]:
    """Return the sentences on settings that the file of a protocol does not state."""
    return tuple(Information(f"{protocol.name}: {each}.") for each in still_unstated(protocol))
