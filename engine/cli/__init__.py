"""`isocenter VERB ...`: the headless twin of the window."""

from engine.cli.main import main

__all__ = ["main"]
