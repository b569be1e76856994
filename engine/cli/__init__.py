"""Command line `isocenter VERB ...`: everything the window reconstructs, without a window."""

from engine.cli.main import main

__all__ = ["main"]
