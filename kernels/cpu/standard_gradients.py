"""Gradients of operators of ONNX without declaration; importing this binds them all."""

import aidge_nb.kernels.cpu.activation.fused_gradient  # binds
import aidge_nb.kernels.cpu.attention.causal_gradient  # binds
import aidge_nb.kernels.cpu.attention.gradient  # binds
import aidge_nb.kernels.cpu.attention.linear_gradient  # binds
import aidge_nb.kernels.cpu.attention.microsoft_gradient  # binds
import aidge_nb.kernels.cpu.convolution.standard_gradient  # binds
import aidge_nb.kernels.cpu.images.regions_gradient  # binds
import aidge_nb.kernels.cpu.linear.fused_gradient  # binds
import aidge_nb.kernels.cpu.normalization.fused_gradient  # binds
import aidge_nb.kernels.cpu.normalization.standard_gradient  # binds
import aidge_nb.kernels.cpu.pooling.standard_gradient  # binds
import aidge_nb.kernels.cpu.recurrent.gradient  # binds
import aidge_nb.kernels.cpu.resampling.deformed_gradient  # binds
import aidge_nb.kernels.cpu.resampling.sampling_gradient  # binds
import aidge_nb.kernels.cpu.signal.gradient  # noqa: F401  # binds
