"""Direct inversion of X-ray line integrals: weights of rays, angular steps and the ramp filter."""
