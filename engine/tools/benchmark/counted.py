"""Operation counts of kernels, and the speed limits of GPUs that follow from them.

The counts do not depend on the machine. The tests make them by running PTX on a CPU, and they are
stored next to the tuning records; `engine` itself counts nothing. The limits follow from the counts
and the published clock rate. Per clock, a multiprocessor has 4 issue slots, 1 wavefront of shared
memory and 4 texture fetches (NVIDIA, CUDA C++ Programming Guide, section 16; tuning guides of
Ampere, Hopper and Ada). It takes 1 load of a warp and finds 4 lines of 128 bytes in L1 (NVIDIA
developer forum, topics 273699 and 49571, of Volta and later). Atomics and stores are assumed to
take a clock per line.

    memory = max(lines read / 4, loads of warps) + other lines + wavefronts
    units/s = multiprocessors · clock / max(slots / 4, memory, 8 · fetches of warps)

The 4 lines must be in different sets of L1, and lines that miss L1 need L2, so kernels with
scattered loads stay far below: they reach a quarter to a half of such limits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from engine.core.backend.gpu import GpuFacts
from engine.core.json_types import Plain
from engine.tools.benchmark.table import Table

SLOTS_PER_CLOCK = 4
LINES_PER_CLOCK = 4
"""Lines of different sets that L1 finds in a clock."""
CLOCKS_PER_FETCH = 8
"""Clocks in which 32 lanes fetch four bytes each, interpolated from four texels."""


@dataclass(frozen=True)
class PublishedCard:
    """Published properties of a GPU.

    Attributes
    ----------
    name, multiprocessors : name, and number of multiprocessors
    clock_ghz : highest clock rate
    memory_gb_s : memory rate, in 10⁹ bytes per second
    bus_gb_s : rate of PCI Express with 16 lanes in one direction, in 10⁹ bytes per second
    """

    name: str
    multiprocessors: int
    clock_ghz: float
    memory_gb_s: float = 1000.0
    bus_gb_s: float = 31.5


# From the data sheets of NVIDIA, PCI Express 4 and 5 with 16 lanes. The clock is the float32 rate
# over two operations of each core: an H100 SXM has 67 TFLOPS and 132 · 128 cores, thus 1.98 GHz
CARDS = (
    PublishedCard("A100", 108, 1.41, 2039.0, 31.5),
    PublishedCard("H100", 132, 1.98, 3350.0, 63.0),
    PublishedCard("H200", 132, 1.98, 4800.0, 63.0),
    PublishedCard("RTX 4090", 128, 2.52, 1008.0, 31.5),
    PublishedCard("RTX A6000", 84, 1.80, 768.0, 31.5),
)


def published_card(facts: GpuFacts) -> PublishedCard | None:
    """Return the published properties of a GPU with its own number of multiprocessors.

    Parameters
    ----------
    facts
        GPU of this machine

    Returns
    -------
    card
        None for a GPU that is not in `CARDS`
    """
    for card in CARDS:
        # By substring: drivers add "NVIDIA" and the memory size to the name
        if card.name in facts.name:
            return replace(card, multiprocessors=facts.n_multiprocessors)
    return None


NUMBERS_OF_UNIT = {"event": 1, "32 updates": 32, "32 steps": 32, "32 products": 32}
"""Number of counted items per unit."""
NAMES = {
    "event": "events",
    "32 updates": "updates",
    "32 steps": "steps",
    "32 products": "products",
}


@dataclass(frozen=True)
class UnitCost:
    """Operations of a kernel per unit of work.

    Attributes
    ----------
    work, kernel, unit : names of the work, the kernel and the unit
    slots : instructions issued by a warp, calculated for machine code
    lines : lines of 128 bytes that warps read, write and add to
    wavefronts : wavefronts of shared memory
    fetches : texture fetches by warps
    loads : reads of memory by threads, per item of the unit
    read_lines : those of `lines` that loads read
    requests : loads of warps
    """

    work: str
    kernel: str
    unit: str
    slots: float
    lines: float
    wavefronts: float
    fetches: float
    loads: float
    read_lines: float
    requests: float

    @classmethod
    def of(cls, row: Plain) -> UnitCost:
        """Return the counts of one row of the record."""
        # Atomics and stores use the same path to memory as loads
        lines = sum(row[f"lines of {kind}"] for kind in ("loads", "atomics", "stores"))
        return cls(
            row["work"], row["kernel"], row["unit"], row["slots"], lines,
            row["shared wave-fronts"], row["fetches"], row["loads of threads"],
            row["lines of loads"], row["loads"],
        )  # fmt: skip

    @property
    def clocks(self) -> dict[str, float]:
        """Clocks of a multiprocessor per unit, by resource."""
        read = max(self.read_lines / LINES_PER_CLOCK, self.requests)
        return {
            "issue": self.slots / SLOTS_PER_CLOCK,
            "memory": read + self.lines - self.read_lines + self.wavefronts,
            "textures": CLOCKS_PER_FETCH * self.fetches,
        }

    @property
    def binding(self) -> str:
        """The resource that limits the kernel."""
        clocks = self.clocks
        return max(clocks, key=lambda name: clocks[name])

    def limit(self, card: PublishedCard) -> float:
        """Return the largest possible rate on a GPU.

        Parameters
        ----------
        card
            published properties of the GPU

        Returns
        -------
        rate
            events, updates or products per second, calculated
        """
        # The resources work in parallel, so the slowest one decides
        units = card.multiprocessors * card.clock_ghz * 1e9 / max(self.clocks.values())
        return units * NUMBERS_OF_UNIT[self.unit]


def limit_of(works: Sequence[tuple[str, str]], facts: GpuFacts) -> float | None:
    """Return the highest rate of kernels that run one after another, per second.

    Parameters
    ----------
    works
        names of work and kernel
    facts
        GPU of this machine

    Returns
    -------
    rate
        items per second, calculated; None for a GPU without published properties
    """
    card, counts = published_card(facts), {(one.work, one.kernel): one for one in recorded()}
    if card is None:
        return None
    return 1 / sum(1 / counts[key].limit(card) for key in works)


def recorded() -> tuple[UnitCost, ...]:
    """Return the shipped counts."""
    found = json.loads((files("resources") / "counted" / "kernels.json").read_text("utf-8"))
    return tuple(UnitCost.of(row) for row in found["counts"])


def tables(counts: tuple[UnitCost, ...]) -> tuple[Table, Table]:
    """Return the tables of the counts and of the resulting limits.

    Parameters
    ----------
    counts
        counts of all kernels
    """
    counted = Table(
        "Counts per unit of work",
        ("work", "kernel", "unit", "issue slots", "lines", "wave-fronts", "fetches", "loads"),
        [_counts(one) for one in counts],
        (
            "The tests run the PTX of NVIDIA's compiler on a CPU and count its operations. No GPU "
            "was used. Issue slots are calculated for the machine code of sm_90, from the "
            "instructions of each loop. Lines have 128 bytes. Wave-fronts belong to shared memory. "
            "Fetches and slots count per warp, and loads count reads of memory by threads, per "
            "event, update, step or product. A step is a ray in a layer of voxels that it crosses.",
        ),
    )
    limits = Table(
        "Calculated limits of GPUs",
        ("work", "kernel", "of", "bound by", *(card.name for card in CARDS)),
        [_limits(one) for one in counts],
        (
            "Limits in 10⁹ per second, calculated from the counts above and published clocks, if "
            "no other resource limits the GPU. They were not measured. A multiprocessor finds up "
            "to 4 lines per clock, but only in different sets of its cache. Kernels reach a "
            "quarter to a half of such limits if their loads are scattered.",
        ),
    )
    return counted, limits


def _counts(one: UnitCost) -> tuple[str, ...]:
    # A warp has 32 threads, whatever the unit is
    per_number = one.loads * 32 / NUMBERS_OF_UNIT[one.unit]
    values = (one.slots, one.lines, one.wavefronts, one.fetches, per_number)
    return one.work, one.kernel, one.unit, *(f"{value:.3g}" for value in values)


def _limits(one: UnitCost) -> tuple[str, ...]:
    speeds = (f"{one.limit(card) / 1e9:.3g}" for card in CARDS)
    return one.work, one.kernel, NAMES[one.unit], one.binding, *speeds
