"""Settings that a protocol file leaves out and that the program chooses from the counts.

A file written by the program states the model of randoms and names every correction. Files that are
older or written by hand may leave out both, and the subsets. The program then reports its choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.json_types import Plain
from engine.data.formatting import Information

if TYPE_CHECKING:
    from engine.protocols.study.protocol import Protocol

CHOSEN = "{what} not stated in this protocol: chosen automatically"
RANDOMS_UNSTATED = CHOSEN.format(what="randoms model")
SUBSETS_UNSTATED = CHOSEN.format(what="subsets")


def unstated(protocol: Protocol, values: Plain) -> tuple[str, ...]:
    """Return the settings that a protocol file leaves to the program, as sentences.

    Parameters
    ----------
    protocol
        protocol as read from its file
    values
        settings as the file contains them
    """
    stated = values.get("corrections", {})
    names = _automatic_models(protocol)
    found = [text for name, text in names.items() if "model" not in stated.get(name, {})]
    group = getattr(protocol, "corrections", None)
    # A file with every correction was written by the program; leaving subsets out was intended.
    is_whole = group is None or {kind.kind for kind in group.kinds} <= set(stated)
    is_fitted = _leaves_subsets(protocol) and "updates" not in values.get("algorithm", {})
    return (*found, SUBSETS_UNSTATED) if is_fitted and not is_whole else tuple(found)


def still_unstated(protocol: Protocol) -> tuple[str, ...]:
    """Return the sentences about a protocol's file that still apply to its current settings.

    Parameters
    ----------
    protocol
        protocol with its record of being read
    """
    # The user may have chosen a model since the file was read.
    saved, automatic = protocol.saved, [*_automatic_models(protocol).values()]
    automatic += [SUBSETS_UNSTATED] if _leaves_subsets(protocol) else []
    return tuple(each for each in saved.unstated if each in automatic) if saved else ()


def _automatic_models(protocol: Protocol) -> dict[str, str]:
    """Return a sentence for each correction whose model the program chooses, by its key."""
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
    """Return notes about settings that the file of a protocol does not state.

    Parameters
    ----------
    protocol
        protocol with its record of being read
    """
    return tuple(Information(f"{protocol.name}: {each}.") for each in still_unstated(protocol))
