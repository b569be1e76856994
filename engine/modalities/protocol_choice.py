"""Choose the initial protocol of a scan: one rule for window, queue and command line.

The choice depends only on the scan and on the protocols that are offered. Nothing of an earlier
scan enters it.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.errors import EngineError
from engine.modalities import MODALITIES
from engine.modalities.base import AnyModality, OpenStudy
from engine.modalities.studies import modality_of, protocol_of_kind
from engine.protocols.study.protocol import Protocol


def suitable(study: OpenStudy) -> tuple[AnyModality, ...]:
    """Return the kinds of protocols that can reconstruct a scan, its own kind first."""
    return tuple(modality for modality in MODALITIES if modality.suits(study))


def misfit(protocol: Protocol, study: OpenStudy) -> str:
    """Return why a protocol does not fit a scan, one sentence; empty if it fits.

    A run is still possible: the sentence is a warning, not an obstacle.
    """
    modality = modality_of(protocol)
    if not modality.suits(study):
        return ""  # `fault` and the window refuse it
    try:
        return modality.misfit(protocol, study)
    except EngineError as e:  # its box has no grid on this scanner
        return str(e)


def protocol_for(
    study: OpenStudy, offered: Sequence[Protocol] = (), pinned: Protocol | None = None
) -> Protocol:
    """Return the protocol that a scan starts with.

    Parameters
    ----------
    study
        the scan as it was read
    offered
        protocols that may be used, such as those that the site has approved; empty: all
    pinned
        protocol that the user pinned for this kind of scanner

    Returns
    -------
    protocol
        the pinned one if it fits the scan; else the first of `offered` that fits; else the
        standard protocol of the kind of scan
    """
    kinds = suitable(study) or MODALITIES[:1]
    if pinned is not None and modality_of(pinned) in kinds and not misfit(pinned, study):
        return pinned
    found = [each for kind in kinds for each in offered if modality_of(each) is kind]
    fitting = [each for each in found if not misfit(each, study)]
    return next(iter((*fitting, *found)), None) or protocol_of_kind(kinds[0])


def scanner_kind(study: OpenStudy) -> str:
    """Return the kind of scanner that a scan is from: its name and geometry; of X-rays, the beam.

    Empty while no scan is open.
    """
    kinds = suitable(study)
    if study.scan is None or not kinds:
        return ""
    if study.scanner is not None:
        return f"{study.scanner.name}, {study.scanner.describe()}"
    return kinds[0].scanner_kind(study)


def with_measured(chosen: Protocol, now: Protocol, base: Protocol) -> Protocol:
    """Return a protocol with the values that the user took from slices of the open scan.

    The axis and the roll belong to the scan: they stay when another protocol is chosen for it.

    Parameters
    ----------
    chosen
        the protocol to use from now on
    now, base
        the settings in use, and the saved protocol that they began as
    """
    modality = modality_of(chosen)
    if modality_of(now) is not modality:
        return chosen
    before, current = modality.choices(base), modality.choices(now)
    for kind in {sweep.kind for sweep in modality.sweeps}:
        if current[kind] != before[kind]:
            chosen = modality.with_choice(chosen, kind, current[kind])
    return chosen
