"""A protocol in words: what it does, and what its three qualities are."""

from __future__ import annotations

from app.language.keys import name_of_key
from app.language.translation import tr
from app.models.quality import QUALITIES, Qualities
from engine.geometry import Point
from engine.modalities import Protocol, modality_of


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
        (modality.ledger_title, ", ".join(in_use) or "none"),
        (tr("Finishing"), tr(", then ").join(filters) or tr("no filter")),
    ]
    if protocol.frame_words:
        facts.append((tr("Images"), protocol.frame_words))
    return facts


def qualities_in_words(qualities: Qualities) -> list[tuple[str, str]]:
    """Return Fast, Standard and Fine, each with its algorithm and its voxels."""
    found = [(quality, qualities.at(quality)) for quality in QUALITIES]
    return [
        (name_of_key(quality), f"{each.algorithm.describe()}; {_edges(each.grid.voxel_mm)}")
        for quality, each in found
    ]


def _edges(voxel_mm: Point | None) -> str:
    if voxel_mm is None:
        return tr("voxels as the scan suggests")
    return f"{' × '.join(f'{edge:g}' for edge in voxel_mm)} mm"
