"""NumPy kernels, one module per family of operators; importing this binds them all."""

import aidge_nb.kernels.cpu.activation.forward  # binds
import aidge_nb.kernels.cpu.arithmetic.forward  # binds
import aidge_nb.kernels.cpu.convolution.forward  # binds
import aidge_nb.kernels.cpu.convolution.transposed  # binds
import aidge_nb.kernels.cpu.indexing.forward  # binds
import aidge_nb.kernels.cpu.linear.forward  # binds
import aidge_nb.kernels.cpu.maths.forward  # binds
import aidge_nb.kernels.cpu.normalization.forward  # binds
import aidge_nb.kernels.cpu.pooling.forward  # binds
import aidge_nb.kernels.cpu.producer.forward  # binds
import aidge_nb.kernels.cpu.reduction.forward  # binds
import aidge_nb.kernels.cpu.resampling.forward  # binds
import aidge_nb.kernels.cpu.resampling.resize  # binds
import aidge_nb.kernels.cpu.sequence.forward  # binds
import aidge_nb.kernels.cpu.shape.forward  # binds
import aidge_nb.kernels.cpu.slicing.forward  # noqa: F401  # binds
