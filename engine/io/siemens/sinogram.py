"""Read sinograms of Siemens PET scanners (mMR, mCT): a header (.s.hdr) and its bins (.s).

A file can contain several sinograms one after the other, such as prompts and randoms (delayed
coincidences), each from its `data offset in bytes`. TOF is the slowest index. TOF bins divide the
window of the scanner equally; their direction is not stated. Randoms are equal in all TOF bins, so
those of a file are summed. After prompts with TOF, randoms can have a single bin; the size of the
file shows this.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.sinogram import APPLIED, DELAYEDS, SUMMED_TIMES, Bins, Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io.base import SinogramReader
from engine.io.interfile.header import (
    InterfileHeader,
    is_interfile,
    keys_of,
    no_numbers,
    read_header,
)
from engine.io.interfile.sinogram_facts import counted, summed_note
from engine.io.safety.open_input import InputFile, open_input
from engine.io.siemens.facts import FACTS
from engine.io.siemens.layout import layout_of

SUFFIX, BINS = ".s.hdr", ".s"
MARK = b"headernamespace:=sinogramsubheader"
PROMPTS, RANDOMS, TRUES = ("prompts", "prompt"), ("randoms", "random", "delayeds"), ("trues",)
MAX_TIMES = 999


class SiemensSinogram(SinogramReader):
    """Sinograms of Siemens' PET scanners."""

    format_name: ClassVar[str] = "Interfile (Siemens)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_interfile(file.head) and MARK in file.head.lower().translate(None, b" \t")

    @classmethod
    def read(cls, file: InputFile) -> Sinogram:
        header = read_header(file)
        refuse_compressed(header)
        with open_input(header.data_file) as data:
            return sinogram_of(header, data)


def sinogram_of(header: InterfileHeader, data: InputFile) -> Sinogram:
    """Return the first sinogram of a file, with the randoms of the same file.

    Parameters
    ----------
    header
        header of the sinograms
    data
        file with the bins

    Returns
    -------
    sinogram
        TOF bins are summed, with a note, if the scanner has no TOF

    Raises
    ------
    FileFormatError
        if sizes, offsets or types are wrong, or values are not finite
    GeometryError
        if the scanner is unknown
    """
    n_times, types = _n_times(header), types_of(header)
    layout = _timed(layout_of(header), n_times)
    # Without a timing resolution, TOF bins cannot be used and are summed.
    keeps = n_times > 1 and layout.scanner.tof is not None
    prompts, timed = _values(header, data, layout, 0, n_times, keeps=keeps)
    # Type 0 is the sinogram to reconstruct, so it cannot be its own randoms.
    places = {kind: k for k, kind in enumerate(types) if k}
    place = next((places[kind] for kind in RANDOMS if kind in places), None)
    randoms = None if place is None else _values(header, data, layout, place, n_times)[0]
    summed = n_times if timed is None else 1
    return Sinogram(
        layout,
        prompts,
        header.number("image duration (sec)") or 0.0,
        info=_info(SiemensSinogram.name, header, types[0], summed),
        notes=(
            *header.order_note(),
            *((summed_note(header.path.name, n_times),) if summed > 1 else ()),
        ),
        auxiliary={} if randoms is None else {DELAYEDS: randoms},
        timed=timed,
    )


def _timed(layout: SinogramLayout, n_times: int) -> SinogramLayout:
    """Return the layout with the TOF bins of the file, which divide the window of the scanner."""
    settings = layout.scanner.settings
    tof = None
    if settings.tof is not None and n_times > 1:
        # The window is constant: a mashed sinogram has fewer, wider bins.
        width = settings.tof.bin_ps * settings.tof.n_bins / n_times
        tof = settings.tof.model_copy(update={"bin_ps": width, "n_bins": n_times})
    return replace(layout, scanner=RingScanner(settings.model_copy(update={"tof": tof})))


