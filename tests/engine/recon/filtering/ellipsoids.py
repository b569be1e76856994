"""Line integrals of ellipsoids in closed form, ray by ray: chord = 2 √(b² − a c) / a."""

import numpy as np

# Density, half axes, centre (units of the head's half width), rotation about z [degrees]: Kak &
# Slaney, table 3.2, with a tall head (facts/ct.md).
SHEPP_LOGAN = (
    (2.00, (0.6900, 0.920, 0.900), (0.0, 0.0, 0.0), 0.0),
    (-0.98, (0.6624, 0.874, 0.880), (0.0, 0.0, 0.0), 0.0),
    (-0.02, (0.4100, 0.160, 0.210), (-0.22, 0.0, -0.25), 108.0),
    (-0.02, (0.3100, 0.110, 0.220), (0.22, 0.0, -0.25), 72.0),
    (0.01, (0.2100, 0.250, 0.500), (0.0, 0.35, -0.25), 0.0),
    (0.01, (0.0460, 0.046, 0.046), (0.0, 0.1, -0.25), 0.0),
    (0.01, (0.0460, 0.023, 0.020), (-0.08, -0.65, -0.25), 0.0),
    (0.01, (0.0460, 0.023, 0.020), (0.06, -0.65, -0.25), 90.0),
    (0.02, (0.0560, 0.040, 0.100), (0.06, -0.105, 0.625), 90.0),
    (-0.02, (0.0560, 0.056, 0.100), (0.0, 0.1, 0.625), 0.0),
)


def shepp_logan(scale_mm):
    """Return the ellipsoids of the head, with lengths in mm."""
    return [
        (density, np.multiply(half, scale_mm), np.multiply(centre, scale_mm), np.radians(turn))
        for density, half, centre, turn in SHEPP_LOGAN
    ]


def ball(radius_mm, centre_mm=(0.0, 0.0, 0.0), density=1.0):
    """Return a ball."""
    return (density, np.full(3, radius_mm), np.array(centre_mm), 0.0)


def integrals(geometry, ellipsoids):
    """Return (n_views, n_rows, n_columns) float32 line integrals."""
    out = np.zeros((geometry.n_views, geometry.shape[0] * geometry.shape[1]))
    for view in range(geometry.n_views):
        pixels = geometry.pixel_mm(view).reshape(-1, 3).T
        if geometry.beam == "cone":
            start = geometry.source_mm[view][:, None]
            along = pixels - start
            along /= np.linalg.norm(along, axis=0)
        else:
            start, along = pixels, geometry.source_mm[view][:, None]
        for density, half, centre, turn in ellipsoids:
            into = _turned(turn) / half[:, None]
            p, d = into @ (start - centre[:, None]), into @ along
            a, b, c = (d * d).sum(0), (p * d).sum(0), (p * p).sum(0) - 1
            out[view] += density * 2 * np.sqrt(np.maximum(b * b - a * c, 0)) / a
    return out.reshape(geometry.n_views, *geometry.shape).astype(np.float32)


def values(grid, ellipsoids):
    """Return densities at the voxel centres of a grid."""
    z, y, x = (grid.centres_mm(axis) for axis in (2, 1, 0))
    points = np.stack(np.broadcast_arrays(x[None, None], y[None, :, None], z[:, None, None]), -1)
    out = np.zeros(grid.shape)
    for density, half, centre, turn in ellipsoids:
        inside = (((points - centre) @ (_turned(turn) / half[:, None]).T) ** 2).sum(-1) <= 1
        out += density * inside
    return out


def _turned(angle_rad):
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])
