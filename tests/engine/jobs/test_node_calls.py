"""Tests of requests to DICOM nodes in a separate process.

Cases: a worklist query with orders; a node that does not respond; a request that takes too long,
needs too much memory, or crashes.
"""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from engine.core.errors import EngineError, ResourceError
from engine.io.dicom.network import Node
from engine.io.dicom.worklist import WorklistQuery, ask_worklist
from engine.jobs.loader import node_calls
from engine.jobs.loader.node_calls import call_node
from tests.engine.io.dicom.test_dicom_network import free_port
from tests.engine.io.dicom.test_dicom_worklist import ORDERS, worklist


class InThisProcess:
    """A loader that runs in this process, which is faster."""

    def __init__(self, words=None) -> None:
        assert words is node_calls.OF_NODES

    def call(self, function, *arguments, about, stopped):
        return function(*arguments)

    def close(self) -> None:
        pass


def hang() -> None:
    time.sleep(60)


def swallow() -> None:
    bytearray(2 << 30)


def fail() -> None:
    raise KeyError("PatientID")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def test_foreign_error_is_not_called_a_damaged_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_calls, "Loader", InThisProcess)
    with pytest.raises(ResourceError, match="RIS: the response cannot be processed") as found:
        call_node(fail, name="RIS", seconds=60)
    assert "file" not in str(found.value)
    for words in (
        node_calls.OF_NODES.slow,
        node_calls.OF_NODES.killed,
        node_calls.OF_NODES.crashed,
    ):
        assert words.startswith("{name}: ") and "file" not in words


@pytest.mark.slow
def test_worklist_orders_are_returned_from_the_process() -> None:
    with worklist(ORDERS) as node:
        found = call_node(ask_worklist, node, WorklistQuery(), name=node.name, seconds=60)
    assert len(found.orders) == len(ORDERS)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs the memory limit of Linux")
@pytest.mark.parametrize(
    ("request_", "reason"),
    [(hang, "no complete response after 8 s"), (swallow, "more than 512 MiB"), (crash, "crashed")],
)
def test_failed_request_gives_one_sentence(request_, reason: str) -> None:
    with pytest.raises(EngineError, match=f"^RIS: .*{reason}") as found:
        call_node(request_, name="RIS", seconds=8 if request_ is hang else 60)
    assert "file" not in str(found.value), "the message names a file, but the network failed"


def test_message_of_a_request_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_calls, "Loader", InThisProcess)
    node = Node.at(f"127.0.0.1:{free_port()}")
    with pytest.raises(ResourceError, match="no response"):
        call_node(ask_worklist, node, WorklistQuery(), name=node.name, seconds=60)
