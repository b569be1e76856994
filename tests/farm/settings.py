"""Damage settings files: the window must open with any content.

`python -m tests.farm.settings --files 200` opens a window with each file.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.core.paths import HOME_VARIABLE

INI = """[General]
theme=light
device=cpu
recent=/scans/a.l, /scans/b.h5
folder=/scans
speed_ratio_cpu=1.25
geometry=@ByteArray(\\x1\\xd9\\xd0\\xcb\\0\\x3\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x5\\x9f\\0\\0\\x3\\x83)

[speeds]
ct-cpu=0.8
"""
PYTHON_OBJECT = "@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\xePyObject\\0)"
VALUES = (
    *("", "abc", "nan", "inf", "-1", "1e999", "0", '"', "\\x", "\\xd800", "%00", "true"),
    *("@Invalid()", "@ByteArray(", "@ByteArray(\\0\\0)", PYTHON_OBJECT, "@Size(1 2)"),
    *("@Point(9 9)", "@Rect(0 0 99999999 99999999)", "a, b, c", ", ".join("x" * 99)),
    *("/" + "n" * 5000, "../" * 500, "ä" * 300, "line \\n line", "[section]", "x" * 100_000),
    *("\x0c", "\u2028"),
)


def mutated(n: int, seed: int = 1) -> Iterator[bytes]:
    """Yield `n` contents of a settings file, each damaged in one way."""
    rng = np.random.default_rng(seed)
    ways = (_another_value, _flipped_bits, _cut, _without_or_twice, _noise)
    for i in range(n):
        yield ways[i % len(ways)](rng)


def _another_value(rng: np.random.Generator) -> bytes:
    lines = INI.splitlines()
    keys = [i for i, line in enumerate(lines) if "=" in line]
    i = int(rng.choice(keys))
    lines[i] = f"{lines[i].partition('=')[0]}={VALUES[int(rng.integers(len(VALUES)))]}"
    return "\n".join(lines).encode(errors="surrogatepass")


def _flipped_bits(rng: np.random.Generator) -> bytes:
    content = bytearray(INI.encode())
    for place in rng.integers(len(content), size=int(rng.integers(1, 6))):
        content[int(place)] ^= 1 << int(rng.integers(8))
    return bytes(content)


def _cut(rng: np.random.Generator) -> bytes:
    return INI.encode()[: int(rng.integers(len(INI)))]


def _without_or_twice(rng: np.random.Generator) -> bytes:
    lines = INI.splitlines()
    chosen = rng.choice(len(lines), size=len(lines))
    return "\n".join(lines[int(i)] for i in chosen).encode()


def _noise(rng: np.random.Generator) -> bytes:
    content = bytearray(INI.encode())
    start = int(rng.integers(len(content)))
    content[start : start + 20] = rng.bytes(int(rng.integers(200)))
    return bytes(content)


def _windows(n: int, seed: int) -> list[str]:
    """Open a window with each file; return the faults."""
    from PySide6.QtCore import QEvent

    from app.shell.application import make_app, make_window
    from app.state.models.preferences import Preferences

    app, faults = make_app(), []
    with tempfile.TemporaryDirectory() as name:
        os.environ[HOME_VARIABLE] = name
        for i, content in enumerate(mutated(n, seed)):
            folder = Path(name) / f"settings-{i}"
            folder.mkdir()
            (folder / "window.ini").write_bytes(content)
            try:
                window = make_window(app, Preferences(folder))
                window.show()
                app.processEvents()
                if not window.isVisible():
                    faults.append(f"file {i}: no window")
                window.close()
                window.commands.wait()
                window.deleteLater()
                app.sendPostedEvents(window, QEvent.Type.DeferredDelete)
            except Exception as e:  # noqa: BLE001  any exception while a window opens is a fault
                faults.append(f"file {i}: {type(e).__name__}: {e}")
    return faults


def main() -> int:
    """Run from the command line; return 1 if a window did not open."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    started, arguments = time.monotonic(), parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    faults = _windows(arguments.files, arguments.seed)
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    sys.stdout.write(
        f"{arguments.files} files, {arguments.files - len(faults)} windows, "
        f"{time.monotonic() - started:.0f} s\n"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
