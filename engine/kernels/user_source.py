"""CUDA texts of users: read at each use, with helpers and constants in front."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from engine.core.errors import SettingsError
from engine.kernels.source import FOLDER

OPTIONS = ("-std=c++17",)
"""Compiler options of user kernels."""
MAX_BYTES = 1 << 20
"""Maximum size of a text."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def text_of(source: str | Path) -> str:
    """Return a CUDA text; a file is read at each call, so that edits take effect.

    Parameters
    ----------
    source
        the text, or the path of its file

    Raises
    ------
    SettingsError
        if the file cannot be read
    """
    if isinstance(source, str):
        return source
    try:
        if source.stat().st_size > MAX_BYTES:
            raise SettingsError(f"{source}: the file is larger than 1 MiB; give a CUDA text.")
        return source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise SettingsError(f"{source}: the CUDA text cannot be read ({e}); check the path.") from e


def complete(source: str | Path, constants: Mapping[str, int | float]) -> str:
    """Return a text with constants and helpers in front.

    Parameters
    ----------
    source
        the text, or the path of its file
    constants
        values that the text uses by their names

    Raises
    ------
    SettingsError
        if a constant is not a number with a name of C++
    """
    lines = "".join(_declared(name, value) for name, value in constants.items())
    place = "kernel.cu" if isinstance(source, str) else source.name
    # Compiler errors then name the line in the user's text.
    return f'{_helpers()}{lines}#line 1 "{place}"\n{text_of(source)}'


def n_arguments(text: str, name: str) -> int | None:
    """Return the number of arguments of a kernel; None if the text does not contain it.

    Parameters
    ----------
    text
        CUDA text
    name
        name of the kernel
    """
    plain = _COMMENT.sub(" ", text)
    kernel = rf'extern\s+"C"\s+__global__[^;{{]*?\b{re.escape(name)}\s*\(([^)]*)\)\s*\{{'
    found = re.search(kernel, plain)
    return None if found is None else found[1].count(",") + 1


def _declared(name: str, value: float) -> str:
    if not _NAME.fullmatch(name) or isinstance(value, bool):
        raise SettingsError(
            f"the constant {name!r} of a kernel is {value!r}; use a name of C++ and a number."
        )
    if isinstance(value, int):
        return f"constexpr int {name} = {value};\n"
    # Hexadecimal floats preserve the bits.
    return f"constexpr float {name} = {float(value).hex()}f;\n"


@cache
def _helpers() -> str:
    return (FOLDER / "user_kernel.cu").read_text(encoding="utf-8")
