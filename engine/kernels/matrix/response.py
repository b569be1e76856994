"""Response of a pair of crystals on two panels, integrated over points in both crystals.

    h(v) = μ² / (2π V) ∫ d³a ∫ d³b  e^(−μ (path_a + path_b)) ℓ_v(a, b) / |b − a|²

a, b : points of detection in crystal 0 and crystal 1
path : length in crystals from the front face to the point; gaps are empty
μ : linear attenuation coefficient of the crystals
ℓ_v : length of the line a b in voxel v; V : volume of a voxel

h is the probability that two photons emitted back to back from v, in any direction, have their
first interactions in crystals 0 and 1. Depths s are drawn from an exponential, κ e^(−κ s) / (1 −
e^(−κ T)), and weighted by its inverse. With L layers, each layer has the depth T / L, and each pair
of layers has a response. s then counts from the face of the layer.

Photons scatter in crystals, so another crystal can detect the photon than the one of the first
interaction. If crystals 0 and 1 detect the photons, the first interactions are in crystals that are
shifted by δ0 and −δ1. The shifts are drawn for each pair of points. They are weighted with K(δ |
d), the distribution of shifts for photons of direction d (engine.operators.crystal_spread), over
the probability of the draw. The layer of the first interaction is drawn together with the shift.

Coordinates are in voxels: x across the planes, y along rows and z along columns of the box
(engine.geometry.dual_head_symmetry). Lengths in mm enter through the edges of a voxel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

_MATH: Plain = {"error_model": "numpy", "_nrt": False}
_KERNEL = cached_njit(fastmath={"contract", "arcp", "nsz"}, **_MATH)
_INLINE = njit(inline="always", fastmath={"contract", "arcp", "nsz"}, **_MATH)

_FAR = 1e30


class Panels(NamedTuple):
    """Dimensions of two panels for the kernels, in mm.

    Attributes
    ----------
    pitch : distance of crystals
    crystal : edge of a crystal
    thickness : depth of the crystals
    separation : distance of the front faces
    mu : linear attenuation coefficient [1/mm]
    voxels_per_pitch : voxels along y and z for each pitch
    n_planes : planes between the panels
    plane : distance of planes
    n_layers : number of crystal layers, which divide the thickness
    """

    pitch: float
    crystal: float
    thickness: float
    separation: float
    mu: float
    voxels_per_pitch: int
    n_planes: int
    plane: float
    n_layers: int = 1


@_INLINE
def _depth(u: float, kappa: float, thickness: float) -> float:
    """Return the depth of a point in its layer, exponentially distributed in 0 ... thickness."""
    # Inverse of the distribution function: u = 0 is the face, u = 1 the back of the crystal.
    return -math.log(1.0 - u * (1.0 - math.exp(-kappa * thickness))) / kappa


@_INLINE
def _in_crystals(
    y: float, z: float, u_y: float, u_z: float, length: float, crystal: float, gap: float
) -> float:
    """Return the length of a path inside crystals.

    y, z : start, from the centre of its crystal; u_y, u_z : components of the direction
    """
    per_y = 1.0 / abs(u_y) if abs(u_y) > 1e-9 else _FAR
    per_z = 1.0 / abs(u_z) if abs(u_z) > 1e-9 else _FAR
    next_y = (0.5 * crystal - (y if u_y > 0.0 else -y)) * per_y
    next_z = (0.5 * crystal - (z if u_z > 0.0 else -z)) * per_z
    in_y = in_z = True
    done = inside = 0.0
    while done < length:
        end = min(length, next_y, next_z)
        if in_y and in_z:
            inside += end - done
        done = end
        if next_y <= next_z:
            in_y = not in_y
            next_y += (crystal if in_y else gap) * per_y
        else:
            in_z = not in_z
            next_z += (crystal if in_z else gap) * per_z
    return inside


@_INLINE
def _drawn(u: float, cumulative: Array) -> int:
    """Return the first index where a cumulative distribution reaches u; likely ones come first."""
    place = 0
    while place < len(cumulative) - 1 and cumulative[place] < u:
        place += 1
    return place


@_INLINE
def _chance(
    chances: Array, first: int, seen: int, step: float, t_row: float, t_column: float, down: int,
    along: int,
) -> float:  # fmt: skip
    """Return K of a shift for a direction, by linear interpolation.

    first, seen : layer of the first interaction, and detecting layer; t_row, t_column : tangents of
        the direction; down, along : shift
    """
    if t_row < 0.0:
        t_row, down = -t_row, -down
    if t_column < 0.0:
        t_column, along = -t_column, -along
    last, far = chances.shape[2] - 1, chances.shape[4] // 2
    i, k = min(int(t_row / step), last), min(int(t_column / step), last)
    u, v = min(t_row / step - i, 1.0), min(t_column / step - k, 1.0)
    above, right = min(i + 1, last), min(k + 1, last)
    y, z = far + down, far + along
    lower = (1.0 - v) * chances[first, seen, i, k, y, z] + v * chances[first, seen, i, right, y, z]
    upper = (1.0 - v) * chances[first, seen, above, k, y, z]
    upper += v * chances[first, seen, above, right, y, z]
    return (1.0 - u) * lower + u * upper


@_KERNEL
def integrate(
    points: Array, orientation: tuple[int, int], layers: tuple[int, int], panels: Panels,
    begins: tuple[Array, Array], ends: tuple[Array, Array], chances: Array, step: float,
    windows: Array, out: Array,
) -> None:  # fmt: skip
    """Add the response of an orientation and two layers, averaged over the points, to `out`.

    Parameters
    ----------
    points
        (n, 8) in 0 ... 1: depths in both crystals, row and column in crystal 0 and in crystal 1,
        and the draws of the shift in both panels
    orientation
        (a, b) rows and columns from crystal 0 to crystal 1
    layers
        layer of crystal 0 and of crystal 1
    panels
        the geometry
    begins, ends
        shifts on panel 0 and on panel 1: (m, 3) layer of a photon's first interaction, and rows and
        columns from the crystal of this interaction to the detecting crystal, with opposite sign on
        panel 0; (2, m) probabilities of the draws, and their cumulative sums up to 1, likely shifts
        first
    chances, step
        (n_layers, n_layers, n, n, w, w) K for the layer of the first interaction, the detecting
        layer, the tangents to the normal in multiples of `step`, and the shift
    windows
        (n_planes traced, 5) j0, k0, height, width and first position in `out` of every plane
    out
        float32, all windows of the traced planes
    """
    g = panels
    edge, gap = g.pitch / g.voxels_per_pitch, g.pitch - g.crystal
    e_y, e_z = orientation[0] * g.pitch, orientation[1] * g.pitch
    # The sampling density only needs to be close to the true one: the weight corrects it.
    middle = g.separation + 2.0 / g.mu
    kappa = g.mu * math.sqrt(1.0 + (e_y * e_y + e_z * e_z) / (middle * middle))
    deep = g.thickness / g.n_layers
    drawn = (1.0 - math.exp(-kappa * deep)) / kappa
    volume = edge * edge * g.plane
    scale = (g.mu * g.crystal * g.crystal * drawn) ** 2 / (2.0 * math.pi * volume * len(points))
    from_, as_0, to_, as_1 = begins[0], begins[1], ends[0], ends[1]
    for i in range(len(points)):
        begin, end = _drawn(points[i, 6], as_0[1]), _drawn(points[i, 7], as_1[1])
        in_0, in_1 = _depth(points[i, 0], kappa, deep), _depth(points[i, 1], kappa, deep)
        s_0, s_1 = from_[begin, 0] * deep + in_0, to_[end, 0] * deep + in_1
        y_0, z_0 = (points[i, 2] - 0.5) * g.crystal, (points[i, 3] - 0.5) * g.crystal
        y_1, z_1 = (points[i, 4] - 0.5) * g.crystal, (points[i, 5] - 0.5) * g.crystal
        from_y, from_z = g.pitch * from_[begin, 1], g.pitch * from_[begin, 2]
        d_x = g.separation + s_0 + s_1
        d_y = e_y - g.pitch * to_[end, 1] - from_y + y_1 - y_0
        d_z = e_z - g.pitch * to_[end, 2] - from_z + z_1 - z_0
        length = math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z)
        per_x = length / d_x
        u_y, u_z = d_y / length, d_z / length
        path = _in_crystals(y_0, z_0, u_y, u_z, s_0 * per_x, g.crystal, gap)
        path += _in_crystals(y_1, z_1, -u_y, -u_z, s_1 * per_x, g.crystal, gap)
        # Divide by the sampling density. Attenuation uses the path through crystals only, because
        # gaps do not attenuate.
        weight = scale * math.exp(kappa * (in_0 + in_1) - g.mu * path) / (length * length)
        t_y, t_z = d_y / d_x, d_z / d_x
        first, rows, columns = from_[begin, 0], from_[begin, 1], from_[begin, 2]
        spread = _chance(chances, first, layers[0], step, t_y, t_z, rows, columns)
        first, rows, columns = to_[end, 0], to_[end, 1], to_[end, 2]
        spread *= _chance(chances, first, layers[1], step, t_y, t_z, rows, columns)
        weight *= spread / (as_0[0, begin] * as_1[0, end])
        # From crystal 0 on, in voxels; x = 0 is the lower face of plane 0.
        a_x = (0.5 * (g.n_planes * g.plane - g.separation) - s_0) / g.plane
        a_y = (from_y + y_0 + 0.5 * g.pitch) / edge
        a_z = (from_z + z_0 + 0.5 * g.pitch) / edge
        b_x, b_y, b_z = d_x / g.plane, d_y / edge, d_z / edge
        _trace(a_x, a_y, a_z, b_x, b_y, b_z, weight * length, windows, out)


@_KERNEL
def _trace(
    a_x: float, a_y: float, a_z: float, b_x: float, b_y: float, b_z: float, weight: float,
    windows: Array, out: Array,
) -> None:  # fmt: skip
    """Add weight times the share of the line a + t b, t = 0 ... 1, in each voxel of the planes."""
    t = -a_x / b_x
    y, z = a_y + t * b_y, a_z + t * b_z
    j, k = math.floor(y), math.floor(z)
    step_j, step_k = (1 if b_y > 0.0 else -1), (1 if b_z > 0.0 else -1)
    every_j = 1.0 / abs(b_y) if abs(b_y) > 1e-9 else _FAR
    every_k = 1.0 / abs(b_z) if abs(b_z) > 1e-9 else _FAR
    next_j = t + ((j + 1 - y) if b_y > 0.0 else (y - j)) * every_j
    next_k = t + ((k + 1 - z) if b_z > 0.0 else (z - k)) * every_k
    every_p = 1.0 / b_x
    for p in range(len(windows)):
        end = t + every_p
        j_0, k_0, height, width = windows[p, 0], windows[p, 1], windows[p, 2], windows[p, 3]
        first = windows[p, 4]
        while True:
            here = min(end, next_j, next_k)
            down, along = j - j_0, k - k_0
            if 0 <= down < height and 0 <= along < width:  # outside only by rounding
                out[first + down * width + along] += weight * (here - t)
            t = here
            if here == end:
                break
            if next_j <= next_k:
                j += step_j
                next_j += every_j
            else:
                k += step_k
                next_k += every_k
