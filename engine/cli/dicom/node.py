"""Options that name a DICOM node."""

from __future__ import annotations

import argparse

from engine.io.dicom.network import CALLING, ENCRYPTED, Node
from engine.results.reports import Site


def add_node(p: argparse.ArgumentParser) -> None:
    """Add the options for the address and the AE titles of a node.

    Parameters
    ----------
    p
        parser of an action that contacts a node
    """
    p.add_argument(
        "--to", required=True, metavar="HOST:PORT", help="address of the node, or tls://HOST:PORT"
    )
    p.add_argument(
        "--tls",
        action="store_true",
        help="encrypt the connection, with the certificates in the site settings",
    )
    # Many nodes accept any called title; strict ones require their own (PS3.8, section 9.3.2)
    p.add_argument(
        "--called",
        default="ANY-SCP",
        metavar="TITLE",
        help="AE title of the node (default: %(default)s)",
    )
    p.add_argument(
        "--calling", default=CALLING, metavar="TITLE", help="own AE title (default: %(default)s)"
    )


def node_of(arguments: argparse.Namespace) -> Node:
    """Return the node that the options describe.

    Parameters
    ----------
    arguments
        parsed options of `add_node`

    Raises
    ------
    SettingsError
        if the address or a title is not valid
    """
    address = arguments.to
    if arguments.tls and not address.startswith(ENCRYPTED):
        address = ENCRYPTED + address
    # The settings are read only if they are needed: a damaged file must not prevent an echo
    files = Site.read().tls if address.startswith(ENCRYPTED) else None
    return Node.at(address, called=arguments.called, calling=arguments.calling, tls=files)
