"""A protocol in words: what it does, and what its three qualities are."""

from __future__ import annotations

from app.language.keys import name_of_key
from app.language.translation import tr
from app.state.models.protocols.state import ProtocolState
from app.state.models.quality import QUALITIES, Qualities
from engine.geometry import Point
from engine.modalities import (
    RANDOMS_UNSTATED,
    SUBSETS_UNSTATED,
    Protocol,
    modality_of,
    still_unstated,
)

MARKS = {"Fast": tr("Fast"), "Fine": tr("Fine"), "changed": tr("changed")}
"""Words of the marks that `engine.protocols.study.stored_protocol.label_of` gives a protocol."""
UNSTATED = {
    RANDOMS_UNSTATED: tr(
        "This protocol does not specify a randoms model. It is chosen automatically."
    ),
    SUBSETS_UNSTATED: tr(
        "This protocol does not specify the number of subsets. It is chosen automatically."
    ),
}


def facts_of(protocol: Protocol) -> list[tuple[str, str]]:
    """Return what a protocol does, a name and a value each."""
    modality = modality_of(protocol)
    in_use = [c.title for c in modality.choices(protocol).values() if c.use != "off"]
    filters = [each.describe() for each in protocol.finishing]
    filters += [
        tr("{describe} between iterations", describe=each.describe()) for each in protocol.between
    ]
    facts = [
        (tr("Scans"), modality.title),
        (tr("Algorithm"), protocol.algorithm.describe()),
        (tr("Voxels"), _edges(protocol.grid.voxel_mm)),
        (modality.ledger_title, ", ".join(in_use) or tr("none")),
        (tr("Finishing"), tr(", then ").join(filters) or tr("no filter")),
    ]
    if protocol.frame_words:
        facts.append((tr("Images"), protocol.frame_words))
    return facts


def label_words(study: ProtocolState) -> str:
    """Return the protocol in use with a mark: "Brain FDG (changed)"."""
    return marked(study.label)


def marked(label: str) -> str:
    """Return a protocol's label in the language of the window: its mark is translated."""
    name, bracket, mark = label.rpartition(" (")
    words = mark.removesuffix(")").split(" and ")
    if not bracket or not set(words) <= set(MARKS):
        return label
    return f"{name} ({tr(' and ').join(MARKS[each] for each in words)})"


def protocol_remarks(study: ProtocolState) -> list[str]:
    """Return what is to know of the protocol in use: changes, misfit, pin; a line each."""
    protocol, found = study.identified(), []
    if protocol.saved is not None:
        found += [tr("Changed: {change}", change=each) for each in protocol.saved.changed]
        found += [UNSTATED.get(each, each) for each in still_unstated(protocol)]
        if protocol.saved.origin == "nowhere":
            found.append(tr("This protocol is not saved."))
    return found + ([study.misfit] if study.misfit else [])


def qualities_in_words(qualities: Qualities) -> list[tuple[str, str]]:
    """Return Fast, Standard and Fine, each with its algorithm and its voxels."""
    found = [(quality, qualities.at(quality)) for quality in QUALITIES]
    return [
        (name_of_key(quality), f"{each.algorithm.describe()}; {_edges(each.grid.voxel_mm)}")
        for quality, each in found
    ]


def _edges(voxel_mm: Point | None) -> str:
    if voxel_mm is None:
        return tr("voxel size chosen from the scan")
    return f"{' × '.join(f'{edge:g}' for edge in voxel_mm)} mm"
