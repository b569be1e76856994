"""Linear operators: kernels and geometry combined to A and Aᵀ."""
