"""Rules for all accepted data, computed from the messages themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite

import numpy as np

from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame
from engine.live.pet.event_batch import EventBatch


class WrongValueError(AssertionError):
    """The program accepted a value that is not in the message."""


def true_frame(found: Frame, parts: Sequence[bytes]) -> None:
    """Refuse a frame that differs from its message.

    Raises
    ------
    WrongValueError
        states the first difference
    """
    header = json.loads(parts[0])
    stated = header["image_attributes"]["scan_index"]
    _same("parts", len(parts), 2)
    _same("kind", int(found.kind), stated)
    _same("index", found.index, header["frame"])
    _same("shape", list(found.values.shape), header["shape"])
    _same("size", found.values.nbytes, len(parts[1]))
    _same("kind of number", found.values.dtype.kind in "uif", True)
    kind = np.dtype(header["type"])
    _same("byte order", found.values.dtype.str.lstrip("=|"), kind.str.lstrip("=|"))
    _same("values", found.values.tobytes(), parts[1])
    if found.angle_rad is not None:
        _same("angle", found.angle_rad, float(header["isocenter"]["angle_rad"]))
        _same("finite angle", isfinite(found.angle_rad), True)


def true_events(found: EventBatch, parts: Sequence[bytes]) -> None:
    """Refuse events that differ from their message, or do not fit their scanner.

    Raises
    ------
    WrongValueError
        states the first difference
    """
    ours = json.loads(parts[0])["isocenter"]
    events = found.events
    _same("parts", len(parts), 2)
    _same("number of events", events.n_events, ours["n"])
    _same("first event", found.first, ours["first"])
    given = events.crystals, events.time_ms, events.delayed, events.tof_bins
    forms = "<i4", "<u4", "|u1", "<i2"
    packed = (
        np.asarray(column).astype(form).tobytes()
        for column, form in zip(given, forms, strict=True)
        if column is not None
    )
    _same("data", b"".join(packed), parts[1])
    crystals, times = events.crystals, events.time_ms
    _same("crystals", bool((crystals >= 0).all()), True)
    _same("crystals", bool((crystals < events.scanner.n_crystals).all()), True)
    _same("order of times", times is not None and bool((times[1:] >= times[:-1]).all()), True)
    if events.tof_bins is not None and events.scanner.tof is not None:
        inside = (events.tof_bins >= 0) & (events.tof_bins < events.scanner.tof.n_bins)
        _same("TOF bins", bool(inside.all()), True)


def true_geometry(found: XrayGeometry, parts: Sequence[bytes]) -> None:
    """Refuse a geometry that differs from its message, or is not finite.

    Raises
    ------
    WrongValueError
        states the first difference
    """
    header = json.loads(parts[0])
    columns = [found.source_mm, found.detector_mm, found.u_mm, found.v_mm]
    vectors = np.stack(columns, axis=1)
    _same("finite vectors", bool(np.isfinite(vectors).all()), True)
    stated = np.frombuffer(parts[1], header["type"]).reshape(header["shape"])
    _same("vectors", bool((vectors == stated).all()), True)
    _same("shape", list(found.shape), header["isocenter"]["shape"])
    _same("beam", found.beam, header["isocenter"]["beam"])


def _same(what: str, found: object, stated: object) -> None:
    if found != stated or isinstance(found, bool) != isinstance(stated, bool):
        raise WrongValueError(f"{what}: {str(found)[:80]} was accepted, not {str(stated)[:80]}")
