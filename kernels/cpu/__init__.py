"""NumPy kernels: one folder per family of operators (see :mod:`aidge_nb.kernels.registry`)."""
