"""The response matrix as an auxiliary file of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.data.input_role import InputRole

if TYPE_CHECKING:
    from engine.io.safety.open_input import InputFile


def _read(path: Path, scanner: Any) -> Any:
    from engine.data.histogram import one_layer
    from engine.geometry.dual_head import DualHead
    from engine.io.hdf5.response import read_response, read_response_scanner

    panels = scanner if isinstance(scanner, DualHead) else None
    if panels is not None and read_response_scanner(path).settings.n_layers == 1:
        panels = one_layer(panels)  # whose layers are then counted together
    return read_response(path, panels, any_image=True)


def _describe(response: Any) -> str:
    return f"{response.n_nonzero:,} values, for an image of {response.scanner.grid.describe()}"


def _accepts(file: InputFile) -> bool:
    from engine.io.hdf5.response import is_response

    return is_response(file)


RESPONSE = InputRole(
    key="response",
    title="Response",
    text="Response matrix of a dual-head scanner",
    without="Response matrix from another program. Without it, the matrix is computed "
    "once and stored.",
    suffixes=(".h5", ".hdf5"),
    read=_read,
    describe=_describe,
    accepts=_accepts,
    summary=lambda response: response.scanner,
    of_scanner=True,
)
