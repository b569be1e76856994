"""Choose the initial protocol of a scan: one rule for window, queue and command line.

The choice depends only on the scan and on the available protocols, not on earlier scans.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.errors import EngineError
from engine.modalities import MODALITIES
from engine.modalities.base import AnyModality, OpenStudy
from engine.modalities.studies import modality_of, protocol_of_kind
from engine.protocols.study.protocol import Protocol


def suitable(study: OpenStudy) -> tuple[AnyModality, ...]:
    """Return the modalities that can reconstruct a scan, its own first.

    Parameters
    ----------
    study
        scan and auxiliary files as they were read
    """
    return tuple(modality for modality in MODALITIES if modality.suits(study))


def misfit(protocol: Protocol, study: OpenStudy) -> str:
    """Return why a protocol does not fit a scan; empty if it fits.

    The run is still possible: the sentence is a warning, not an obstacle.

    Parameters
    ----------
    protocol
        protocol to judge
    study
        scan and auxiliary files as they were read
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
        scan and auxiliary files as they were read
    offered
        protocols that may be used, such as those that the site has approved; empty for all
    pinned
        protocol that the user pinned for this type of scanner; None for none

    Returns
    -------
    protocol
        the pinned one if it fits the scan, otherwise the first of `offered` that fits, otherwise
        the default of the modality
    """
    # An unknown scan still needs a protocol to show, that of the first modality.
    kinds = suitable(study) or MODALITIES[:1]
    if pinned is not None and modality_of(pinned) in kinds and not misfit(pinned, study):
        return pinned
    # In the order of the modalities: the scan's own comes first.
    found = [each for kind in kinds for each in offered if modality_of(each) is kind]
    fitting = [each for each in found if not misfit(each, study)]
    # A protocol that does not fit is better than none: the window shows why.
    return next(iter((*fitting, *found)), None) or protocol_of_kind(kinds[0])


def scanner_kind(study: OpenStudy) -> str:
    """Return the type of scanner of a scan: name and geometry for PET, the beam for X-rays.

    Empty while no scan is open. Pinned protocols are stored under this text.
    """
    # A PET scanner has a name and a geometry; X-ray scanners are known by their beam only.
    kinds = suitable(study)
    if study.scan is None or not kinds:
        return ""
    if study.scanner is not None:
        return f"{study.scanner.name}, {study.scanner.describe()}"
    return kinds[0].scanner_kind(study)


def with_measured(chosen: Protocol, now: Protocol, base: Protocol) -> Protocol:
    """Return a protocol with the values that the user chose from slices of the open scan.

    Axis and roll belong to the scan, so they are kept when another protocol is chosen.

    Parameters
    ----------
    chosen
        the protocol to use from now on
    now
        the current settings
    base
        the saved protocol that these settings started from
    """
    modality = modality_of(chosen)
    # Values of another modality have no meaning for this scan.
    if modality_of(now) is not modality:
        return chosen
    before, current = modality.choices(base), modality.choices(now)
    # Only steps with a sweep belong to the scan; all others belong to the protocol.
    for kind in {sweep.kind for sweep in modality.sweeps}:
        if current[kind] != before[kind]:
            chosen = modality.with_choice(chosen, kind, current[kind])
    return chosen
