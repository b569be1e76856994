"""The demos: one simulated scan for each modality, made on this machine on first use."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.modalities import MODALITIES

if TYPE_CHECKING:
    from engine.modalities.demo import Demo


class _Demos(MutableMapping[str, "Demo"]):
    """The demos of all modalities, each loaded on first use. A demo can be replaced."""

    def __init__(self) -> None:
        self._replaced: dict[str, Demo] = {}

    def __getitem__(self, key: str) -> Demo:
        if key in self._replaced:
            return self._replaced[key]
        found = MODALITIES.of(key)
        if found is None:
            raise KeyError(key)
        return found.demo

    def __setitem__(self, key: str, demo: Demo) -> None:
        if MODALITIES.of(key) is None:
            raise KeyError(key)
        # Tests replace a demo by a smaller one of the same key.
        self._replaced[key] = demo

    def __delitem__(self, key: str) -> None:
        """Restore the demo of the modality."""
        del self._replaced[key]

    def __iter__(self) -> Iterator[str]:
        return iter(MODALITIES.keys)

    def __len__(self) -> int:
        return len(MODALITIES)


DEMOS: MutableMapping[str, Demo] = _Demos()
"""Demos by key; the first one is the default."""


def demo_folder() -> Path:
    """Return the folder of the demos in the user's cache; created if missing."""
    from engine.core.paths import cache_dir, made

    return made(cache_dir() / "demo")
