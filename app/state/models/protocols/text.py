"""Describe a protocol and its three quality levels for the user."""

from __future__ import annotations

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.protocols.state import ProtocolState
from app.state.models.quality import QUALITIES, Qualities
from engine.core.visible_text import visible_line
from engine.geometry import Point
from engine.modalities import (
    RANDOMS_UNSTATED,
    SUBSETS_UNSTATED,
    Protocol,
    modality_of,
    still_unstated,
)

MARKS = {"Fast": tr("Fast"), "Fine": tr("Fine"), "changed": tr("changed")}
"""Translations of the marks that `engine.protocols.study.stored_protocol.label_of` adds."""
UNSTATED = {
    RANDOMS_UNSTATED: tr(
        "This protocol does not specify a randoms model, so one is chosen automatically."
    ),
    SUBSETS_UNSTATED: tr(
        "This protocol does not specify the number of subsets, so it is chosen automatically."
    ),
}


def facts_of(protocol: Protocol) -> list[tuple[str, str]]:
    """Return the main settings of a protocol.

    Parameters
    ----------
    protocol
        any protocol

    Returns
    -------
    pairs of name and value, in the language of the window
    """
    modality = modality_of(protocol)
    in_use = [c.title for c in modality.choices(protocol).values() if c.use != "off"]
    # Filters after and between iterations are listed in the order in which they act.
    filters = [each.describe() for each in protocol.finishing]
    filters += [
        tr("between iterations: {describe}", describe=each.describe()) for each in protocol.between
    ]
    facts = [
        (tr("Scans"), modality.title),
        (tr("Algorithm"), algorithm_text(protocol)),
        (tr("Voxels"), _voxel_text(protocol.grid.voxel_mm)),
        (modality.ledger_title, ", ".join(in_use) or tr("none")),
        (tr("Finishing"), tr(", then ").join(filters) or tr("no filter")),
    ]
    if protocol.frame_text:
        facts.append((tr("Images"), protocol.frame_text))
    return facts


def algorithm_text(protocol: Protocol) -> str:
    """Return the algorithm before a run: only the numbers that the settings fix.

    Parameters
    ----------
    protocol
        any protocol. Its run fits empty iterations and subsets to the counts of the scan
    """
    algorithm = protocol.algorithm
    is_open = {name: getattr(algorithm, name, 1) is None for name in ("iterations", "subsets")}
    # Without subsets, nothing is fitted to the counts.
    if not any(is_open.values()) or algorithm.n_subsets == 1:
        return algorithm.describe()
    title, updates = algorithm.title, getattr(algorithm, "updates", None)
    if not is_open["iterations"]:
        if algorithm.n_iterations == 1:
            return tr("{title}, 1 iteration, subsets fitted to the counts", title=title)
        return tr(
            "{title}, {n} iterations, subsets fitted to the counts",
            title=title,
            n=algorithm.n_iterations,
        )
    if not is_open["subsets"]:
        return tr(
            "{title}, {n} subsets, iterations fitted to the counts",
            title=title,
            n=algorithm.n_subsets,
        )
    if updates is None:
        return tr("{title}, iterations and subsets fitted to the counts", title=title)
    return tr(
        "{title}, {n} updates, in iterations and subsets fitted to the counts",
        title=title,
        n=updates,
    )


def label_text(study: ProtocolState) -> str:
    """Return the protocol in use with a mark, such as "Brain FDG (changed)".

    Parameters
    ----------
    study
        the open study
    """
    return marked(study.label)


def marked(label: str) -> str:
    """Translate the mark in a protocol label.

    Parameters
    ----------
    label
        label from `label_of`, with or without a mark in brackets

    Returns
    -------
    the label; text in brackets that is not a mark stays as it is
    """
    label = visible_line(label)
    name, bracket, mark = label.rpartition(" (")
    words = mark.removesuffix(")").split(" and ")
    # A name may itself end in brackets, for example "Brain (2 mm)".
    if not bracket or not set(words) <= set(MARKS):
        return label
    return f"{name} ({tr(' and ').join(MARKS[each] for each in words)})"


def protocol_notes(study: ProtocolState) -> list[str]:
    """Return notes about the protocol in use: changes, misfit and missing settings.

    Parameters
    ----------
    study
        the open study

    Returns
    -------
    one line per note
    """
    protocol, found = study.identified(), []
    if protocol.saved is not None:
        found += [tr("Changed: {change}", change=each) for each in protocol.saved.changed]
        # Old protocol files lack these settings. Later versions may choose other defaults for them.
        found += [UNSTATED.get(each, each) for each in still_unstated(protocol)]
        if protocol.saved.origin == "nowhere":
            found.append(tr("This protocol has not been saved."))
    return found + ([study.misfit] if study.misfit else [])


def quality_texts(qualities: Qualities) -> list[tuple[str, str]]:
    """Describe Fast, Standard and Fine by algorithm and voxel size.

    Parameters
    ----------
    qualities
        quality levels of a protocol for the open scan

    Returns
    -------
    pairs of name and description
    """
    # Computed and not written as text: the result depends on protocol and scanner.
    found = [(quality, qualities.at(quality)) for quality in QUALITIES]
    return [
        (name_of_key(quality), f"{algorithm_text(each)}; {_voxel_text(each.grid.voxel_mm)}")
        for quality, each in found
    ]


def _voxel_text(voxel_mm: Point | None) -> str:
    if voxel_mm is None:
        return tr("voxel size chosen automatically")
    return f"{' × '.join(f'{edge:g}' for edge in voxel_mm)} mm"
