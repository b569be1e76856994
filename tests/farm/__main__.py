"""Run the farm: `python -m tests.farm --per-format 500 --seed 1`; exit 1 if a reader failed."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from engine.modalities.inspection import inspect
from tests.farm.attacks import ATTACKS
from tests.farm.formats import KINDS, Kind
from tests.farm.mutation import mutated
from tests.farm.runner import FAULTS, LIBRARY, Outcome, run


def main() -> int:
    """Damage every kind of input, read it and print the outcomes.

    Crashes of the HDF5 library are printed but do not count: the program reads in a child process.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-format", type=int, default=500, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="kinds whose names hold this")
    parser.add_argument("--part", type=_part, default=(0, 1), metavar="K/N", help="of the kinds")
    parser.add_argument(
        "--in-turn", action="store_true", help="look into every other file, read the rest"
    )
    parser.add_argument("--keep", type=Path, help="folder for inputs that made a reader fail")
    a = parser.parse_args()
    warnings.simplefilter("ignore")
    first, step = a.part
    chosen = [kind for kind in KINDS if not a.only or a.only in kind.name][first::step]
    n_faults = 0
    _say(("kind", "tried", "read", "refused", *FAULTS, LIBRARY, "slowest s", "all s"))
    with tempfile.TemporaryDirectory(prefix="farm") as folder:
        for kind in chosen:
            place = Path(folder) / kind.name
            outcomes = _tried(kind, place, a)
            n_faults += _report(kind.name, outcomes)
        attacks = [attack for attack in ATTACKS if not a.only or a.only in attack.name]
        attacks = attacks[first::step]
        place = Path(folder) / "attacks"
        cases = [attack.case(place / str(k)) for k, attack in enumerate(attacks)]
        outcomes = run(cases)
        n_faults += _report("attacks", outcomes)
        for attack, outcome in zip(attacks, outcomes, strict=True):
            if outcome.verdict in FAULTS or (outcome.verdict == "read" and not attack.harmless):
                n_faults += outcome.verdict == "read"
                sys.stdout.write(f"    {attack.name}: {outcome.verdict} {outcome.text}\n")
    sys.stdout.write(f"{n_faults} faults\n")
    return 1 if n_faults else 0


def _part(text: str) -> tuple[int, int]:
    """Return start and step of a part: "2/3" is every third case from the second on."""
    part, n = (int(word) for word in text.split("/"))
    if not 1 <= part <= n:
        raise argparse.ArgumentTypeError(f"{text}: expected 1/{n} to {n}/{n}")
    return part - 1, n


def _tried(kind: Kind, place: Path, a: argparse.Namespace) -> list[Outcome]:
    """Damage one kind of file, and read it with the general inspection and its own reader.

    With `in_turn`, each file is only read in one of the two ways. The inspection reads whole files.
    """
    place.mkdir(parents=True)
    main_file = kind.make(place)
    whole = {path: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}
    kind.read(main_file)  # the undamaged file must be readable

    def damage(index: int) -> tuple[Path, bytes]:
        rng = Random(f"{a.seed} {kind.name} {index}")
        path = main_file if rng.random() < 0.6 else rng.choice(list(whole))
        return path, mutated(whole[path], rng)

    def case(index: int) -> object:
        path, data = damage(index)
        path.write_bytes(data)
        try:
            looked = None if a.in_turn and index % 2 else inspect(main_file)
            return kind.read(main_file) if looked is None or not a.in_turn else looked
        finally:
            path.write_bytes(whole[path])

    outcomes = []
    for outcome in run([lambda k=k: case(k) for k in range(a.per_format)]):
        outcomes.append(outcome)
        if outcome.verdict in (*FAULTS, LIBRARY):
            sys.stdout.write(f"    case {outcome.index}: {outcome.verdict} {outcome.text}\n")
            _save_input(a.keep, kind, outcome.index, place, damage(outcome.index))
    return outcomes


def _save_input(
    folder: Path | None, kind: Kind, index: int, made: Path, damaged: tuple[Path, bytes]
) -> None:
    if folder is None:
        return
    place = folder / f"{kind.name}-{index}"
    shutil.copytree(made, place, dirs_exist_ok=True)
    (place / damaged[0].relative_to(made)).write_bytes(damaged[1])


def _report(name: str, outcomes: list[Outcome]) -> int:
    counts = Counter(outcome.verdict for outcome in outcomes)
    words = [str(counts[verdict]) for verdict in ("read", "refused", *FAULTS, LIBRARY)]
    slowest = max((outcome.seconds for outcome in outcomes), default=0.0)
    total = sum(outcome.seconds for outcome in outcomes)
    _say((name, str(len(outcomes)), *words, f"{slowest:.2f}", f"{total:.1f}"))
    return sum(counts[fault] for fault in FAULTS)


def _say(columns: tuple[str, ...]) -> None:
    sys.stdout.write(f"{columns[0]:<22}" + "".join(f"{c:>10}" for c in columns[1:]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
