"""Encrypted connections to DICOM nodes (TLS, PS3.15 annex B)."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import EngineError, ResourceError, SettingsError
from engine.io.safety.open_input import open_head, read_text

MAX_TEXT_BYTES = 4_000_000


@dataclass(frozen=True)
class TlsFiles:
    """Files for encrypted connections, in PEM format.

    Attributes
    ----------
    authorities : certificates that sign those of the nodes; "": those of the system
    certificate : own certificate, for nodes that ask for it; "" for none
    key : its key without a passphrase; "" if it is in the file of the certificate
    """

    authorities: str = ""
    certificate: str = ""
    key: str = ""

    def context(self) -> ssl.SSLContext:
        """Return the settings of a connection that checks certificate and name of the node.

        Raises
        ------
        SettingsError
            if a file is missing, or has no certificate or no key
        """
        try:
            authorities = self._text_of_authorities()
            context = ssl.create_default_context(cadata=authorities or None)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            for each in filter(None, (self.certificate, self.key)):
                open_head(Path(each).expanduser())  # a clear message if it cannot be read
            if self.certificate:
                key = str(Path(self.key).expanduser()) if self.key else None
                # A key with a passphrase would wait for input on the terminal.
                context.load_cert_chain(Path(self.certificate).expanduser(), key, password="")
        except EngineError as e:
            raise SettingsError(f"The certificates for TLS cannot be used: {e}") from e
        except (ssl.SSLError, ValueError, OSError) as e:
            raise SettingsError(
                f"The certificates for TLS cannot be used ({_reason(e)}); choose PEM files, and a "
                "key without a passphrase, in the site settings."
            ) from e
        return context

    def _text_of_authorities(self) -> str:
        path = Path(self.authorities).expanduser()
        return read_text(path, MAX_TEXT_BYTES) if self.authorities else ""


def not_encrypted(name: str, e: ssl.SSLError) -> ResourceError:
    """Return the error for a node with which no encrypted connection is possible."""
    if isinstance(e, ssl.SSLCertVerificationError):
        return ResourceError(
            f"{name}: the certificate of this node is not valid here ({e.verify_message}); add the "
            "certificate of its authority in the site settings, and use the name in its "
            "certificate."
        )
    return ResourceError(
        f"{name}: no encrypted connection ({_reason(e)}); check the port, and whether the node "
        "offers TLS."
    )


def _reason(e: Exception) -> str:
    reason = getattr(e, "reason", None)
    return str(reason).replace("_", " ").lower() if reason else str(e)
