"""Tests of DICOM storage: sending to nodes of pynetdicom, and to storescp of dcmtk if installed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pydicom
import pytest
from pynetdicom import AE, AllStoragePresentationContexts, evt
from pynetdicom.sop_class import Verification

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import DataError, ResourceError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.network import Node, echo, send

GRID = ImageGrid((5, 4, 3), (2.0, 2.0, 2.0))
OUT_OF_RESOURCES = 0xA700


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("series") / "a.dicom"
    values = np.random.default_rng(1).random(GRID.shape).astype(np.float32)
    save(Volume(values, GRID, "counts/mm"), folder)
    return folder


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def node(answer, classes=AllStoragePresentationContexts, title: str = "") -> Iterator[Node]:
    """Run a node that gives this answer to each image."""
    entity = AE(ae_title=title or "ARCHIVE")
    entity.supported_contexts = classes
    entity.add_supported_context(Verification)
    entity.require_called_aet = bool(title)
    handlers = [(evt.EVT_C_STORE, answer), (evt.EVT_C_ECHO, lambda event: 0x0000)]
    port = free_port()
    server = entity.start_server(("127.0.0.1", port), block=False, evt_handlers=handlers)
    try:
        yield Node.at(f"127.0.0.1:{port}", called="ARCHIVE")
    finally:
        server.shutdown()


def test_node_receives_every_slice_unchanged(series):
    received: list[pydicom.Dataset] = []

    def answer(event):
        received.append(event.dataset)
        return 0x0000

    reported: list[tuple[int, int]] = []
    with node(answer) as target:
        echo(target)
        assert send([series], target, lambda done, of: reported.append((done, of))) == 5
    assert reported == [(k, 5) for k in range(1, 6)]
    for file, actual in zip(sorted(series.iterdir()), received, strict=True):
        sent = pydicom.dcmread(file)
        assert actual.SOPInstanceUID == sent.SOPInstanceUID
        assert actual.PixelData == sent.PixelData


def test_refusal_gives_one_sentence_with_the_number_of_stored_images(series):
    answers = iter([0x0000, 0x0000, OUT_OF_RESOURCES])
    with (
        node(lambda event: next(answers)) as target,
        pytest.raises(
            ResourceError,
            match=r"C-STORE 00003\.dcm, file 3 of 5: the request failed with status 0xA700",
        ),
    ):
        send([series], target, lambda done, of: None)
    assert len(list(series.iterdir())) == 5


def test_lost_connection_gives_one_sentence(series):
    def answer(event):
        event.assoc.abort()
        return 0x0000

    with (
        node(answer) as target,
        pytest.raises(
            ResourceError, match=r"C-STORE 00001\.dcm, file 1 of 5: the connection was lost"
        ),
    ):
        send([series], target, lambda done, of: None)


def test_wrong_called_title_is_refused(series, capsys):
    with node(lambda event: 0x0000, title="OTHER") as target:
        to = f"{target.host}:{target.port}"
        assert main(["dicom", "echo", "--to", to, "--called", "WRONG"]) == USER_FAULT
        assert "check the AE titles" in capsys.readouterr().err
        assert main(["dicom", "echo", "--to", to, "--called", "OTHER"]) == 0


def test_node_without_pet_support_is_named(series):
    with (
        node(lambda event: 0x0000, classes=[]) as target,
        pytest.raises(ResourceError, match="does not accept Positron Emission Tomography"),
    ):
        send([series], target, lambda done, of: None)


def test_unreachable_node_gives_one_sentence(series):
    with pytest.raises(ResourceError, match=r"no response \(.*\); check the host, the port"):
        echo(Node.at(f"127.0.0.1:{free_port()}"))


@pytest.mark.parametrize("address", ["archive", "archive:", ":104", "archive:99999", "a:b"])
def test_invalid_address_is_refused(address):
    with pytest.raises(DataError, match="write host:port"):
        Node.at(address)


@pytest.mark.parametrize("title", ["", " ", "x" * 17, "a\\b", "ä"])
def test_invalid_title_is_refused(title):
    with pytest.raises(DataError, match="not a valid AE title"):
        Node.at("archive:104", called=title)


def test_images_of_two_patients_are_not_sent_together(series, tmp_path):
    save(Volume(np.ones(GRID.shape, np.float32), GRID, "HU"), tmp_path / "b.dicom")
    with pytest.raises(DataError, match="to 2 patients"):
        send([series, tmp_path / "b.dicom"], Node.at("127.0.0.1:1"), lambda done, of: None)


STORESCP = shutil.which("storescp")


@pytest.mark.skipif(STORESCP is None, reason="storescp of dcmtk is not installed")
def test_storescp_receives_a_series(series, tmp_path, capsys):
    port = free_port()
    command = [STORESCP or "", "--output-directory", str(tmp_path), str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if main(["dicom", "echo", "--to", f"127.0.0.1:{port}"]) == 0:
                break
            time.sleep(0.05)
        assert main(["dicom", "send", str(series), "--to", f"127.0.0.1:{port}"]) == 0
    finally:
        server.kill()
        server.wait()
    assert "received 5 files" in capsys.readouterr().out
    sent = {pydicom.dcmread(file).SOPInstanceUID for file in series.iterdir()}
    received = {pydicom.dcmread(file).SOPInstanceUID for file in tmp_path.iterdir()}
    assert received == sent
