"""Identity and file name of a response matrix, without importing its kernels."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from engine.core.json_types import Plain
from engine.core.settings import Settings
from engine.geometry.dual_head import DualHead
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse

VERSION = 4
"""Version of the computation; increase it when the result changes."""


def plan_of(scanner: DualHead, settings: Settings) -> Plain:
    """Return everything that determines a matrix, as JSON values; the scanner's name does not.

    Parameters
    ----------
    scanner
        panels with their image
    settings
        settings of the computation
    """
    return {
        "version": VERSION,
        "scanner": scanner.settings.model_dump(mode="json", exclude={"source", "name"}),
        "response": settings.model_dump(mode="json"),
    }


def path_of(folder: Path, scanner: DualHead, settings: AnalyticResponse) -> Path:
    """Return the path of a cached matrix.

    Parameters
    ----------
    folder
        folder of the cache
    scanner
        panels with their image
    settings
        settings of the computation
    """
    plan = plan_of(scanner, settings)
    # An empty name keeps digests of earlier versions valid.
    plan["scanner"]["name"] = ""
    digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
    return folder / f"{digest[:32]}.h5"
