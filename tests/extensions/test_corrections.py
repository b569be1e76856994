"""Tests of extension corrections for list mode, and of a file that one of them reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.geometry.ring import RingScanner
from engine.io import read_listmode, read_volume
from tests.extensions.conftest import tiny_trial
from tests.extensions.trial import Trial

CORRECTIONS, ROLES = "engine/corrections/listmode.py", "engine/corrections/roles.py"

OBLIQUE = '''
    """Crystals seen from the side count less: w = 0.5 on lines between different rings."""

    from __future__ import annotations

    from collections.abc import Iterator
    from dataclasses import dataclass
    from typing import Any, ClassVar

    import numpy as np

    from engine.core.arrays import module_of
    from engine.corrections.base import Multiplicative
    from engine.data.line_factors import LineFactor
    from engine.data.listmode import ListMode


    @dataclass(frozen=True)
    class ObliqueFactor(LineFactor):
        value: float

        def of_lines(self, crystals, scanner, *, on, reproducible=True) -> Any:
            xp = module_of(crystals)
            z = xp.asarray(scanner.positions_mm[:, 2])[crystals]
            return xp.where(z[:, 0] == z[:, 1], 1, self.value).astype(np.float32)

        def fingerprint(self) -> Iterator[bytes]:
            yield repr(self.value).encode()


    class Oblique(Multiplicative[ListMode]):
        """Detection on oblique lines."""

        title: ClassVar[str] = "Oblique lines"
        kind: ClassVar[str] = "oblique"

        def obstacle(self, data: ListMode) -> str | None:
            return None

        def factor(self, data: ListMode, *, on) -> LineFactor:
            return ObliqueFactor(0.5)

        def summary(self, before: ListMode, after: ListMode) -> str:
            return f"mean factor {float(after.factors.mean()):.4f}"
'''

DECAY = '''
    """Counts lost because half of the activity had decayed: w = 0.5 on every line."""

    from __future__ import annotations

    from typing import ClassVar

    from engine.corrections.base import Multiplicative
    from engine.data.line_factors import ConstantFactor
    from engine.data.listmode import ListMode


    class Decay(Multiplicative[ListMode]):
        """Decay between injection and scan."""

        title: ClassVar[str] = "Decay"
        kind: ClassVar[str] = "decay"

        def obstacle(self, data: ListMode) -> str | None:
            return None

        def factor(self, data: ListMode, *, on) -> ConstantFactor:
            return ConstantFactor(0.5)

        def summary(self, before: ListMode, after: ListMode) -> str:
            return "half of the counts are lost"
'''

FLOOR = '''
    """A background that a user knows of: the same expected counts on every event's line."""

    from __future__ import annotations

    from typing import Any, ClassVar

    import numpy as np

    from engine.corrections.base import Additive
    from engine.data.listmode import ListMode
    from engine.core.settings import setting


    class Floor(Additive[ListMode]):
        """Expected counts on every line."""

        title: ClassVar[str] = "Floor"
        kind: ClassVar[str] = "floor"
        counts: float = setting(0.0, "On each line", label="Counts", ge=0)

        def obstacle(self, data: ListMode) -> str | None:
            return None

        def expected(self, data: ListMode, *, on) -> Any:
            return np.full(data.n_events, self.counts)

        def summary(self, before: ListMode, after: ListMode) -> str:
            return f"{self.counts:g} counts on each line"
'''

DEAD_TIME = '''
    """Share of its time for which the scanner counted, from a file of one number."""

    from __future__ import annotations

    from pathlib import Path
    from typing import Any, ClassVar

    from engine.corrections.base import Multiplicative
    from engine.data.input_role import InputRole
    from engine.data.line_factors import ConstantFactor
    from engine.data.listmode import ListMode
    from engine.core.errors import FileFormatError


    def read_live_share(path: Path, scanner: Any) -> float:
        text = path.read_text().strip()
        try:
            return float(text)
        except ValueError as e:
            raise FileFormatError(f"{path.name}: {text!r} is no number; write the share.") from e


    LIVE = InputRole(
        key="live-time",
        title="Live time",
        text="Share of the time for which the scanner counted",
        without="Live time; without it, the scanner is taken to have counted all the time.",
        suffixes=(".live",),
        read=read_live_share,
        describe=lambda share: f"{100 * share:g} % of the time",
        accepts=lambda file: file.path.suffix == ".live",
    )


    class DeadTime(Multiplicative[ListMode]):
        """Counts lost while the scanner was busy."""

        title: ClassVar[str] = "Dead time"
        kind: ClassVar[str] = "deadtime"
        inputs: ClassVar[tuple[InputRole, ...]] = (LIVE,)

        def obstacle(self, data: ListMode) -> str | None:
            return None if LIVE.key in data.auxiliary else "no live time is given"

        def factor(self, data: ListMode, *, on) -> ConstantFactor:
            return ConstantFactor(data.auxiliary[LIVE.key])

        def summary(self, before: ListMode, after: ListMode) -> str:
            return f"{100 * before.auxiliary[LIVE.key]:g} % of the time counted"
