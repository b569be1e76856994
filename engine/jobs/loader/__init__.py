"""Foreign files, read in a child process: a crash, a hang, too much memory end in a sentence."""

from engine.jobs.loader.foreign_files import ForeignFiles
from engine.jobs.loader.loader import CallsHere, Loader, for_command

__all__ = ["CallsHere", "ForeignFiles", "Loader", "for_command"]
