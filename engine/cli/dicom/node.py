"""Options that name a DICOM node."""

from __future__ import annotations

import argparse

from engine.io.dicom.network import CALLING, Node


def add_node(p: argparse.ArgumentParser) -> None:
    """Add the address and the AE titles."""
    p.add_argument("--to", required=True, metavar="HOST:PORT", help="address of the node")
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
    """Return the node of the options."""
    return Node.at(arguments.to, called=arguments.called, calling=arguments.calling)
