"""Nodes that answer too much, too slowly or not at all give one sentence each, in time.

Cases, written before the limits:

- a PDU of 4 GiB in answer to the association, and as answer to an echo
- a data PDU one byte longer than agreed
- an unknown kind of PDU; HTTP; a connection that ends within a PDU, or at once
- one byte every 0.05 s; silence
- a worklist answer larger than the limit; an answer every 0.1 s without end; unusable answers
  without end
- a node that stores a file only after the time limit, and one that stops reading
- a response to another request, of another kind, or a repeated one; a request as a response
- a maximum PDU length of 0, 6 and 7; an abort from an unknown source; half of a response
"""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from pynetdicom import AE, AllStoragePresentationContexts, evt
from pynetdicom.sop_class import ModalityWorklistInformationFind, Verification

from engine.core.errors import ResourceError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom import network, worklist
from engine.io.dicom.network import Node, echo, send
from engine.io.dicom.worklist import WorklistQuery, ask_worklist
from tests.engine.io.dicom.test_dicom_network import free_port, node
from tests.engine.io.dicom.test_dicom_worklist import answer
from tests.farm.network.dicom_nodes import ACTS, recorded
from tests.farm.network.dicom_nodes import node as replayed

# pynetdicom does not close a socket that the peer has already shut down.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
)

Peer = Callable[[socket.socket], None]
HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def peer(act: Peer) -> Iterator[Node]:
    """Listen on a port, and handle each connection with `act`."""

    def one(link: socket.socket) -> None:
        with suppress(OSError), link:
            link.recv(4096)
            act(link)

    def listen() -> None:
        with suppress(OSError):
            while True:
                link = server.accept()[0]
                threading.Thread(target=one, args=(link,), daemon=True).start()

    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(8)
    threading.Thread(target=listen, daemon=True).start()
    try:
        yield Node.at(f"127.0.0.1:{server.getsockname()[1]}")
    finally:
        server.close()


def flood(link: socket.socket) -> None:
    link.sendall(struct.pack(">BBI", 2, 0, 0xFFFFFFF0))
    for _ in range(1500):
        link.sendall(bytes(1 << 20))


def trickle(link: socket.socket) -> None:
    link.sendall(struct.pack(">BBI", 2, 0, 60_000))
    for _ in range(600):
        link.sendall(b"\0")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (flood, r"announces a message of 4,294,967,280 bytes, expected at most 65,536"),
        (trickle, r"no complete response after 1 s"),
        (lambda link: time.sleep(3), r"no complete response after 1 s|not DICOM"),
        (lambda link: link.sendall(HTTP), "not DICOM"),
        (lambda link: link.sendall(struct.pack(">BBI", 99, 0, 4) + bytes(4)), "not DICOM"),
        (lambda link: link.sendall(struct.pack(">BBI", 2, 0, 400) + bytes(10)), "not DICOM"),
        (lambda link: None, "not DICOM"),
    ],
    ids=["flood", "trickle", "silence", "http", "unknown", "cut", "closed"],
)
def test_answer_to_the_association_is_limited(
    act: Peer, reason: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(network, "ECHO_S", 1.0)
    started = time.monotonic()
    with peer(act) as target, pytest.raises(ResourceError, match=reason) as refused:
        echo(target)
    assert target.name in str(refused.value)
    assert time.monotonic() - started < 10
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("length", [16_383, 0xFFFFFFF0])
def test_answer_longer_than_agreed_ends_the_connection(length: int) -> None:
    def reply(event: evt.Event) -> int:
        event.assoc.dul.socket.socket.sendall(struct.pack(">BBI", 4, 0, length) + bytes(5000))
        return 0x0000

    entity = AE(ae_title="ARCHIVE")
    entity.add_supported_context(Verification)
    port = free_port()
    server = entity.start_server(
        ("127.0.0.1", port), block=False, evt_handlers=[(evt.EVT_C_ECHO, reply)]
    )
    try:
        with pytest.raises(ResourceError, match=f"a message of {length:,} bytes, .* 16,382"):
            echo(Node.at(f"127.0.0.1:{port}"))
    finally:
        server.shutdown()


@contextmanager
def orders(find: Callable[[evt.Event], Iterator[tuple[int, object]]]) -> Iterator[Node]:
    """Run a worklist that gives these answers."""
    entity = AE(ae_title="RIS")
    entity.add_supported_context(ModalityWorklistInformationFind)
    port = free_port()
    server = entity.start_server(
        ("127.0.0.1", port), block=False, evt_handlers=[(evt.EVT_C_FIND, find)]
    )
    try:
        yield Node.at(f"127.0.0.1:{port}")
    finally:
        server.shutdown()


def test_too_large_worklist_answer_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklist, "MAX_BYTES", 1 << 18)

    def find(event: evt.Event) -> Iterator[tuple[int, object]]:
        large = answer("1", "A^B", "20261126")
        large.RequestedProcedureComments = ["x" * 60] * 8000
        yield 0xFF00, large
        yield 0x0000, None

    with orders(find) as target, pytest.raises(ResourceError, match="more than 262,144 bytes"):
        ask_worklist(target, WorklistQuery())