'''

FILES = {"Oblique": OBLIQUE, "Decay": DECAY, "Floor": FLOOR, "DeadTime": DEAD_TIME}


def mlem_command(out: str, *settings: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command for one MLEM iteration, which is the back projection of the events."""
    fixed = ("reproducible=true", "finishing=[]", "algorithm.kind=mlem", "algorithm.iterations=1")
    pairs = [part for each in (*fixed, *settings) for part in ("--set", each)]
    return ["reconstruct", "scan.h5", "-o", out, *options, *pairs]


def image(trial: Trial, name: str) -> np.ndarray:
    return read_volume(trial.work / name).values


def entry(trial: Trial, name: str, kind: str) -> dict[str, str]:
    ledger = read_volume(trial.work / name).info["corrections"]
    return next(each for each in ledger if each["kind"] == kind)


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """Return one copy with all corrections. None is used unless a protocol enables it."""
    made = tiny_trial(tmp_path_factory.mktemp("corrections"))
    for name, text in FILES.items():
        made.add_file(f"engine/corrections/{name.lower()}.py", text)
        made.register(CORRECTIONS, "CORRECTIONS", f"engine.corrections.{name.lower()}.{name}")
    made.register(ROLES, "LISTMODE_ROLES", "engine.corrections.deadtime.LIVE")
    scanner = (made.work / "ring.toml").read_text()
    (made.root / "resources" / "scanners" / "tiny-ring.toml").write_text(scanner)
    return made


@pytest.fixture(scope="module")
def results(trial: Trial, pet_scan: list[str]) -> dict[str, Any]:
    """Return the results of the program after all images.

    Those with the scanner's name are last.
    """
    (trial.work / "busy.live").write_text("0.8")
    live, floor = "corrections.deadtime.use=auto", "corrections.floor.use=on"
    by_name = [*(word.replace("ring.toml", "tiny-ring") for word in pet_scan), "--force"]
    answers: dict[str, Any] = trial.run(
        pet_scan,
        mlem_command("plain.h5"),
        mlem_command("oblique.h5", "corrections.oblique.use=on"),
        mlem_command("decay.h5", "corrections.decay.use=auto"),
        mlem_command("none.h5", floor),
        mlem_command("much.h5", floor, "corrections.floor.counts=1000"),
        mlem_command("live.h5", live),
        mlem_command("busy.h5", live, options=("--live-time", "busy.live", "--identify")),
        by_name,
        mlem_command("name.h5"),
        ask={"offered_texts": {}, "roles": {"path": "busy.live"}},
    )
    return answers


def test_multiplicative_correction_changes_events_sensitivity_and_its_cache(
    trial: Trial, results: dict[str, Any]
) -> None:
    plain, found = image(trial, "plain.h5"), image(trial, "oblique.h5")
    assert entry(trial, "plain.h5", "oblique")["state"] == "off"  # no protocol enables it
    assert "mean factor" in entry(trial, "oblique.h5", "oblique")["text"]
    scan = read_listmode(trial.work / "scan.h5")
    assert isinstance(scan.scanner, RingScanner)
    # Few oblique lines cross the end slices. They lose least sensitivity and rise least.
    rise = [float(found[z].sum() / plain[z].sum()) for z in (0, len(plain) // 2)]
    assert 1 < rise[0] < rise[1] < 2
    assert "Oblique lines" in results["offered_texts"]["pet"]


@pytest.mark.usefixtures("results")
def test_half_factors_double_the_image(trial: Trial) -> None:
    np.testing.assert_allclose(image(trial, "decay.h5"), 2 * image(trial, "plain.h5"), rtol=1e-5)


@pytest.mark.usefixtures("results")
def test_additive_correction_subtracts_counts(trial: Trial) -> None:
    np.testing.assert_array_equal(image(trial, "none.h5"), image(trial, "plain.h5"))
    # events explained by background leave almost no activity
    assert image(trial, "much.h5").sum() < 0.01 * image(trial, "plain.h5").sum()


def test_auxiliary_input_is_an_option_a_dialog_entry_and_part_of_the_replay_command(
    trial: Trial, results: dict[str, Any]
) -> None:
    assert entry(trial, "live.h5", "deadtime")["state"] == "unavailable"
    ratio = image(trial, "busy.h5").sum() / image(trial, "live.h5").sum()
    assert ratio == pytest.approx(1 / 0.8, rel=1e-5)
    info = read_volume(trial.work / "busy.h5").info
    assert info["inputs"]["live-time"]["name"] == "busy.live"
    assert "--live-time busy.live" in info["replay"]
    assert results["roles"]["recognised"] == "live-time"


@pytest.mark.usefixtures("results")
def test_scanner_is_added_with_one_file(trial: Trial) -> None:
    np.testing.assert_array_equal(image(trial, "name.h5"), image(trial, "plain.h5"))
    assert image(trial, "name.h5").max() > 0
    assert read_listmode(trial.work / "scan.h5").scanner.name == "Tiny ring"
