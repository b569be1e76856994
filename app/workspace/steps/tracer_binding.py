"""Bind dose and weight to the scan that was opened, and tell if a file is not bound to it."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.inputs import DATA, Input, Inputs, role_created_on
from engine.core.errors import DataError
from engine.data import Tracer

TRACER = role_created_on("describe_tracer").key
UNBOUND = tr(
    "The tracer file has no fingerprint of this scan, so check that it is for this patient."
)


def doubt_of(inputs: Inputs) -> str:
    """Return a sentence if the tracer file does not name the open scan; otherwise empty.

    Parameters
    ----------
    inputs
        inputs of the open study
    """
    found, scan = inputs.get(TRACER), inputs.get(DATA)
    if found is None or scan is None or not isinstance(found.content, Tracer):
        return ""
    # Files of earlier versions name the scan by its header alone, those written by hand not at all.
    return "" if found.content.of_scan == scan.fingerprint else UNBOUND


def tracer_bound_to(scan: Input, tracer: Tracer) -> Tracer:
    """Return tracer data that a run accepts only for one scan.

    Parameters
    ----------
    scan
        the open scan
    tracer
        its dose, times and body measurements

    Raises
    ------
    DataError
        if the fingerprint of the scan is not known
    """
    # The fingerprint of the file as it is now could belong to a scan that has replaced this one.
    if not scan.fingerprint:
        raise DataError(
            tr(
                "{name}: the program cannot tell this scan from another one, so it does not save "
                "a dose for it. Open the scan again.",
                name=scan.name,
            )
        )
    return tracer.model_copy(update={"of_scan": scan.fingerprint})
