"""Formats that are known by their content and not read, with what to do about each."""

from engine.io.recogniser.known_format import KnownFormat
from engine.io.recogniser.recognising import recognised

__all__ = ["KnownFormat", "recognised"]
