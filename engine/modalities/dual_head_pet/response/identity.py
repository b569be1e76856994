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
"""Raise it when the computation changes."""


def plan_of(scanner: DualHead, settings: Settings) -> Plain:
    """Return all that fixes a matrix; what its scanner is called does not."""
    return {
        "version": VERSION,
        "scanner": scanner.settings.model_dump(mode="json", exclude={"source", "name"}),
        "response": settings.model_dump(mode="json"),
    }


def path_of(folder: Path, scanner: DualHead, settings: AnalyticResponse) -> Path:
    """Return where the matrix of a scanner, its image and these settings is kept."""
    plan = plan_of(scanner, settings)
    plan["scanner"]["name"] = ""
    digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
    return folder / f"{digest[:32]}.h5"
