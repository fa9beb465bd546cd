"""Steps on NumPy arrays, one module beside each family of kernels; importing this binds them."""

import aidge_nb.kernels.cpu.activation.fixed  # binds
import aidge_nb.kernels.cpu.convolution.fixed  # binds
import aidge_nb.kernels.cpu.linear.fixed  # binds
import aidge_nb.kernels.cpu.normalization.fixed  # binds
import aidge_nb.kernels.cpu.pooling.fixed  # binds
import aidge_nb.kernels.cpu.reduction.fixed  # binds
import aidge_nb.kernels.cpu.slicing.fixed  # noqa: F401  # binds
