"""`isocenter live`: scans while they are measured; each verb of it is a file beside this one."""

from __future__ import annotations

from engine.cli import live_reconstruct, live_send, live_watch
from engine.cli.console import Verbs

LIVE_VERBS = (live_watch, live_reconstruct, live_send)


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file, with those under it."""
    p = verbs.add_parser("live", help="follow a scan while it is measured, or play one")
    live = p.add_subparsers(dest="live_verb", metavar="VERB", required=True)
    for module in LIVE_VERBS:
        module.add_verbs(live)
