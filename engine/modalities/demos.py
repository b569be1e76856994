"""The demos: one simulated scan for each modality, made on this machine on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.modalities import MODALITIES
from engine.modalities.demo import Demo


class _Demos(Mapping[str, Demo]):
    """The demos of all kinds of scans; a demo is loaded when it is first used."""

    def __getitem__(self, key: str) -> Demo:
        found = MODALITIES.of(key)
        if found is None:
            raise KeyError(key)
        return found.demo

    def __iter__(self) -> Iterator[str]:
        return iter(MODALITIES.keys)

    def __len__(self) -> int:
        return len(MODALITIES)


DEMOS: Mapping[str, Demo] = _Demos()
"""By key; the first one is shown to who asks for none."""


def demo_folder() -> Path:
    """Return the folder of the demos among the user's caches; made if absent."""
    from engine.core.paths import cache_dir, made

    return made(cache_dir() / "demo")


__all__ = ["DEMOS", "Demo", "demo_folder"]
