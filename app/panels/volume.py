"""Step 4: the picture's voxels, and the grid that results."""

from __future__ import annotations

from app.forms import Form
from app.panels.step import Step
from app.widgets import label, set_tone
from app.workbench import Workbench
from engine.errors import EngineError
from engine.geometry.grid import ImageGrid
from engine.protocol import GridSettings


class VolumeStep(Step):
    """Chooses voxel size and field of view."""

    title = "Volume"

    def __init__(self, number: int, bench: Workbench) -> None:
        super().__init__(number, bench.theme)
        self._session = bench.session
        self.form = Form(GridSettings, self._session.protocol.grid)
        self.form.changed.connect(self._take)
        self._result = label("", "muted", wrap=True)
        self.body.addWidget(self.form)
        self.body.addWidget(self._result)
        for signal in (
            self._session.protocol_changed,
            self._session.inputs_changed,
            self._session.state_changed,
        ):
            signal.connect(self._show)
        self._show()

    def _take(self, grid: GridSettings) -> None:
        protocol = self._session.protocol
        self._session.set_protocol(protocol.model_copy(update={"grid": grid}))

    def _show(self) -> None:
        session = self._session
        self.form.show_value(session.protocol.grid)
        self.form.setEnabled(not session.state.is_active)
        self._show_hints()
        try:
            grid = session.grid()
        except EngineError as e:
            self._say_result(str(e), "missing")
            self.say("too many voxels", "missing")
            return
        if grid is None:
            self._say_result("The voxels follow from the scanner once it is known.", "muted")
            self.say("as the scanner", "ok")
            return
        self._show_grid(grid)

    def _show_grid(self, grid: ImageGrid) -> None:
        needs = self._session.needs()
        x, y, z = grid.size_mm
        text = f"{grid.describe()} voxels\n{x:.0f} × {y:.0f} × {z:.0f} mm"
        fits = needs is None or needs.fits
        if needs is not None and not fits:
            text += f"\nToo large for this computer: {needs.describe()}."
        self._say_result(text, "muted" if fits else "missing")
        self.say(grid.describe(), "ok" if fits else "missing")

    def _say_result(self, text: str, tone: str) -> None:
        self._result.setText(text)
        set_tone(self._result, tone)

    def _show_hints(self) -> None:
        scanner = self._session.scanner
        if scanner is None:
            return
        diameter, length = scanner.default_fov_mm
        self.form.set_hints(
            {
                "voxel_mm": " × ".join(f"{edge:.4g}" for edge in scanner.default_voxel_mm),
                "diameter_mm": f"{diameter:.4g}, as the scanner",
                "length_mm": f"{length:.4g}, as the scanner",
            }
        )
