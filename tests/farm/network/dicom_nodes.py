"""Damaged answers of DICOM nodes: to an echo, a worklist query, and the storage of two images.

The answers of a valid node are recorded once. Each case replays them with damage:

- bytes of a PDU flipped, cut, lengthened, repeated; huge declared lengths; other PDU types
- PDUs left out, repeated, in another order; garbage before or after them
- a connection that ends early, or stays silent; a node that sends a byte at a time
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom import network, worklist
from engine.io.dicom.network import Node
from engine.io.dicom.worklist import WorklistQuery
from tests.farm.mutation import mutated
from tests.farm.network.laws import WrongValueError

REPLY_S = 0.3
"""Time limit for the answers of a node, in place of minutes."""
SUCCESSFUL = (0x0000, 0xB000, 0xB006, 0xB007)
ACCEPT, DATA, RELEASE, RELEASED, ABORT = 2, 4, 5, 6, 7
N_IMAGES = 2
NUMBERS = (0, 1, 2, 0xA700, 0xC000, 0xFF00, 0xFE00, 0xB000, 0x8001, 0x8020, 0xFFFF)
"""Status codes, commands and IDs in place of those of a response."""
Answers = list[list[bytes]]
"""PDUs that answer the association and each later request."""


@dataclass(frozen=True)
class Response:
    """The command part of a response (PS3.7, E.1).

    Attributes
    ----------
    command : command field, such as 0x8030 for an echo
    answered : ID of the request
    status : status code; None if it has none
    """

    command: int
    answered: int
    status: int | None


def echo_answer(rng: Random) -> None:
    """Test a connection to a node with damaged answers."""
    answers = damaged_answers(recorded("echo"), rng)
    with node(answers, rng) as there:
        network.echo(there)
    _refuse_unconfirmed(answers, 0x8030, 1)


def store_answer(rng: Random) -> None:
    """Send two images to a node with damaged answers."""
    answers = damaged_answers(recorded("store"), rng)
    with node(answers, rng) as there:
        n = network.send([images()], there, lambda done, of: None)
    if n != N_IMAGES:
        raise WrongValueError(f"{n} images were reported as sent, expected {N_IMAGES}")
    _refuse_unconfirmed(answers, 0x8001, N_IMAGES)


def worklist_answer(rng: Random) -> None:
    """Query a worklist with damaged answers; each order must be contained in their bytes."""
    answers = damaged_answers(recorded("worklist"), rng)
    with node(answers, rng) as there:
        found = worklist.ask_worklist(there, WorklistQuery())
    sent = b"".join(pdu for each in answers for pdu in each)
    for order in found.orders:
        if order.patient_id.encode() not in sent:
            raise WrongValueError(f"the patient ID {order.patient_id[:40]!r} was not sent")
    if not any("more than" in note for note in found.notes):
        _refuse_unconfirmed(answers, 0x8020, 1)


def _refuse_unconfirmed(answers: Answers, command: int, n: int) -> None:
    """Refuse a success without a response that states it."""
    found = [each for answer in answers[1:] for each in responses(answer)]
    good = {
        each.answered for each in found if each.command == command and each.status in SUCCESSFUL
    }
    if not good.issuperset(range(1, n + 1)):
        raise WrongValueError(f"success without {n} successful responses: {found}")


def responses(pdus: Sequence[bytes]) -> list[Response]:
    """Return the responses in PDUs, as far as they are readable."""
    commands = b""
    for pdu in pdus:
        if pdu[:1] == bytes([DATA]) and len(pdu) > 12 and pdu[11] & 1:
            commands += pdu[12:]
    found, at = list[Response](), 0
    values: dict[int, int] = {}
    while at + 8 <= len(commands):
        group, element, length = struct.unpack_from("<HHI", commands, at)
        if group != 0:
            break
        if element == 0 and values:
            found.append(_response(values))
            values = {}
        if length == 2 and at + 10 <= len(commands):
            values[element] = struct.unpack_from("<H", commands, at + 8)[0]
        at += 8 + length
    return [*found, _response(values)] if values else found


def _response(values: dict[int, int]) -> Response:
    return Response(values.get(0x0100, 0), values.get(0x0120, 0), values.get(0x0900))


# answers


@cache
def recorded(kind: str) -> tuple[tuple[bytes, ...], ...]:
    """Return the answers of a valid node."""
    from pynetdicom import AE, AllStoragePresentationContexts, evt
    from pynetdicom.sop_class import ModalityWorklistInformationFind, Verification

    from tests.engine.io.dicom.test_dicom_worklist import ORDERS

    def find(event: evt.Event) -> Iterator[tuple[int, object]]:
        yield from ((0xFF00, each) for each in ORDERS)
        yield 0x0000, None

    sent: list[bytes] = []
    entity = AE(ae_title="NODE")
    entity.supported_contexts = AllStoragePresentationContexts[:100]
    entity.add_supported_context(Verification)
    entity.add_supported_context(ModalityWorklistInformationFind)
    handlers = [
        (evt.EVT_C_ECHO, lambda event: 0x0000),
        (evt.EVT_C_STORE, lambda event: 0x0000),
        (evt.EVT_C_FIND, find),
        (evt.EVT_DATA_SENT, lambda event: sent.append(bytes(event.data))),
    ]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    server = entity.start_server(("127.0.0.1", port), block=False, evt_handlers=handlers)
    try:
        there = Node.at(f"127.0.0.1:{port}", called="NODE")
        ACTS[kind](there)
    finally:
        server.shutdown()
    answers: Answers = [[]]
    for pdu in sent:
        if pdu[0] not in (ACCEPT, DATA):
            continue
        # each image is a separate request
        if pdu[0] == DATA and (len(answers) == 1 or kind == "store"):
            answers.append([])
        answers[-1].append(pdu)
    return tuple(tuple(each) for each in answers)


ACTS: dict[str, Callable[[Node], object]] = {
    "echo": network.echo,
    "store": lambda there: network.send([images()], there, lambda done, of: None),
    "worklist": lambda there: worklist.ask_worklist(there, WorklistQuery()),
}
FOLDERS: list[TemporaryDirectory[str]] = []


@cache
def images() -> Path:
    """Return a folder with two small images."""
    FOLDERS.append(TemporaryDirectory(prefix="farm"))
    folder, grid = Path(FOLDERS[0].name) / "a.dicom", ImageGrid((N_IMAGES, 4, 4), (2.0, 2.0, 2.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "counts/mm"), folder)
    return folder


def damaged_answers(whole: tuple[tuple[bytes, ...], ...], rng: Random) -> Answers:
    """Return answers with one to three kinds of damage, mostly after the association."""
    answers = [list(each) for each in whole]
    for _ in range(rng.choice((1, 1, 2, 3))):
        pdus = answers[0] if rng.random() < 0.2 else rng.choice(answers[1:])
        if not pdus:
            continue
        at = rng.randrange(len(pdus))
        _damage(pdus, at, rng)
    return answers


def _damage(pdus: list[bytes], at: int, rng: Random) -> None:
    pdu, what = pdus[at], rng.randrange(9)
    if what == 0:
        pdus[at] = (
            pdu[:2] + struct.pack(">I", rng.choice((0, 1, 2**16, 2**31, 2**32 - 1))) + pdu[6:]
        )
    elif what == 1:
        del pdus[at]
    elif what == 2:
        pdus.insert(rng.randrange(len(pdus) + 1), rng.choice(pdus))
    elif what == 3:
        pdus[at] = pdu[: rng.randrange(len(pdu))]
    elif what == 4:
        pdus[at] = rng.choice((_pdu(ABORT), _pdu(RELEASE), _pdu(3), _pdu(99), b"HTTP/1.1 400\r\n"))
    elif what == 5:  # a status, an ID or a command of the response
        _change_command(pdus, at, rng)
    else:  # the length stays correct, so the content is read
        content = mutated(pdu[6:], rng)
        pdus[at] = pdu[:2] + struct.pack(">I", len(content)) + content


def _change_command(pdus: list[bytes], at: int, rng: Random) -> None:
    """Change a number in the command part of a response."""
    pdu, tag = (
        bytearray(pdus[at]),
        struct.pack("<HH", 0, rng.choice((0x0100, 0x0120, 0x0900, 0x0800))),
    )
    place = bytes(pdu).find(tag + struct.pack("<I", 2))
    if 0 <= place <= len(pdu) - 10:
        value = rng.choice(
            (0, 1, 2, 0xA700, 0xC000, 0xFF00, 0xFE00, 0xB000, 0x8001, 0x8020, 0xFFFF)
        )
        struct.pack_into("<H", pdu, place + 8, value)
        pdus[at] = bytes(pdu)


def _pdu(kind: int, content: bytes = bytes(4)) -> bytes:
    return struct.pack(">BBI", kind, 0, len(content)) + content


# the node


@contextmanager
def node(answers: Answers, rng: Random, reply_s: float = REPLY_S) -> Iterator[Node]:
    """Open a port that replays answers; most nodes close the connection at the end.

    Parameters
    ----------
    answers
        PDUs that answer each request
    rng
        random numbers for the behaviour of the node
    reply_s
        time limit for its answers, in this process
    """
    is_slow, stays = rng.random() < 0.02, rng.random() < 0.1
    faults: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                link = server.accept()[0]
                act = threading.Thread(
                    target=_answer, args=(link, answers, is_slow, stays), daemon=True
                )
                act.start()

    threading.Thread(target=serve, daemon=True).start()
    hook, before = threading.excepthook, (network.ECHO_S, network.ANSWER_S, worklist.QUERY_S)
    threading.excepthook = lambda args: faults.append(f"{args.exc_type.__name__}: {args.exc_value}")
    network.ECHO_S = network.ANSWER_S = worklist.QUERY_S = reply_s
    try:
        yield Node.at(f"127.0.0.1:{server.getsockname()[1]}", called="NODE")
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        threading.excepthook = hook
        network.ECHO_S, network.ANSWER_S, worklist.QUERY_S = before
        if faults:
            raise RuntimeError(f"in a thread: {faults[0]}")


def _answer(link: socket.socket, answers: Answers, is_slow: bool, stays: bool) -> None:
    """Send the answers to the requests on one connection."""
    left = list(answers)
    with suppress(OSError, struct.error), link:
        link.settimeout(2 * REPLY_S)
        while pdu := _read_pdu(link):
            if pdu[0] == RELEASE:
                link.sendall(_pdu(RELEASED))
                return
            if pdu[0] == DATA and not _ends_request(pdu):
                continue
            for each in left.pop(0) if left else ():
                for piece in [each[k : k + 1] for k in range(len(each))] if is_slow else [each]:
                    link.sendall(piece)
                    time.sleep(0.02 * is_slow)
            if not left and not stays:
                # read the answer before the connection is closed
                link.shutdown(socket.SHUT_WR)


def _read_pdu(link: socket.socket) -> bytes:
    head = link.recv(6, socket.MSG_WAITALL)
    if len(head) < 6:
        return b""
    n, content = struct.unpack(">I", head[2:])[0], b""
    while len(content) < n and (piece := link.recv(n - len(content))):
        content += piece
    return head + content


def _ends_request(pdu: bytes) -> bool:
    """Return True for the last PDU of a request: the end of its data, or a command without any."""
    control = pdu[11]
    has_data = b"\x00\x00\x00\x08\x02\x00\x00\x00\x01\x01" not in pdu
    return control & 2 != 0 and (control & 1 == 0 or not has_data)
