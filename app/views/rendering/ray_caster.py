"""Draws a scene with OpenGL 3.3 into an image, without a window.

The image is drawn into memory of its own and read back. A QOpenGLWidget would make Qt compose the
whole window with OpenGL, which makes all other views slower on a computer without a graphics card.
This module is imported when the first three-dimensional view is painted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import (
    QColor,
    QImage,
    QOffscreenSurface,
    QOpenGLContext,
    QOpenGLExtraFunctions,
    QSurfaceFormat,
    QVector2D,
    QVector3D,
)
from PySide6.QtOpenGL import (
    QOpenGLFramebufferObject,
    QOpenGLPixelTransferOptions,
    QOpenGLShader,
    QOpenGLShaderProgram,
    QOpenGLTexture,
    QOpenGLVertexArrayObject,
)
from shiboken6 import VoidPtr

from app.language.translation import tr
from app.views.planes.placing import VolumePlacing
from app.views.rendering.packed_volume import PackedMasks, PackedVolume
from app.views.rendering.packing import Limits
from app.views.rendering.ray_scene import RayFrame, RayLayer, RayScene, rays_of
from app.views.rendering.ray_shader import VERTEX, RayProgram
from engine.core.errors import EngineError

GL_TRIANGLES, GL_SCISSOR_TEST, GL_RENDERER, GL_MAX_3D = 0x0004, 0x0C11, 0x1F01, 0x8073
WANTED = (3, 3)
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software", "swiftshader", "gdi generic", "basic")
"""Parts of the names of drivers that draw with the processor."""
SOFTWARE_VOXELS, CARD_VOXELS = 256**3, 512**3
"""Largest number of voxels of a texture without and with a graphics card."""
MAX_REGIONS = 16
CACHED_TEXTURES = 3
Format, Filter = QOpenGLTexture.TextureFormat, QOpenGLTexture.Filter
PixelType = QOpenGLTexture.PixelType


class NoOpenGLError(EngineError):
    """The computer cannot draw with OpenGL 3.3."""


class RayCaster:
    """An OpenGL context with the textures of the last scenes.

    Attributes
    ----------
    renderer : name of the driver
    is_software : True if the driver draws with the processor

    Raises
    ------
    NoOpenGLError
        if no context of version 3.3 can be created
    """

    def __init__(self) -> None:
        wanted = QSurfaceFormat()
        wanted.setVersion(*WANTED)
        wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
        self._context, self._surface = QOpenGLContext(), QOffscreenSurface()
        self._context.setFormat(wanted)
        if not self._context.create():
            raise NoOpenGLError(no_opengl(""))
        self._surface.setFormat(self._context.format())
        self._surface.create()
        version = self._context.format().version()
        if not self._surface.isValid() or not self._context.makeCurrent(self._surface):
            raise NoOpenGLError(no_opengl(""))
        if tuple(version) < WANTED:
            raise NoOpenGLError(no_opengl("{}.{}".format(*version)))
        self._gl: QOpenGLExtraFunctions = self._context.extraFunctions()
        self.renderer = str(self._gl.glGetString(GL_RENDERER) or "")
        # A driver draws nothing from a longer texture, and reports no fault.
        longest = self._gl.glGetIntegerv(GL_MAX_3D)
        self._longest_edge = longest if isinstance(longest, int) else longest[0]
        self.is_software = any(part in self.renderer.lower() for part in SOFTWARE)
        self._empty = QOpenGLVertexArrayObject()
        self._empty.create()
        self._programs: dict[RayProgram, QOpenGLShaderProgram] = {}
        self._textures: dict[int, tuple[object, tuple[QOpenGLTexture, ...]]] = {}
        self._tables: dict[bytes, QOpenGLTexture] = {}
        self._target: QOpenGLFramebufferObject | None = None

    @property
    def limits(self) -> Limits:
        """Largest number of voxels of a texture, and along each of its axes."""
        return SOFTWARE_VOXELS if self.is_software else CARD_VOXELS, self._longest_edge

    def close(self) -> None:
        """Free the textures."""
        self._context.makeCurrent(self._surface)
        for _, textures in self._textures.values():
            for each in textures:
                each.destroy()
        for table in self._tables.values():
            table.destroy()
        self._textures, self._tables, self._target = {}, {}, None
        self._programs = {}
        self._empty.destroy()
        self._context.doneCurrent()

    def draw(self, scene: RayScene, frame: RayFrame) -> None:
        """Draw a scene, or rows of it. `image` returns the result.

        Parameters
        ----------
        scene
            the scene
        frame
            part of the view and resolution

        Raises
        ------
        NoOpenGLError
            if the driver cannot compile the program
        """
        gl = self._gl
        self._context.makeCurrent(self._surface)
        width, height = frame.size
        if self._target is None or self._target.size().toTuple() != frame.size:
            self._target = QOpenGLFramebufferObject(width, height)
        self._target.bind()
        gl.glViewport(0, 0, width, height)
        program = self._program(scene)
        program.bind()
        self._empty.bind()
        self._set_view(program, scene, frame)
        place = self._set_layer(program, "0", scene, scene.lower, VolumePlacing(), 0)
        if scene.upper is not None:
            place = self._set_layer(program, "1", scene, scene.upper, scene.placing, place)
        if scene.masks is not None and scene.program.has_masks:
            self._set_masks(program, scene, scene.masks, place)
        if frame.rows is not None:
            gl.glEnable(GL_SCISSOR_TEST)
            gl.glScissor(0, frame.rows[0], width, frame.rows[1])
        gl.glDrawArrays(GL_TRIANGLES, 0, 3)
        gl.glDisable(GL_SCISSOR_TEST)
        # The next call must not wait for this one, or its time could not be measured.
        gl.glFinish()
        self._empty.release()
        program.release()

    def image(self) -> QImage:
        """Return the last drawn image; empty before the first one."""
        self._context.makeCurrent(self._surface)
        if self._target is None:
            return QImage()
        return self._target.toImage().convertToFormat(QImage.Format.Format_RGB32)

    # Program

    def _program(self, scene: RayScene) -> QOpenGLShaderProgram:
        key = scene.program
        if key not in self._programs:
            made = QOpenGLShaderProgram()
            kinds = QOpenGLShader.ShaderTypeBit
            fine = made.addShaderFromSourceCode(kinds.Vertex, VERTEX)
            fine = fine and made.addShaderFromSourceCode(kinds.Fragment, key.text)
            if not (fine and made.link()):
                raise NoOpenGLError(no_opengl(made.log().strip().split("\n")[0]))
            self._programs[key] = made
        return self._programs[key]

    def _set_view(self, program: QOpenGLShaderProgram, scene: RayScene, frame: RayFrame) -> None:
        width, height = (length / frame.px_per_mm / 2 for length in frame.size)
        set_ = _setter(program)
        set_("half_mm", QVector2D(width, height))
        set_("middle_mm", QVector2D(*frame.middle_mm))
        _set_float(program, "step_mm", frame.step * scene.min_voxel_mm)
        _set_float(program, "length_mm", 2 * scene.radius_mm)
        set_("ground", QVector3D(*scene.ground))
        self._step_mm = frame.step * scene.min_voxel_mm

    def _set_layer(
        self,
        program: QOpenGLShaderProgram,
        number: str,
        scene: RayScene,
        layer: RayLayer,
        placing: VolumePlacing,
        place: int,
    ) -> int:
        """Set one volume, and return the next free place of a texture."""
        packed, rays, set_ = layer.packed, rays_of(scene, layer.packed, placing), _setter(program)
        low, high = (packed.level_of(value) for value in layer.window)
        level = packed.level_of(layer.level)
        box = scene.box_of(layer)
        for name, vector in (
            ("origin", rays.origin),
            ("right", rays.right),
            ("up", rays.up),
            ("along", rays.along),
            ("light", rays.light),
            ("voxel", np.array(packed.voxel_mm) / np.array(packed.size_mm)),
            ("spacing", np.array(packed.voxel_mm) / min(packed.voxel_mm)),
            ("box_low", box[0]),
            ("box_high", box[1]),
            ("ahead", rays.light * min(packed.voxel_mm) / np.array(packed.size_mm)),
            ("skin", np.array(layer.skin)),
        ):
            set_(f"{name}_{number}", QVector3D(*map(float, vector)))
        for name, value in (
            ("level", level),
            ("low", low),
            ("scale", 1 / (high - low)),
            ("weight", layer.weight),
            ("shade", SHADE),
        ):
            _set_float(program, f"{name}_{number}", value)
        textures = (*self._of_volume(packed), self._table(layer.table, layer.unit_mm))
        for name, texture in zip(("values", "table"), textures, strict=True):
            texture.bind(place)
            program.setUniformValue1i(program.uniformLocation(f"{name}_{number}"), place)
            place += 1
        return place

    def _set_masks(
        self, program: QOpenGLShaderProgram, scene: RayScene, masks: PackedMasks, place: int
    ) -> None:
        set_ = _setter(program)
        for k, colour in enumerate(masks.colours[:MAX_REGIONS]):
            skin = QColor(colour)
            set_(f"skins[{k}]", QVector3D(skin.redF(), skin.greenF(), skin.blueF()))
        _set_float(program, "weight_m", REGION_WEIGHT)
        unit_mm = min(1.0, scene.radius_mm / FOG_PARTS)
        _set_float(program, "fog_m", 1 - (1 - FOG) ** (self._step_mm / unit_mm))
        names = ("coverage", "labels")
        for name, texture in zip(names, self._of_masks(masks), strict=True):
            texture.bind(place)
            program.setUniformValue1i(program.uniformLocation(name), place)
            place += 1

    # Textures

    def _of_volume(self, packed: PackedVolume) -> tuple[QOpenGLTexture, ...]:
        form, kind = Format.R16_UNorm, PixelType.UInt16
        return self._from_cache(
            packed, lambda: (_texture(packed.levels, form, kind, Filter.Linear),)
        )

    def _of_masks(self, masks: PackedMasks) -> tuple[QOpenGLTexture, ...]:
        form, kind = Format.R8_UNorm, PixelType.UInt8
        return self._from_cache(
            masks,
            lambda: (
                _texture(masks.coverage, form, kind, Filter.Linear),
                _texture(masks.labels, form, kind, Filter.Nearest),
            ),
        )

    def _from_cache(
        self, source: object, make: Callable[[], tuple[QOpenGLTexture, ...]]
    ) -> tuple[QOpenGLTexture, ...]:
        # The source is stored too, so that its number is not given to another object.
        found = self._textures.pop(id(source), None) or (source, make())
        while len(self._textures) >= CACHED_TEXTURES:
            _, old = self._textures.pop(next(iter(self._textures)))
            for each in old:
                each.destroy()
        self._textures[id(source)] = found
        return found[1]

    def _table(self, colours: NDArray[np.float32], unit_mm: float) -> QOpenGLTexture:
        """Return colours with the opacity of one step."""
        table = np.array(colours)
        # The opacity of a step follows from that of a unit: T = (1 − α)^(step / unit).
        table[:, 3] = 1 - (1 - np.minimum(table[:, 3], 0.9999)) ** (self._step_mm / unit_mm)
        key = table.tobytes()
        if key not in self._tables:
            if len(self._tables) > CACHED_TABLES:
                for each in self._tables.values():
                    each.destroy()
                self._tables.clear()
            made = QOpenGLTexture(QOpenGLTexture.Target.Target2D)
            made.setAutoMipMapGenerationEnabled(False)
            made.setFormat(Format.RGBA32F)
            made.setSize(len(table), 1)
            made.setMipLevels(1)
            rgba, kind = QOpenGLTexture.PixelFormat.RGBA, PixelType.Float32
            made.allocateStorage(rgba, kind)
            made.setMinMagFilters(Filter.Linear, Filter.Linear)
            made.setWrapMode(QOpenGLTexture.WrapMode.ClampToEdge)
            made.setData(rgba, kind, VoidPtr(table.ctypes.data))  # type: ignore[call-overload]
            self._tables[key] = made
        return self._tables[key]


REGION_WEIGHT = 0.6
"""Opacity of the surface of a region."""
FOG, FOG_PARTS = 0.12, 20
"""Opacity of one millimetre of a region in a volume rendering; in a smaller volume, of this part of
its radius."""
SHADE = 2.2
"""Brightness for a change of the whole window within one voxel."""
CACHED_TABLES = 16


def _texture(
    levels: NDArray[np.generic],
    form: QOpenGLTexture.TextureFormat,
    kind: QOpenGLTexture.PixelType,
    filtering: QOpenGLTexture.Filter,
) -> QOpenGLTexture:
    contiguous = np.ascontiguousarray(levels)
    n_z, n_y, n_x = contiguous.shape
    made = QOpenGLTexture(QOpenGLTexture.Target.Target3D)
    made.setAutoMipMapGenerationEnabled(False)
    made.setFormat(form)
    made.setSize(n_x, n_y, n_z)
    made.setMipLevels(1)
    red = QOpenGLTexture.PixelFormat.Red
    made.allocateStorage(red, kind)
    made.setMinMagFilters(filtering, filtering)
    made.setWrapMode(QOpenGLTexture.WrapMode.ClampToBorder)
    made.setBorderColor(0.0, 0.0, 0.0, 0.0)
    options = QOpenGLPixelTransferOptions()
    # Rows of an odd number of voxels do not end at a multiple of four bytes.
    options.setAlignment(1)
    # The annotations of PySide say int, which it refuses for 64 bits.
    made.setData(red, kind, VoidPtr(contiguous.ctypes.data), options)  # type: ignore[call-overload]
    return made


def _setter(program: QOpenGLShaderProgram) -> Callable[[str, object], None]:
    def set_(name: str, value: object) -> None:
        program.setUniformValue(program.uniformLocation(name), value)

    return set_


def _set_float(program: QOpenGLShaderProgram, name: str, value: float) -> None:
    program.setUniformValue1f(program.uniformLocation(name), float(value))


def no_opengl(found: str) -> str:
    """Return the sentence for a computer without OpenGL 3.3.

    Parameters
    ----------
    found
        version or message of the driver; "" if there is no driver
    """
    if found:
        return tr(
            "The 3D view needs OpenGL 3.3, and this driver offers less ({found}). The view shows "
            "the turning projection instead. Update the graphics driver.",
            found=found,
        )
    return tr(
        "The 3D view needs OpenGL 3.3, and this computer offers none. The view shows the turning "
        "projection instead. Install a graphics driver, or Mesa for a computer without a card."
    )
