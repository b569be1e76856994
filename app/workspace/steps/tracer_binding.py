"""Bind dose and weight to the scan that was opened."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.inputs import Input
from engine.core.errors import DataError
from engine.data import Tracer


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
