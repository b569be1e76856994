"""The program of the graphics card: one ray for each pixel.

Each mode combines the values along a ray in its own way, so each has its own program:

- projection: the highest value (MIP)
- volume: colours C with opacity α from front to back, T ← T (1 − α) [1], lit by the change of the
  value towards the light
- surface: the first point with v = level, lit along the gradient ∇v [2]; a transparent surface lets
  the ray go on

Drivers that draw with the processor execute both sides of an `if`, and every texture read in them.
The loops therefore contain nothing but the reads that each sample needs. The second volume and the
regions are compiled in only if they exist.

References
----------
[1] M. Levoy, "Display of surfaces from volume data", IEEE Computer Graphics and Applications 8(3),
    1988, 29–37.
[2] K. H. Höhne and R. Bernstein, "Shading 3D-images from CT using gray-level gradients", IEEE
    Transactions on Medical Imaging 5(1), 1986, 45–47.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RenderMode = Literal["volume", "surface", "projection"]
MODES: tuple[RenderMode, ...] = ("volume", "surface", "projection")

VERTEX = """#version 330 core
uniform vec2 half_mm;
uniform vec2 middle_mm;
out vec2 at;
void main() {
    // One triangle covers the whole view.
    vec2 corner = vec2(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID & 2) * 2.0 - 1.0);
    at = middle_mm + corner * half_mm;
    gl_Position = vec4(corner, 0.0, 1.0);
}
"""

_LAYER = """
uniform sampler3D values_K;
uniform sampler2D table_K;
uniform vec3 origin_K, right_K, up_K, along_K, light_K, voxel_K, spacing_K;
uniform vec3 box_low_K, box_high_K, ahead_K;
uniform float level_K, low_K, scale_K, weight_K, shade_K;
uniform vec3 skin_K;

float value_K(vec3 t) { return textureLod(values_K, t, 0.0).r; }

vec3 gradient_K(vec3 t) {
    return vec3(
        value_K(t + vec3(voxel_K.x, 0, 0)) - value_K(t - vec3(voxel_K.x, 0, 0)),
        value_K(t + vec3(0, voxel_K.y, 0)) - value_K(t - vec3(0, voxel_K.y, 0)),
        value_K(t + vec3(0, 0, voxel_K.z)) - value_K(t - vec3(0, 0, voxel_K.z))) / spacing_K;
}
"""

_MASKS = """
uniform sampler3D coverage;
uniform sampler3D labels;
uniform vec3 skins[16];
uniform float weight_m, fog_m;

float coverage_at(vec3 t) { return textureLod(coverage, t, 0.0).r; }

vec3 skin_at(vec3 t) {
    int found = int(textureLod(labels, t, 0.0).r * 255.0 + 0.5);
    return skins[clamp(found - 1, 0, 15)];
}

vec3 gradient_m(vec3 t) {
    return vec3(
        coverage_at(t + vec3(voxel_0.x, 0, 0)) - coverage_at(t - vec3(voxel_0.x, 0, 0)),
        coverage_at(t + vec3(0, voxel_0.y, 0)) - coverage_at(t - vec3(0, voxel_0.y, 0)),
        coverage_at(t + vec3(0, 0, voxel_0.z)) - coverage_at(t - vec3(0, 0, voxel_0.z)))
        / spacing_0;
}
"""

_COMMON = """
uniform float step_mm, length_mm;
uniform vec3 ground;
in vec2 at;
out vec4 pixel;

// Returns where a ray enters and leaves a box [mm]; nothing if it ends before it begins.
vec2 span(vec3 start, vec3 along, vec3 low, vec3 high) {
    vec3 a = (low - start) / along, b = (high - start) / along;
    vec3 first = min(a, b), last = max(a, b);
    vec2 found = vec2(max(max(first.x, first.y), max(first.z, 0.0)),
                      min(min(last.x, last.y), last.z));
    return found.x < found.y ? found : vec2(1e30, -1e30);
}

vec3 lit(vec3 gradient, vec3 light, vec3 paint, float shine) {
    float size = length(gradient);
    float facing = size > 0.0 ? abs(dot(gradient, light)) / size : 1.0;
    return paint * (0.28 + 0.72 * facing) + shine * pow(facing, 24.0);
}

