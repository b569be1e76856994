"""Send series to DICOM nodes (C-STORE) and test connections (C-ECHO). PS3.4, annexes A and B.

Files are only read. If the connection fails, they are still there, and sending a series again does
not duplicate it, because its UIDs are the same.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import SSLContext, SSLError
from typing import TYPE_CHECKING

from engine.core.errors import DataError, FileFormatError, ResourceError
from engine.io.dicom.headers import damage, reason_of
from engine.io.dicom.link_limits import MAX_PDU_BYTES, LinkLimits
from engine.io.dicom.object_reader import read_object
from engine.io.dicom.preamble import has_preamble
from engine.io.dicom.tls import TlsFiles, not_encrypted
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input

if TYPE_CHECKING:
    from pydicom.dataset import Dataset
    from pynetdicom.association import Association

CALLING = "ISOCENTER"
ENCRYPTED = "tls://"
"""Start of the address of a node with TLS."""
# PS3.5, section 6.2: AE titles have 1 to 16 ASCII characters without backslash, which separates
# values.
TITLE = re.compile(r"[ -\[\]-~]{1,16}")
"""Form of an application entity (AE) title."""
CONNECT_S, ANSWER_S = 10.0, 60.0
ECHO_S = 30.0
"""Time for a whole echo, from the connection to the answer."""
SLOWEST_PER_S = 20_000
"""Bytes per second of the slowest network, which gives large files more time."""
ANSWER_BYTES = 65_536
"""Size that one response may have; a real one has 200 bytes."""
# With these warnings the node has stored the object, but changed or ignored attributes (PS3.4,
# B.2.3).
SUCCESS, WARNINGS = 0x0000, (0xB000, 0xB006, 0xB007)
VERIFICATION = "1.2.840.10008.1.1"
MAX_NAMED = 3


@dataclass(frozen=True)
class Node:
    """A DICOM application that receives images, such as an archive or a viewer.

    Attributes
    ----------
    host, port : address
    called : AE title of the node, which some nodes check
    calling : AE title of this program, which some nodes must know
    tls : files for an encrypted connection; None for no encryption

    Examples
    --------
    >>> from engine.io.dicom.network import Node
    >>> Node.at("archive:11112", called="PACS").port
    11112
    """

    host: str
    port: int
    called: str = "ANY-SCP"
    calling: str = CALLING
    tls: TlsFiles | None = None

    @classmethod
    def at(
        cls,
        address: str,
        *,
        called: str = "ANY-SCP",
        calling: str = CALLING,
        tls: TlsFiles | None = None,
    ) -> Node:
        """Return the node at an address.

        Parameters
        ----------
        address
            "host:port", or "tls://host:port" for an encrypted connection; an IPv6 host is in square
            brackets
        called
            AE title of the node
        calling
            AE title of this program
        tls
            files for encrypted connections; None for those of the system, if the address asks for
            encryption

        Raises
        ------
        DataError
            if the address or a title is not valid
        """
        # From the right, because IPv6 addresses contain colons.
        is_encrypted = address.startswith(ENCRYPTED)
        host, _, port = address.removeprefix(ENCRYPTED).rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise DataError(
                f"{address!r}: not a valid node address; write host:port, such as 127.0.0.1:11112."
            )
        for title in (called, calling):
            if not TITLE.fullmatch(title) or not title.strip():
                raise DataError(
                    f"{title!r}: not a valid AE title; use 1 to 16 letters, digits or symbols."
                )
        files = (tls or TlsFiles()) if is_encrypted else None
        return cls(host.strip("[]"), int(port), called, calling, files)

    @property
    def name(self) -> str:
        """AE title and address for messages."""
        return f"{self.called} at {self.host}:{self.port}"


def echo(node: Node) -> None:
    """Test the connection to a node.

    Raises
    ------
    ResourceError
        if the node does not answer; the message states the reason
    """
    limits = LinkLimits(node.name, ECHO_S, 16 * ANSWER_BYTES)
    with associated(node, {VERIFICATION}, limits) as association:
        with refusing_damage(node):
            response = association.send_c_echo()
        refuse_unsuccessful(response, node, "C-ECHO")


def send(paths: Sequence[Path], node: Node, on_sent: Callable[[int, int], None]) -> int:
    """Send files of one patient to a node, and return their number.

    Parameters
    ----------
    paths
        DICOM files, or folders of them
    node
        receiver
    on_sent
        called after each file with the number of sent files and of all files

    Raises
    ------
    DataError
        if the files belong to several patients
    ResourceError
        if the node cannot be reached, refuses a file, or the connection is lost
    """
    files = [file for path in paths for file in _files_in(path)]
    # All files are checked before the first one is sent: a mixed selection must not reach an
    # archive.
    classes = _classes_of_one_patient(files)
    limits = LinkLimits(node.name, ANSWER_S, (16 + len(files)) * ANSWER_BYTES)
    with associated(node, classes, limits) as association:
        for n_sent, file in enumerate(files):
            dataset = _read(file)
            limits.restart(ANSWER_S + _size_of(file) / SLOWEST_PER_S)
            what = f"C-STORE {file.name}, file {n_sent + 1:,} of {len(files):,}"
            response = _stored(association, dataset, _id_of(n_sent), node, what)
            refuse_unsuccessful(response, node, what)
            on_sent(n_sent + 1, len(files))
    return len(files)


def send_files(paths: Sequence[Path], node: Node) -> int:
    """Send files as `send` does, without reports on the progress; for another process."""
    return send(paths, node, lambda done, of: None)


def _id_of(n_sent: int) -> int:
    """Return the ID of the next request, from 1 to 65,535."""
    return n_sent % 65_535 + 1


def _stored(
    association: Association, dataset: Dataset, request: int, node: Node, what: str
) -> Dataset:
    """Return the response of the node to a dataset, an empty one if the connection was lost."""
    from pydicom.dataset import Dataset

    try:
        with refusing_damage(node):
            return association.send_c_store(dataset, msg_id=request)
    except RuntimeError:  # the association has ended since the last file
        return Dataset()
    except (ValueError, AttributeError) as e:
        reason = " ".join(str(e).split())[:200]
        raise ResourceError(
            f"{node.name}: {what}: the request failed ({reason}); send the series to another node, "
            "or export it again without compression."
        ) from e


@contextmanager
def refusing_damage(node: Node) -> Iterator[None]:
    """Refuse answers that pynetdicom cannot use, such as a PDU length of 6 bytes.

    Parameters
    ----------
    node
        node, for the error message

    Raises
    ------
    ResourceError
        for errors in the arithmetic and tables of pynetdicom
    """
    try:
        yield
    except (ArithmeticError, AssertionError, LookupError, TypeError) as e:
        raise ResourceError(
            f"{node.name}: the node sent a damaged message ({type(e).__name__}); check this node "
            "and the port number."
        ) from e


def _files_in(path: Path) -> list[Path]:
    if not is_folder(path):
        return [path]
    # Exports of scanners often contain texts and viewers, too.
    found = [each for each in entries(path) if each.suffix.lower() in (".dcm", ".ima", "")]
    files = [each for each in found if each.is_file() and not each.name.startswith(".")]
    if not files:
        raise FileFormatError(
            f"{path}: this folder contains no DICOM files (.dcm); choose another folder."
        )
    return files


def _classes_of_one_patient(files: Sequence[Path]) -> set[str]:
    """Return the storage classes of the files; refuse files of several patients."""
    classes, patients = set[str](), dict[str, Path]()
    for file in files:
        head = _read(file, pixels=False)
        classes.add(str(head.get("SOPClassUID", "")))
        patients.setdefault(str(head.get("PatientID", "")), file)
    if len(patients) > 1:
        named = ", ".join(file.name for file in list(patients.values())[:MAX_NAMED])
        raise DataError(
            f"the files belong to {len(patients):,} patients (such as {named}); send the files of "
            "one patient at a time."
        )
    return classes


def _read(path: Path, *, pixels: bool = True) -> Dataset:
    with open_input(path) as file:
        try:
            if not has_preamble(file.head):
                raise ValueError("the DICOM preamble is missing")
            return read_object(file, pixels=pixels, may_be_deflated=True)
        except damage() as e:
            raise FileFormatError(
                f"{path.name}: not a readable DICOM file; remove it from the selection. Reason: "
                f"{reason_of(e)}."
            ) from e


def _size_of(path: Path) -> int:
    with open_input(path) as file:
        return file.size


@contextmanager
def associated(node: Node, classes: set[str], limits: LinkLimits) -> Iterator[Association]:
    """Open an association on which the node has accepted these classes.

    Parameters
    ----------
    node
        application to connect to
    classes
        UIDs of the storage or service classes
    limits
        limits on the answers of the node

    Yields
    ------
    association
        released at the end of the block

    Raises
    ------
    ResourceError
        if the node cannot be reached, rejects the association, does not accept a class, or exceeds
        a limit
    """
    from pynetdicom import AE, _config, evt

    # Its own handlers describe messages in the log. They fail for a damaged message, and no further
    # handler would see it.
    _config.LOG_HANDLER_LEVEL = "none"
    # pynetdicom only reports that the association failed. A plain connection gives the reason.
    context = None if node.tls is None else node.tls.context()
    _refuse_unreachable(node, context)
    entity = AE(ae_title=node.calling)
    entity.connection_timeout = entity.acse_timeout = CONNECT_S
    entity.dimse_timeout = entity.network_timeout = ANSWER_S
    for each in sorted(classes):
        entity.add_requested_context(each)
    with limits.catch_damage():
        association = entity.associate(
            node.host,
            node.port,
            ae_title=node.called,
            max_pdu=MAX_PDU_BYTES,
            tls_args=None if context is None else (context, node.host),
            evt_handlers=[
                (evt.EVT_CONN_OPEN, limits.attach),
                (evt.EVT_CONN_CLOSE, limits.wake),
                (evt.EVT_DIMSE_SENT, limits.note_request),
                (evt.EVT_DIMSE_RECV, limits.check_response),
            ],
        )
        try:
            limits.refuse_exceeded()
            _refuse_useless(association, node)
            yield association
            # An unrequested message may have arrived after the last response.
            limits.refuse_exceeded()
        except ResourceError:
            # A connection that was ended here looks like one that was lost.
            limits.refuse_exceeded()
            raise
        finally:
            # A release on a connection that was ended here would not be answered.
            if association.is_established and limits.fault is None:
                association.release()
            limits.close()


def _refuse_useless(association: Association, node: Node) -> None:
    """Refuse an association that was not established, or only for some of the classes."""
    if association.is_rejected:
        raise ResourceError(
            f"{node.name}: the connection was rejected; check the AE titles (--called and "
            f"--calling), and register {node.calling} on this node."
        )
    # Checked before sending, because a node can accept only some of the classes.
    refused = {str(each.abstract_syntax) for each in association.rejected_contexts or ()}
    if refused:
        kinds = ", ".join(_name_of(each) for each in sorted(refused))
        raise ResourceError(f"{node.name}: this node does not accept {kinds}; choose another node.")
    if not association.is_established:
        remedy = (
            "Check the port number, and whether the node requires an encrypted connection (TLS)."
            if node.tls is None
            else "Check the port number, and whether the node requires a certificate."
        )
        raise ResourceError(f"{node.name}: the response is not DICOM. {remedy}")


def _refuse_unreachable(node: Node, context: SSLContext | None) -> None:
    """Try a connection, so that the message states the reason of the system."""
    try:
        with socket.create_connection((node.host, node.port), timeout=CONNECT_S) as link:
            if context is not None:
                context.wrap_socket(link, server_hostname=node.host).close()
    except SSLError as e:
        raise not_encrypted(node.name, e) from e
    except OSError as e:
        raise ResourceError(
            f"{node.name}: no response ({e.strerror or e}); check the host, the port and the "
            "firewall."
        ) from e


def _name_of(uid: str) -> str:
    from pydicom.uid import UID

    return str(UID(uid).name)


def refuse_unsuccessful(status: Dataset, node: Node, what: str) -> None:
    """Refuse a response that reports a failure.

    Parameters
    ----------
    status
        response of the node; empty if the connection was lost or timed out
    node
        node, for the error message
    what
        request, for the error message

    Raises
    ------
    ResourceError
        states the status code and the node's comment
    """
    code = status.get("Status")
    if code is None:
        raise ResourceError(
            f"{node.name}: {what}: the connection was lost; check the network and try again."
        )
    if int(code) != SUCCESS and int(code) not in WARNINGS:
        comment = str(status.get("ErrorComment", "")).strip()
        raise ResourceError(
            f"{node.name}: {what}: the request failed with status 0x{int(code):04X}; see the log "
            f"of this node. Comment of the node: {comment!r}."
        )
