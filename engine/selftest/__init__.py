"""Self-test of a GPU: reference answers of every kernel family, with a stored verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.selftest.device_choice import best as best
    from engine.selftest.device_choice import named as named

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(__name__, {"device_choice": ("best", "named")})
