"""Read Interfile headers: lines of `key := value`, and the name of an adjacent data file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.patient_position import STATED_AXES
from engine.io.safety.open_input import InputFile
from engine.io.text.header_values import HeaderValues
from engine.io.volumes.straight_axes import NO_SIDES

MAX_HEADER_BYTES = 1_000_000
NUMBERS = {
    **{("float", n): f"f{n}" for n in (4, 8)},
    **{("signed integer", n): f"i{n}" for n in (1, 2, 4)},
    **{("unsigned integer", n): f"u{n}" for n in (1, 2, 4)},
}
FLOATS = ("short float", "long float")
ORDERS = {"littleendian": "<", "bigendian": ">"}
DEFAULT_ORDER = "bigendian"
"""Default of Interfile 3.3 and of STIR (InterfileHeader.cxx), also for Siemens headers."""
DIGEST = "; sha256 of the bins"
"""Comment in our headers: checksum of the data that they were written with."""
SOURCE = "; source of the bins"
"""Comment in our headers: origin of the counts if it was not a scanner."""
FEETWARDS = "LPI"
SIDES_OF = {"HFS": FEETWARDS, "HFP": "RAI", "FFS": "RPS", "FFP": "LAS"}
"""Patient position -> sides to which x, y and z of STIR and Siemens point. Positions other than HFS
follow from turns about the bed axis or the vertical axis.
"""
ENTERED = {"head_in": "HF", "feet_in": "FF"}
LYING = {"supine": "S", "prone": "P"}


@dataclass(frozen=True)
class InterfileHeader(HeaderValues):
    """An Interfile header; keys are in lower case, single-spaced, without `!` and `%`."""

    def of_axis(self, key: str, axis: int) -> str | None:
        """Return the value of a key for one axis, written `key [1]` or `key[1]`."""
        return self.text(*keys_of(key, axis))

    @property
    def number_type(self) -> str:
        """NumPy type of the numbers, with byte order."""
        # "short float" is float32 and "long float" float64 in Interfile 3.3; STIR writes "float".
        name = (self.text("number format") or "").lower()
        kind = ("float" if name in FLOATS else name, self.whole("number of bytes per pixel"))
        order = (self._byte_order or DEFAULT_ORDER).lower()
        if kind not in NUMBERS or order not in ORDERS:
            raise FileFormatError(
                f"{self.path.name}: the number format is {name!r} ({kind[1]} bytes, {order!r}), "
                "expected float or (un)signed integer, little- or big-endian; correct the header."
            )
        return ORDERS[order] + NUMBERS[kind]

    @property
    def _byte_order(self) -> str | None:
        return self.text("imagedata byte order") or self.text("image data byte order")

    def order_note(self) -> tuple[str, ...]:
        """Return a note if the byte order is not stated although the values need one."""
        one_byte = self.whole("number of bytes per pixel") == 1
        if self._byte_order is not None or one_byte:
            return ()
        return (
            f"{self.path.name}: 'imagedata byte order' is missing; big-endian is used, the default "
            "of Interfile and STIR.",
        )

    @property
    def position(self) -> str:
        """Patient position such as "HFS"; "" if not stated."""
        # Siemens writes "HFS" in one key, Interfile uses two: head_in or feet_in, and supine or
        # prone.
        entered = (self.text("patient orientation") or "").upper()
        if entered in ("HFS", "HFP", "FFS", "FFP"):
            return entered
        lying = (self.text("patient rotation") or "").lower()
        return ENTERED.get(entered.lower(), "") + LYING.get(lying, "")

    @property
    def axes(self) -> str:
        """Patient sides to which x, y and z of the scanner point; "" if not stated.

        In STIR and Siemens, seen from the front of the scanner, x points right, y down and z out
        along the
        bed: left, posterior and feet of a patient in HFS. For any other position the coordinates
        are those
        of the scanner ("xyz"), and `stated_axes` gives the sides.
        """
        if len(self.position) < 3:
            return ""
        return FEETWARDS if self.position == "HFS" else NO_SIDES

    @property
    def stated_axes(self) -> str:
        """Patient sides to which the scanner axes point, from the patient position; or ""."""
        return SIDES_OF.get(self.position, "")

    @property
    def axes_facts(self) -> Plain:
        """Axes stated in the header, as facts of a scan or an image."""
        if not self.axes:
            return {}
        stated = {STATED_AXES: self.stated_axes} if self.axes == NO_SIDES else {}
        return {"axes": self.axes, **stated}

    @property
    def data_file(self) -> Path:
        """Data file, in the folder of the header."""
        name = self.text("name of data file")
        if name is None:
            raise FileFormatError(
                f"{self.path.name}: does not name a data file; add the line `name of data file := "
                "FILE`."
            )
        # Headers from other computers often contain absolute paths. They must not select files
        # here.
        if name in (".", "..") or any(sign in name for sign in "/\\:\0"):
            raise FileFormatError(
                f"{self.path.name}: names the data file {name!r}, but, for safety, only files in "
                "the header's folder are opened; move it there and correct the name."
            )
        return self.path.parent / name


def keys_of(key: str, axis: int) -> tuple[str, str]:
    """Return the two spellings of a key for one axis."""
    return f"{key} [{axis}]", f"{key}[{axis}]"


def position_lines(sides: str) -> tuple[str, ...]:
    """Return header lines for the patient position whose scanner axes point to `sides`.

    Parameters
    ----------
    sides
        three letters for x, y and z, such as "LPI"

    Returns
    -------
    lines
        empty if no position has these sides
    """
    position = next((key for key, each in SIDES_OF.items() if each == sides), "")
    if not position:
        return ()
    entered = next(word for word, code in ENTERED.items() if code == position[:2])
    lying = next(word for word, code in LYING.items() if code == position[2:])
    return f"patient orientation := {entered}", f"patient rotation := {lying}"


def is_interfile(head: bytes) -> bool:
    """Return True if a file begins like an Interfile header."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"!INTERFILE")


