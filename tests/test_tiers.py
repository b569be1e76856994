"""The list of the long tier names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tiers import listed

ROOT = Path(__file__).resolve().parent.parent


def test_each_listed_test_exists_and_is_over_the_limit() -> None:
    for name, seconds in listed().items():
        path, *_, function = name.split("[")[0].split("::")
        assert re.search(rf"def {function}\(", (ROOT / path).read_text("utf-8")), name
        assert seconds > 0
