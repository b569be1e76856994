"""Linear operators: kernels + geometry values -> A and Aᵀ."""
