"""Extract raw data from DICOM: a text header and its data.

The data are copied byte by byte. The header is copied with the new name of the data file. Patient
attributes are emptied, unless the caller asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import FileFormatError, OutputError
from engine.io.safety.atomic_write import write_with_header
from engine.io.safety.open_input import InputFile, open_input
from engine.io.siemens.raw import LIST_MODE, NORMALISATION, SINOGRAM, opened_behind
from engine.io.siemens.raw_dicom import refuse_other_length

ENDINGS = {LIST_MODE: ".l.hdr", SINOGRAM: ".s.hdr", NORMALISATION: ".n.hdr"}
HEADER = ".hdr"
AT_ONCE = 16 * 2**20
NEEDED = ("orientation", "rotation", "sex", "weight", "height", "scan orientation")
"""Patient attributes in a header that a reconstruction needs."""
DATA_NAME = re.compile(r"(?im)^(\s*!?name of data file\s*:=).*$")
NORM_NAME = re.compile(r"(?im)^(\s*%data set\s*\[1\]\s*:=\s*\{\s*0\s*,\s*,)[^}]*\}")
PERSON = re.compile(r"(?im)^(\s*[!%]*patient\s+(?P<what>[^:\r\n]*?)\s*:=).*$")


def written_with(output: Path) -> tuple[Path, ...]:
    """Return the files that are written for the path of a header: data and header."""
    if not output.name.lower().endswith(HEADER):
        return (output,)
    return output.with_name(output.name[: -len(HEADER)]), output


def extract(path: Path, output: Path, *, identify: bool = False) -> int:
    """Extract header and data from a raw file; return the size of the data in bytes.

    Parameters
    ----------
    path
        the raw file, or its data (.bf)
    output
        path of the header: .l.hdr for list mode, .s.hdr for a sinogram, .n.hdr for a
        normalisation; the data are written next to it
    identify
        True: copy the patient's name and other personal attributes into the header

    Raises
    ------
    OutputError
        if the name has another ending than this kind of data
    FileFormatError
        if the file is not raw data or is incomplete
    """
    with open_input(path) as file, opened_behind(file) as (raw, stated, data):
        ending = ENDINGS[raw.kind]
        if not output.name.lower().endswith(ending):
            raise OutputError(
                f"{output.name}: the output for {file.name} must have a name that ends with "
                f"{ending}."
            )
        refuse_other_length(raw, stated)
        target = written_with(output)[0]
        text = _renamed(raw.text, target.name, file.name)
        header = _lines(text if identify else _without_person(text)).encode()

        # Both files appear together, so a header is never next to the data of another scan.
        write_with_header(target, lambda: _pieces(data), data.size, output, header)
        return data.size


def _pieces(data: InputFile) -> Iterator[bytes]:
    for start in range(0, data.size, AT_ONCE):
        yield data.read(AT_ONCE, start)


def _renamed(text: str, name: str, where: str) -> str:
    if not DATA_NAME.search(text):
        raise FileFormatError(
            f"{where}: its header does not name a data file; copy the file from the scanner again."
        )
    text = DATA_NAME.sub(lambda line: f"{line[1]}{name}", text)
    # Headers of a normalisation name the data file a second time.
    return NORM_NAME.sub(lambda line: f"{line[1]}{name}}}", text)


def _without_person(text: str) -> str:
    # Keep the key without its value, so that the header keeps its structure.
    return PERSON.sub(lambda line: line[0] if line["what"].lower() in NEEDED else line[1], text)


def _lines(text: str) -> str:
    """Return a text with CRLF line ends; some scanners write two CR before an LF."""
    return "".join(f"{line}\r\n" for line in re.split(r"\r*\n", text.rstrip("\r\n")))
