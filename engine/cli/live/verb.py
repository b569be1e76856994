"""`isocenter live`: its verbs are `reconstruct`, `watch`, `send`, `recordings` and `key`."""

from __future__ import annotations

from engine.cli.live import key as live_key
from engine.cli.live import reconstruct as live_reconstruct
from engine.cli.live import recordings as live_recordings
from engine.cli.live import send as live_send
from engine.cli.live import watch as live_watch
from engine.cli.verbs import Verbs, add_verb

LIVE_VERBS = (live_watch, live_reconstruct, live_send, live_recordings, live_key)


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter live` and its verbs.

    Parameters
    ----------
    verbs
        subparsers of `isocenter`
    """
    p = add_verb(verbs, "live")
    live = p.add_subparsers(dest="live_verb", metavar="VERB", required=True)
    for module in LIVE_VERBS:
        module.add_verbs(live)
