"""Options that name a DICOM node."""

from __future__ import annotations

import argparse

from engine.io.dicom.network import CALLING, Node


def add_node(p: argparse.ArgumentParser) -> None:
    """Add where a node listens, and what it is called."""
    p.add_argument("--to", required=True, metavar="HOST:PORT", help="where the node listens")
    p.add_argument("--called", default="ANY-SCP", metavar="TITLE", help="its title")
    p.add_argument(
        "--calling", default=CALLING, metavar="TITLE", help="the title we give ourselves"
    )


def node_of(arguments: argparse.Namespace) -> Node:
    """Return the node that the options name."""
    return Node.at(arguments.to, called=arguments.called, calling=arguments.calling)