def is_spect(head: bytes) -> bool:
    """Return True for a header of SPECT projections, as STIR writes them."""
    # Programs differ in spaces and in the marks "!" and "%", so these are removed first.
    stated = head.lower().translate(None, b" \t!%")
    is_nuclear = b"modality:=nucmed" in stated or b"modality:=nm" in stated
    return b"spectstudy(" in stated or (is_nuclear and b"numberofprojections" in stated)


def no_numbers(header: InterfileHeader, n: int) -> str:
    """Return the message for `n` NaN or infinite bins, which can mean a wrong byte order."""
    remedy = "Write the file again."
    if header.order_note():
        remedy = (
            "The header states no byte order, so it is read as big-endian. Add `imagedata byte "
            "order := LITTLEENDIAN` if needed."
        )
    return f"{header.path.name}: some bins are not numbers (number: {n:,}). {remedy}"


def refuse_others_data(header: InterfileHeader, data: InputFile) -> None:
    """Refuse data that do not belong to one of our headers.

    Parameters
    ----------
    header
        header; headers of other programs have no checksum
    data
        open data file

    Raises
    ------
    FileFormatError
        if the checksum differs
    """
    stated = header.text(DIGEST)
    if stated is not None and stated != data.sha256():
        raise FileFormatError(
            f"{header.path.name}: the data file {data.name} does not match the checksum in this "
            "header; copy both files again."
        )


def read_header(file: InputFile) -> InterfileHeader:
    """Read an Interfile header.

    Raises
    ------
    FileFormatError
        if the file is too large for a header or contains null bytes
    """
    # The user may have opened the data file, which has no header of its own.
    data = file.read() if file.size <= MAX_HEADER_BYTES else b"\0"
    if b"\0" in data:
        raise FileFormatError(
            f"{file.name}: not an Interfile header; if this is the data file, open its header."
        )
    return header_in(data.decode("utf-8", errors="replace"), file.path)


def header_in(text: str, path: Path) -> InterfileHeader:
    """Parse the text of a header.

    Parameters
    ----------
    text
        content of the file
    path
        path of the file, for messages and to find the data
    """
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, assigned, value = line.partition(":=")
        if assigned:
            name = " ".join(key.strip().lstrip("!%").lower().split())
            # The first value counts: CASToR appends a copy of the scan header with the same keys.
            values.setdefault(name, value.strip())
    return InterfileHeader(path, values)
