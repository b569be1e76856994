"""Nodes: sending them series, C-STORE, and whether one answers, C-ECHO (PS3.4 annexes A and B).

Files are only read: whatever becomes of the connection, what was not sent is still there, and
sending a series again changes nothing on a node that has it, since its UIDs are the same.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import DataError, FileFormatError, ResourceError
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input

if TYPE_CHECKING:
    from pydicom.dataset import Dataset
    from pynetdicom.association import Association

CALLING = "ISOCENTER"
TITLE = re.compile(r"[ -\[\]-~]{1,16}")
"""An application entity's title: 1 to 16 signs of ASCII without a backslash."""
CONNECT_S, ANSWER_S = 10.0, 60.0
SUCCESS, WARNINGS = 0x0000, (0xB000, 0xB006, 0xB007)
VERIFICATION = "1.2.840.10008.1.1"
MOST_NAMED = 3


@dataclass(frozen=True)
class Node:
    """A program that takes images: an archive, a viewer.

    Attributes
    ----------
    host, port : where it listens
    called : its title, which some nodes insist on
    calling : the title that we give ourselves, which some nodes must know

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

    @classmethod
    def at(cls, address: str, *, called: str = "ANY-SCP", calling: str = CALLING) -> Node:
        """Return the node at "host:port"."""
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise DataError(
                f"{address!r}: not a node address; write host:port, such as 127.0.0.1:11112."
            )
        for title in (called, calling):
            if not TITLE.fullmatch(title) or not title.strip():
                raise DataError(
                    f"{title!r}: not an AE title; use 1 to 16 letters, digits or symbols."
                )
        return cls(host.strip("[]"), int(port), called, calling)

    @property
    def name(self) -> str:
        """Title and address, for people."""
        return f"{self.called} at {self.host}:{self.port}"


def echo(node: Node) -> None:
    """Ask a node whether it answers; a sentence says why it does not."""
    with associated(node, {VERIFICATION}) as association:
        refuse_unsuccessful(association.send_c_echo(), node, "the echo request")


def send(paths: Sequence[Path], node: Node, on_sent: Callable[[int, int], None]) -> int:
    """Send files of one patient to a node; return how many were sent.

    Parameters
    ----------
    paths
        DICOM files, or folders of them
    node
        that takes them
    on_sent
        called with how many were sent and how many there are

    Raises
    ------
    DataError
        where the files are of several patients
    ResourceError
        where the node cannot be reached, refuses one, or the connection ends; says how many it has
    """
    files = [file for path in paths for file in _files_in(path)]
    classes = _classes_of_one_patient(files)
    with associated(node, classes) as association:
        for n_sent, file in enumerate(files):
            status = association.send_c_store(_read(file))
            what = f"{file.name} ({n_sent:,} of {len(files):,} were already sent; send all again)"
            refuse_unsuccessful(status, node, what)
            on_sent(n_sent + 1, len(files))
    return len(files)


def _files_in(path: Path) -> list[Path]:
    if not is_folder(path):
        return [path]
    found = [each for each in entries(path) if each.suffix.lower() in (".dcm", ".ima", "")]
    files = [each for each in found if each.is_file() and not each.name.startswith(".")]
    if not files:
        raise FileFormatError(
            f"{path}: this folder contains no DICOM files (.dcm); choose another one."
        )
    return files


def _classes_of_one_patient(files: Sequence[Path]) -> set[str]:
    """Return the kinds of the files, and refuse them where they are not of one patient."""
    classes, patients = set[str](), dict[str, Path]()
    for file in files:
        head = _read(file, pixels=False)
        classes.add(str(head.get("SOPClassUID", "")))
        patients.setdefault(str(head.get("PatientID", "")), file)
    if len(patients) > 1:
        named = ", ".join(file.name for file in list(patients.values())[:MOST_NAMED])
        raise DataError(
            f"the files belong to {len(patients):,} patients ({named} …); send one patient at a "
            "time."
        )
    return classes


def _read(path: Path, *, pixels: bool = True) -> Dataset:
    from pydicom import dcmread
    from pydicom.errors import InvalidDicomError

    with open_input(path) as file:
        try:
            return dcmread(file.stream(), stop_before_pixels=not pixels)
        except (InvalidDicomError, ValueError, KeyError, NotImplementedError) as e:
            raise FileFormatError(
                f"{path.name}: not a DICOM file ({e}); remove it from the list."
            ) from e


@contextmanager
def associated(node: Node, classes: set[str]) -> Iterator[Association]:
    """Yield a connection on which the node has agreed to take files of these kinds."""
    from pynetdicom import AE

    _refuse_unreachable(node)
    entity = AE(ae_title=node.calling)
    entity.connection_timeout = entity.acse_timeout = CONNECT_S
    entity.dimse_timeout = entity.network_timeout = ANSWER_S
    for each in sorted(classes):
        entity.add_requested_context(each)
    association = entity.associate(node.host, node.port, ae_title=node.called)
    try:
        if association.is_rejected:
            raise ResourceError(
                f"{node.name}: refuses the connection; check the AE titles (--called and "
                f"--calling), and register {node.calling} on the node."
            )
        refused = {str(each.abstract_syntax) for each in association.rejected_contexts or ()}
        if refused:
            kinds = ", ".join(_name_of(each) for each in sorted(refused))
            raise ResourceError(f"{node.name}: does not accept {kinds}; choose another node.")
        if not association.is_established:
            raise ResourceError(f"{node.name}: answers, but not in DICOM; check the port.")
        yield association
    finally:
        if association.is_established:
            association.release()


def _refuse_unreachable(node: Node) -> None:
    """Try the connection, for a reason in words."""
    try:
        socket.create_connection((node.host, node.port), timeout=CONNECT_S).close()
    except OSError as e:
        raise ResourceError(
            f"{node.name}: does not answer ({e.strerror or e}); check host, port and firewall."
        ) from e


def _name_of(uid: str) -> str:
    from pydicom.uid import UID

    return str(UID(uid).name)


def refuse_unsuccessful(status: Dataset, node: Node, what: str) -> None:
    """Raise `ResourceError` where a node has not done what it was asked for."""
    code = status.get("Status")
    if code is None:
        raise ResourceError(f"{node.name}: the connection was lost during {what}.")
    if int(code) != SUCCESS and int(code) not in WARNINGS:
        comment = str(status.get("ErrorComment", "")).strip()
        said = f": {comment}" if comment else ""
        raise ResourceError(f"{node.name}: refuses {what}, status 0x{int(code):04X}{said}.")