def test_endless_answers_stop_at_the_time_limit_of_the_query(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worklist, "QUERY_S", 1.0)

    def find(event: evt.Event) -> Iterator[tuple[int, object]]:
        for k in range(200):
            time.sleep(0.1)
            yield 0xFF00, answer(str(k), "A^B", "20261126")

    started = time.monotonic()
    with orders(find) as target:
        with pytest.raises(ResourceError, match="no complete response after 1 s"):
            ask_worklist(target, WorklistQuery())
        assert time.monotonic() - started < 8


def test_unusable_answers_count_towards_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklist, "MAX_ORDERS", 5)

    def find(event: evt.Event) -> Iterator[tuple[int, object]]:
        for _ in range(1000):
            yield 0xFF00, answer("", "Nobody", "20261126")

    with orders(find) as target:
        found = ask_worklist(target, WorklistQuery())
    assert found.orders == () and "more than 5 orders" in found.notes[-1]


def test_storing_a_file_has_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "ANSWER_S", 1.0)
    monkeypatch.setattr(network, "SLOWEST_PER_S", 1e9)
    folder = tmp_path / "a.dicom"
    grid = ImageGrid((2, 4, 4), (2.0, 2.0, 2.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "counts/mm"), folder)

    def store(event: evt.Event) -> int:
        time.sleep(3)
        return 0x0000

    with (
        node(store) as target,
        pytest.raises(ResourceError, match=r"after 1 s|connection was lost"),
    ):
        send([folder], target, lambda done, of: None)


@pytest.mark.slow
def test_node_that_stops_reading_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "ANSWER_S", 1.0)
    monkeypatch.setattr(network, "SLOWEST_PER_S", 1e9)
    grid = ImageGrid((1, 3000, 3000), (1.0, 1.0, 1.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "counts/mm"), tmp_path / "a.dicom")
    free = threading.Event()
    entity = AE(ae_title="ARCHIVE")
    entity.supported_contexts = AllStoragePresentationContexts
    port = free_port()

    def stop_reading(event: evt.Event) -> None:
        if event.pdu.pdu_type == 4:  # P-DATA, the first data of the association
            free.wait(8)

    server = entity.start_server(
        ("127.0.0.1", port), block=False, evt_handlers=[(evt.EVT_PDU_RECV, stop_reading)]
    )
    started = time.monotonic()
    try:
        with pytest.raises(
            ResourceError, match=r"no complete response after 1 s|connection was lost"
        ):
            send([tmp_path / "a.dicom"], Node.at(f"127.0.0.1:{port}"), lambda done, of: None)
        assert time.monotonic() - started < 7
    finally:
        free.set()
        server.shutdown()


@contextmanager
def changed(kind: str, changes: dict[int, int], request: int) -> Iterator[Node]:
    """Run a node for storage and echo; the numbers in one response are changed."""

    def change(link_data: bytes) -> bytes:
        data = bytearray(link_data)
        for element, value in changes.items():
            at = link_data.find(struct.pack("<HHI", 0, element, 2))
            struct.pack_into("<H", data, at + 8, value)
        return bytes(data)

    answers = [list(each) for each in recorded(kind)]
    answers[request] = [change(each) for each in answers[request]]
    with replayed(answers, random.Random(3)) as target:
        yield target


@pytest.mark.parametrize(
    ("kind", "changes", "request_number"),
    [
        ("echo", {0x0120: 2}, 1),
        ("echo", {0x0100: 0x8020}, 1),
        ("store", {0x0120: 1}, 2),
        ("store", {0x0100: 0x0001}, 1),
        ("store", {0x0100: 0x8020}, 2),
        ("worklist", {0x0120: 9}, 1),
    ],
)
def test_response_to_another_request_is_refused(
    kind: str, changes: dict[int, int], request_number: int
) -> None:
    act = ACTS[kind]
    with changed(kind, changes, request_number) as target, pytest.raises(ResourceError):
        act(target)


def test_repeated_response_confirms_one_image() -> None:
    answers = [list(each) for each in recorded("store")]
    answers[1] *= 2
    answers[2] = []
    reason = "does not answer the last request"
    with replayed(answers, random.Random(3)) as target, pytest.raises(ResourceError, match=reason):
        ACTS["store"](target)


@pytest.mark.parametrize("length", [0, 6, 7])
def test_node_that_accepts_no_data_gives_one_sentence(length: int) -> None:
    answers = [list(each) for each in recorded("echo")]
    accept = answers[0][0]
    at = accept.find(b"\x51\x00\x00\x04")
    answers[0][0] = accept[: at + 4] + struct.pack(">I", length) + accept[at + 8 :]
    with replayed(answers, random.Random(3)) as target:
        if length == 0:
            ACTS["echo"](target)  # length 0 means no limit
        else:
            with pytest.raises(ResourceError):
                ACTS["echo"](target)


def test_damaged_messages_print_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    answers = [list(each) for each in recorded("echo")]
    # An A-ABORT with an invalid source, half of a response, and a PDU that ends within a value.
    abort = struct.pack(">BBIBBBB", 7, 0, 4, 0, 0, 255, 255)
    for damage in (abort, answers[1][0][:30], answers[1][0][:-3]):
        whole = damage[:2] + struct.pack(">I", len(damage) - 6) + damage[6:]
        sent, started = [answers[0], [whole]], time.monotonic()
        with replayed(sent, random.Random(3), 60.0) as target, pytest.raises(ResourceError):
            ACTS["echo"](target)
        assert time.monotonic() - started < 10, "the client did not stop waiting"
    assert "Traceback" not in capfd.readouterr().err