void main() {
"""

_START = """
    vec3 start_K = origin_K + at.x * right_K + at.y * up_K;
    vec2 span_K = span(start_K, along_K, box_low_K, box_high_K);
"""

_WALK = """
    vec3 t_K = start_K + begin * along_K, next_K = step_mm * along_K;
"""

_HIGHEST = "        highest_K = max(highest_K, value_K(t_K));\n"
_NEXT = "        t_K += next_K;\n"

_HIGHEST_END = """
    float w_K = (highest_K - low_K) * scale_K;
    vec3 paint_K = textureLod(table_K, vec2(clamp(w_K, 0.0, 1.0), 0.5), 0.0).rgb;
    // Half a colour: the border of a texture may differ from its lowest level by rounding.
    shown = mix(shown, paint_K, w_K > 0.002 ? weight_K : 0.0);
"""

_BLEND = """
        float w_K = (value_K(t_K) - low_K) * scale_K;
        vec4 paint_K = textureLod(table_K, vec2(clamp(w_K, 0.0, 1.0), 0.5), 0.0);
"""
_SHADE = """
        float change_K = w_K - (value_K(t_K + ahead_K) - low_K) * scale_K;
        paint_K.rgb *= clamp(0.62 + shade_K * change_K, 0.22, 1.25);
"""
_COMPOSE = """
        float a_K = paint_K.a * weight_K;
        sum += clear * a_K * paint_K.rgb;
        clear *= 1.0 - a_K;
"""
_FOG = """
        float a_m = fog_m * coverage_at(t_0);
        sum += clear * a_m * skin_at(t_0);
        clear *= 1.0 - a_m;
"""

_CROSSED = """
        if (now_K != inside_K) {
            inside_K = now_K;
            float near = s - step_mm, far = s;
            // Halve the last step to find the surface within it.
            for (int k = 0; k < 5; ++k) {
                float middle = 0.5 * (near + far);
                if ((value_K(start_K + middle * along_K) >= level_K) == now_K) { far = middle; }
                else { near = middle; }
            }
            vec3 found = lit(gradient_K(start_K + far * along_K), light_K, skin_K, 0.16);
            found *= 1.0 - 0.35 * clamp(far / length_mm, 0.0, 1.0);
            sum += clear * weight_K * found;
            clear *= 1.0 - weight_K;
        }
"""
_CROSSED_MASKS = """
        if (now_m != inside_m) {
            inside_m = now_m;
            float near = s - step_mm, far = s;
            for (int k = 0; k < 5; ++k) {
                float middle = 0.5 * (near + far);
                if ((coverage_at(start_0 + middle * along_0) >= 0.5) == now_m) { far = middle; }
                else { near = middle; }
            }
            vec3 t = start_0 + far * along_0;
            vec3 gradient = gradient_m(t);
            // The voxel of the region is on the side to which the coverage grows.
            vec3 inwards = gradient / max(length(gradient), 1e-6) * 0.8 * voxel_0;
            sum += clear * weight_m * lit(gradient, light_0, skin_at(t + inwards), 0.1);
            clear *= 1.0 - weight_m;
        }
"""


@dataclass(frozen=True)
class RayProgram:
    """Content that a shader program can show.

    Attributes
    ----------
    mode : method that combines the values along a ray
    is_fused : True for two volumes
    has_masks : True for regions
    first_on_top : True if a projection shows the first volume over the second one
    lit : numbers of the volumes that a volume rendering lights
    """

    mode: RenderMode
    is_fused: bool = False
    has_masks: bool = False
    first_on_top: bool = False
    lit: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The fragment shader, GLSL 3.30."""
        inside = {
            "projection": self._projection,
            "volume": self._volume,
            "surface": self._surface,
        }[self.mode]
        return "".join(
            (
                "#version 330 core\n",
                self._for_each_volume(_LAYER),
                _MASKS if self.has_masks else "",
                _COMMON,
                self._for_each_volume(_START),
                self._range(),
                inside(),
                "    pixel = vec4(shown, 1.0);\n}\n",
            )
        )

    @property
    def _numbers(self) -> tuple[int, ...]:
        return (0, 1) if self.is_fused else (0,)

    def _for_each_volume(self, text: str) -> str:
        return "".join(_numbered(text, number) for number in self._numbers)

    def _range(self) -> str:
        """Return the lines that find the part of the ray with something in it."""
        first, last = "span_0.x", "span_0.y"
        if self.is_fused:
            first, last = "min(span_0.x, span_1.x)", "max(span_0.y, span_1.y)"
        return (
            f"    float begin = {first}, last = {last};\n"
            "    int n = last > begin ? int(ceil((last - begin) / step_mm)) : 0;\n"
        )

    def _projection(self) -> str:
        order = self._numbers[::-1] if self.first_on_top else self._numbers
        return "".join(
            (
                self._for_each_volume(_WALK),
                self._for_each_volume("    float highest_K = 0.0;\n"),
                "    for (int i = 0; i < n; ++i) {\n",
                self._for_each_volume(_HIGHEST + _NEXT),
                "    }\n    vec3 shown = ground;\n",
                *(_numbered(_HIGHEST_END, number) for number in order),
            )
        )

    def _volume(self) -> str:
        layers = "".join(
            _numbered(_BLEND + (_SHADE if number in self.lit else "") + _COMPOSE, number)
            for number in self._numbers
        )
        return "".join(
            (
                self._for_each_volume(_WALK),
                "    float clear = 1.0;\n    vec3 sum = vec3(0.0);\n",
                "    for (int i = 0; i < n; ++i) {\n",
                layers,
                _FOG if self.has_masks else "",
                self._for_each_volume(_NEXT),
                "        if (clear < 0.02) { break; }\n    }\n",
                "    vec3 shown = sum + clear * ground;\n",
            )
        )

    def _surface(self) -> str:
        masks = self.has_masks
        moved = ["now_K != inside_K".replace("_K", f"_{number}") for number in self._numbers]
        moved += ["now_m != inside_m"] if masks else []
        return "".join(
            (
                self._for_each_volume(_WALK),
                self._for_each_volume("    bool inside_K = false, now_K = false;\n"),
                "    bool inside_m = false, now_m = false;\n" if masks else "",
                "    float clear = 1.0, s = begin;\n    vec3 sum = vec3(0.0);\n    int i = 0;\n",
                # The inner loop only looks for the next surface, which is then lit once.
                "    while (i < n && clear > 0.02) {\n        while (i < n) {\n",
                self._for_each_volume("    now_K = value_K(t_K) >= level_K;\n"),
                "    now_m = coverage_at(t_0) >= 0.5;\n" if masks else "",
                f"    if ({' || '.join(moved)}) {{ break; }}\n",
                self._for_each_volume(_NEXT),
                "    s += step_mm; ++i;\n        }\n",
                "        if (i >= n) { break; }\n",
                self._for_each_volume(_CROSSED),
                _CROSSED_MASKS if masks else "",
                self._for_each_volume(_NEXT),
                "        s += step_mm; ++i;\n    }\n",
                "    vec3 shown = sum + clear * ground;\n",
            )
        )


def _numbered(text: str, number: int) -> str:
    return text.replace("_K", f"_{number}")
