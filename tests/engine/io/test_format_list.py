"""Tests of the format tables: they agree with the classes, and a file loads only its own reader."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.data.listmode import ListMode
from engine.io import READERS, WRITERS, write_listmode
from engine.io.format_list import Entry

ENTRIES = (*READERS.entries, *WRITERS.entries)
OTHERS = ("engine.io.dicom.reader", "engine.io.siemens.", "engine.io.xray.", "engine.io.gate.")
LIGHT = ("engine.io.xray.readers",)
OPEN = """
import sys
from engine.io.formats import LISTMODE_READERS
from engine.io.safety.open_input import open_input
from pathlib import Path

with open_input(Path(sys.argv[1])) as file:
    print(LISTMODE_READERS.accepting(file).name)
print("\\n".join(sys.modules))
"""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.place)
def test_entry_states_the_facts_of_its_class(entry: Entry) -> None:
    found = entry.format
    assert (entry.name, entry.suffixes) == (found.name, tuple(found.suffixes))
    assert entry.companions == tuple(found.companions)


def test_entry_with_only_a_class_reads_its_facts() -> None:
    entry = Entry("engine.io.volumes.nrrd_volume.NrrdWriter")
    assert (entry.name, entry.suffixes) == ("NRRD volume", (".nrrd",))
    assert entry.ends(Path("A.NRRD"))


def test_removing_formats_preserves_the_order() -> None:
    rest = READERS.without(WRITERS)
    assert list(rest) == list(READERS)
    assert len(READERS.without(READERS)) == 0


def test_hdf5_list_mode_loads_no_other_reader(tmp_path: Path, scan: ListMode) -> None:
    path = tmp_path / "scan.h5"
    write_listmode(scan, path)
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)], capture_output=True, text=True, check=True
    )
    name, *modules = done.stdout.splitlines()
    assert name == "Isocenter list mode"
    loaded = [each for each in modules if each.startswith(OTHERS) and each not in LIGHT]
    assert not loaded