def refuse_compressed(header: InterfileHeader) -> None:
    """Refuse bins in the compression of Siemens' software.

    Parameters
    ----------
    header
        header of the sinograms

    Raises
    ------
    FileFormatError
        if `compression` is on
    """
    if (header.text("compression") or "off").lower() == "on":
        raise FileFormatError(
            f"{header.path.name}: its bins use a compression that only Siemens software can read; "
            "decompress them with `intfcompr -e IN.mhdr --oe OUT.mhdr`, and open the result."
        )


def types_of(header: InterfileHeader) -> list[str]:
    """Return the types of the sinograms in a file, in order: "prompts", "randoms" and others.

    Parameters
    ----------
    header
        header of the sinograms

    Raises
    ------
    FileFormatError
        if there are too many types, or one occurs twice
    """
    n = header.whole("number of scan data types") or 1
    if not 1 <= n <= len((*PROMPTS, *RANDOMS, *TRUES)):
        raise FileFormatError(
            f"{header.path.name}: states {n} scan data types, expected 1 to "
            f"{len((*PROMPTS, *RANDOMS, *TRUES))}; correct the header."
        )
    stated = [header.of_axis("scan data type description", k) for k in range(1, n + 1)]
    kinds = [(text or f"data {k}").lower() for k, text in enumerate(stated, 1)]
    if len({*kinds}) < n:
        raise FileFormatError(
            f"{header.path.name}: lists a scan data type twice ({', '.join(kinds)}); correct the "
            "header."
        )
    return kinds


def _n_times(header: InterfileHeader) -> int:
    n = header.whole("number of tof time bins") or 1
    # A fourth axis is TOF, and its size is that of this file.
    if header.whole("number of dimensions") == 4:
        n = next((int(k) for k in [header.of_axis("matrix size", 4)] if k and k.isdigit()), n)
    if not 1 <= n <= MAX_TIMES:
        raise FileFormatError(
            f"{header.path.name}: states {n} TOF bins, expected 1 to {MAX_TIMES:,}; correct the "
            "header."
        )
    return n


def _values(
    header: InterfileHeader,
    data: InputFile,
    layout: SinogramLayout,
    kind: int,
    n_times: int,
    *,
    keeps: bool = False,
) -> tuple[Bins, TimedCounts | None]:
    """Return the bins of one data type, summed over TOF, and their TOF bins if `keeps`."""
    stored = np.dtype(header.number_type)
    start = _start(header, kind, layout.n_bins * n_times * stored.itemsize)
    step = layout.n_bins * stored.itemsize
    # Too short for all TOF bins: these randoms are stored once for all of them.
    if kind > 0 and data.size - start < n_times * step:
        n_times = 1

    def read(time: int) -> Bins:
        found = data.array(stored, (layout.n_bins,), start + time * step)
        return np.asarray(found, np.float32)

    values, timed = counted(read, n_times, layout.n_bins, keeps=keeps, is_ordered=False)
    n_bad = int(np.count_nonzero(~np.isfinite(values)))
    if n_bad:
        raise FileFormatError(no_numbers(header, n_bad))
    return values, timed


def _start(header: InterfileHeader, kind: int, n_bytes: int) -> int:
    keys = keys_of("data offset in bytes", kind + 1)
    start = header.whole(*keys, *(("data offset in bytes",) if kind == 0 else ()))
    start = kind * n_bytes if start is None else start
    if start < 0:
        raise FileFormatError(
            f"{header.path.name}: {keys[0]!r} is {start}, expected 0 or more; correct the header."
        )
    return start


def _info(name: str, header: InterfileHeader, first: str, n_times: int) -> Plain:
    applied = (header.text("applied corrections") or "").strip("{} ").lower()
    # Trues are prompts minus delayeds, so randoms must not be added to the model again.
    if first in TRUES:
        applied = f"{applied}, randoms subtracted".strip(", ")
    info: Plain = {"format": name, "system": header.text("originating system") or "unknown"}
    for key, (theirs, kind) in FACTS.items():
        value = header.number(theirs) if kind is float else header.text(theirs)
        if value is not None:
            info[key] = value
    info[APPLIED] = applied
    info |= header.axes_facts
    if n_times > 1:
        info[SUMMED_TIMES] = n_times
    return info
