"""NumPy gradients, one module beside each family of kernels; importing this binds them all."""

import aidge_nb.kernels.cpu.activation.gradient  # binds
import aidge_nb.kernels.cpu.arithmetic.gradient  # binds
import aidge_nb.kernels.cpu.convolution.gradient  # binds
import aidge_nb.kernels.cpu.indexing.gradient  # binds
import aidge_nb.kernels.cpu.linear.gradient  # binds
import aidge_nb.kernels.cpu.maths.gradient  # binds
import aidge_nb.kernels.cpu.normalization.gradient  # binds
import aidge_nb.kernels.cpu.pooling.gradient  # binds
import aidge_nb.kernels.cpu.reduction.gradient  # binds
import aidge_nb.kernels.cpu.resampling.gradient  # binds
import aidge_nb.kernels.cpu.shape.gradient  # binds
import aidge_nb.kernels.cpu.slicing.gradient  # noqa: F401  # binds
