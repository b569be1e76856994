"""Run an example with a kernel of a user on any device, also with changed sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.core.backend import Backend
from engine.operators.xray.user_transform import UserTransform

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEMS = tuple(
    path.stem for path in sorted(EXAMPLES.glob("*.py")) if "UserKernel(" in path.read_text("utf-8")
)
"""Examples with kernels of users: a new one is tested like the others, without further code."""

Run = Callable[..., UserTransform]


@pytest.fixture
def run_example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs an example on a device and returns its operator."""

    def run(stem: str, on: Backend, sources: tuple[str, str] | None = None) -> UserTransform:
        monkeypatch.setattr(engine, "best", lambda: on)
        texts = sources or tuple((EXAMPLES / f"{stem}{end}").read_text() for end in (".cu", ".py"))
        for text, end in zip(texts, (".cu", ".py"), strict=True):
            (tmp_path / f"{stem}{end}").write_text(text, "utf-8")
        names: dict[str, Any] = {"__file__": str(tmp_path / f"{stem}.py"), "__name__": stem}
        exec(compile(texts[1], f"{stem}.py", "exec"), names)
        (found,) = (each for each in names.values() if isinstance(each, UserTransform))
        return found

    return run
