"""Settings of the site: name and logo on reports, readers, protocols, and DICOM nodes.

They are stored in `site.toml` next to the other settings, for command line and window.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from engine.core.errors import EngineError, SettingsError
from engine.core.paths import config_dir, made
from engine.core.settings import Settings, parse, setting, to_toml
from engine.io.dicom.tls import TlsFiles
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import read_toml
from engine.results.reports.logo import MAX_LOGO_BYTES, refuse_bad_logo

FILE = "site.toml"


class Site(Settings):
    """Settings of the site; every field is optional."""

    name: str = setting("", "Site name at the top of each report", label="Site",
                        max_length=120)  # fmt: skip
    address: str = setting("", "Address line below the site name", label="Address", max_length=200)
    logo: str = setting(
        "", "Logo next to the site name (PNG or JPEG)", label="Logo", max_length=4000
    )
    people: tuple[str, ...] = setting(
        (),
        "People who can sign reports; if empty, the login name is used",
        label="People",
        max_length=60,
    )
    protocols: str = setting(
        "", "Folder with shared protocols; the program never writes to it",
        label="Shared protocols", max_length=4000,
    )  # fmt: skip
    reports: str = setting(
        "", "Folder for reports; if empty, the export folder is used", label="Reports",
        max_length=4000,
    )  # fmt: skip
    node: str = setting(
        "",
        "DICOM node that receives the reports, as HOST:PORT or tls://HOST:PORT",
        label="DICOM node",
        max_length=300,
    )
    called: str = setting(
        "ANY-SCP", "AE title of the DICOM node", label="AE title of the node", max_length=16
    )
    archive_signed: bool = setting(
        False,
        "Send image and report to the DICOM node after each sign-off, with 10 s to recall them",
        label="Send after sign-off",
    )
    worklist: str = setting(
        "", "DICOM worklist node, as HOST:PORT or tls://HOST:PORT", label="Worklist",
        max_length=300,
    )  # fmt: skip
    worklist_called: str = setting(
        "ANY-SCP",
        "AE title of the DICOM worklist node",
        label="AE title of the worklist",
        max_length=16,
    )
    tls_authorities: str = setting(
        "", "CA certificates for DICOM nodes (PEM); if empty, the system certificates are used",
        label="TLS authorities", max_length=4000,
    )  # fmt: skip
    tls_certificate: str = setting(
        "",
        "Certificate that identifies this computer to DICOM nodes (PEM)",
        label="TLS certificate",
        max_length=4000,
    )
    tls_key: str = setting(
        "", "Private key for the certificate of this computer (PEM), without a passphrase",
        label="TLS key", max_length=4000,
    )  # fmt: skip

    @classmethod
    def read(cls, folder: Path | None = None) -> Self:
        """Return the settings stored in a folder.

        Parameters
        ----------
        folder
            folder of `site.toml`; None: the user's settings. Without a file the defaults are used

        Raises
        ------
        SettingsError
            if the file has an invalid value
        """
        path = (folder or config_dir()) / FILE
        return parse(cls, read_toml(path), where=path.name) if path.exists() else cls()

    def write(self, folder: Path) -> None:
        """Store the settings in a folder, which is created if missing."""
        from engine.io.safety.atomic_write import write_atomically

        made(folder)
        # The file names people and nodes, so only its owner may read it.
        write_atomically(to_toml(self).encode(), folder / FILE, private=True)

    @property
    def protocol_folder(self) -> Path | None:
        """Folder of shared protocols; None if there is none."""
        return Path(self.protocols).expanduser() if self.protocols else None

    @property
    def tls(self) -> TlsFiles:
        """Files for encrypted connections to DICOM nodes."""
        return TlsFiles(self.tls_authorities, self.tls_certificate, self.tls_key)

    def logo_bytes(self) -> bytes:
        """Return the content of the logo file; empty if there is no logo.

        Raises
        ------
        SettingsError
            if the file cannot be read, is damaged, has too many bytes or pixels, or is neither PNG
            nor JPEG
        """
        if not self.logo:
            return b""
        path = Path(self.logo).expanduser()
        try:
            with open_input(path) as file:
                # One byte more than allowed shows that a file is too large, without reading all of
                # it.
                data = file.read(MAX_LOGO_BYTES + 1)
        except EngineError as e:
            raise SettingsError(f"The site logo cannot be used. {e}") from e
        refuse_bad_logo(data, path.name)
        return data
