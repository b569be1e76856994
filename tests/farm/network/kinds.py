"""The kinds of cases of the network farm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random

from tests.farm.network import dicom_nodes, streams


@dataclass(frozen=True)
class Kind:
    """One kind of case.

    Attributes
    ----------
    name : name of the kind
    act : makes a case from random numbers and runs it
    share : share of all damaged messages
    per_case : damaged messages in one case
    prepare : creates the data that all cases share
    """

    name: str
    act: Callable[[Random], None]
    share: float
    per_case: int = 1
    prepare: Callable[[], object] | None = None


def _answers(name: str, act: Callable[[Random], None]) -> Kind:
    return Kind(f"{name} answer", act, 0.01, prepare=partial(dicom_nodes.recorded, name))


KINDS: tuple[Kind, ...] = (
    _answers("echo", dicom_nodes.echo_answer),
    _answers("worklist", dicom_nodes.worklist_answer),
    _answers("store", dicom_nodes.store_answer),
    Kind("frame stream", streams.frame_stream, 0.1, streams.DAMAGED_PER_SCAN),
    Kind("event stream", streams.event_stream, 0.1, streams.DAMAGED_PER_SCAN),
    Kind("frame message", streams.frame_message, 0.4),
    Kind("event message", streams.event_message, 0.37),
)
