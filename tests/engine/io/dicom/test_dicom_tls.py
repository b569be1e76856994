"""Encrypted connections to nodes: C-ECHO, C-STORE and C-FIND.

Cases, written before the code:

- a trusted node, with all three services and with the command
- a node with an unknown certificate, and a certificate for another name
- TLS to a node without it, and a connection without TLS to a node with it
- a node that requests a certificate: with one, without one and with a wrong one
- files that are missing, empty, not PEM, or have a key with a passphrase
"""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from pynetdicom import AE, AllStoragePresentationContexts, evt
from pynetdicom.sop_class import ModalityWorklistInformationFind, Verification

from engine.cli.exit_codes import USER_FAULT
from engine.cli.main import main
from engine.core.errors import ResourceError, SettingsError
from engine.core.paths import config_dir
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.dicom.network import Node, echo, send
from engine.io.dicom.tls import TlsFiles
from engine.io.dicom.worklist import WorklistQuery, ask_worklist
from engine.results.reports.site import Site
from tests.engine.io.dicom.test_dicom_network import free_port, node
from tests.engine.io.dicom.test_dicom_worklist import answer

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")


def issue(folder: Path, name: str, alternatives: str, *more: str) -> tuple[Path, Path]:
    """Create a self-signed certificate and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [OPENSSL or "", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         *(more or ("-nodes",)), "-days", "30", "-keyout", key, "-out", certificate,
         "-subj", f"/CN={name}", "-addext", f"subjectAltName={alternatives}"],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    issue(folder, "here", "DNS:localhost,IP:127.0.0.1")
    issue(folder, "elsewhere", "DNS:archive.example")
    issue(folder, "secret", "DNS:localhost", "-passout", "pass:isocenter")
    return folder


@contextmanager
def encrypted(keys: Path, name: str = "here", *, clients: str = "") -> Iterator[str]:
    """Run a node with TLS that accepts images and has one order; yield its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / f"{name}.pem", keys / f"{name}.key")
    if clients:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(keys / f"{clients}.pem")

    def find(event: evt.Event) -> Iterator[tuple[int, object]]:
        yield 0xFF00, answer("4711", "A^B", "20261126")
        yield 0x0000, None

    entity = AE(ae_title="ARCHIVE")
    entity.supported_contexts = AllStoragePresentationContexts
    for each in (Verification, ModalityWorklistInformationFind):
        entity.add_supported_context(each)
    handlers = [(evt.EVT_C_STORE, lambda event: 0x0000), (evt.EVT_C_FIND, find)]
    port = free_port()
    server = entity.start_server(
        ("127.0.0.1", port), block=False, evt_handlers=handlers, ssl_context=context
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.shutdown()


def node_at(address: str, keys: Path, *, authority: str = "here", own: str = "") -> Node:
    paths = (
        keys / f"{authority}.pem",
        *((keys / f"{own}.pem", keys / f"{own}.key") if own else ()),
    )
    return Node.at(f"tls://{address}", tls=TlsFiles(*map(str, paths)))


def test_all_services_are_encrypted(keys: Path, tmp_path: Path) -> None:
    grid = ImageGrid((2, 4, 4), (2.0, 2.0, 2.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "counts/mm"), tmp_path / "a.dicom")
    with encrypted(keys) as address:
        target = node_at(address, keys)
        echo(target)
        assert send([tmp_path / "a.dicom"], target, lambda done, of: None) == 2
        assert len(ask_worklist(target, WorklistQuery()).orders) == 1


def test_command_uses_the_certificates_of_the_settings(
    keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = config_dir()
    with encrypted(keys) as address:
        assert main(["dicom", "echo", "--to", address, "--tls"]) == USER_FAULT
        assert "the certificate of this node is not valid here" in capsys.readouterr().err
        Site(tls_authorities=str(keys / "here.pem")).write(folder)
        try:
            assert main(["dicom", "echo", "--to", address, "--tls"]) == 0
            assert main(["dicom", "echo", "--to", f"tls://{address}"]) == 0
        finally:
            (folder / "site.toml").unlink()


@pytest.mark.parametrize(
    ("name", "authority", "reason"),
    [
        ("here", "elsewhere", "certificate of this node is not valid"),
        ("elsewhere", "elsewhere", "not valid"),
    ],
)
def test_untrusted_node_is_refused(keys: Path, name: str, authority: str, reason: str) -> None:
    with encrypted(keys, name) as address, pytest.raises(ResourceError, match=reason) as refused:
        echo(node_at(address, keys, authority=authority))
    assert "add the certificate of its authority" in str(refused.value)


def test_both_sides_must_encrypt(keys: Path) -> None:
    with node(lambda event: 0x0000) as unencrypted:
        address = f"{unencrypted.host}:{unencrypted.port}"
        with pytest.raises(ResourceError, match=r"whether the node offers TLS|no response"):
            echo(node_at(address, keys))
    with (
        encrypted(keys) as address,
        pytest.raises(ResourceError, match="requires an encrypted connection"),
    ):
        echo(Node.at(address))


def test_node_can_request_a_certificate(keys: Path) -> None:
    with encrypted(keys, clients="elsewhere") as address:
        echo(node_at(address, keys, own="elsewhere"))
        for own in ("", "here"):
            with pytest.raises(ResourceError, match=r"requires a certificate|encrypted connection"):
                echo(node_at(address, keys, own=own))


def test_unusable_certificate_files_give_one_sentence(keys: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    (tmp_path / "other.pem").write_text("not a certificate\n")
    here, missing = keys / "here.pem", tmp_path / "missing.pem"
    for files in (
        (missing,),
        (tmp_path / "empty.pem",),
        (tmp_path / "other.pem",),
        (here, missing),
        (here, tmp_path / "other.pem"),
        (here, keys / "here.pem", keys / "elsewhere.key"),
        (here, keys / "secret.pem", keys / "secret.key"),
    ):
        with pytest.raises(SettingsError, match="certificates for TLS cannot be used"):
            TlsFiles(*map(str, files)).context()
