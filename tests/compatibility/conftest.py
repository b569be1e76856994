"""Fixture of the files of 5a791f8c, unpacked for each module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.core import paths
from tests.compatibility.written_files import WrittenFiles


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WrittenFiles]:
    """Yield the files, as the home and the working folder of a user."""
    found = WrittenFiles.unpack(tmp_path_factory.mktemp("written"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.HOME_VARIABLE, str(found.home))
        patch.chdir(found.work)
        yield found
