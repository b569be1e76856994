"""Whether a card computes right: known answers of every family of kernels, kept as a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.faces import face

if TYPE_CHECKING:
    from engine.selftest.choosing import best as best
    from engine.selftest.choosing import named as named

if not TYPE_CHECKING:  # a checker reads the imports above, and knows no other name
    __getattr__, __dir__ = face(__name__, {"engine.selftest.choosing": ("best", "named")})
