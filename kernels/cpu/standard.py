"""Operators of ONNX that have a function and no declaration, one module per family."""

import aidge_nb.kernels.cpu.attention.forward  # binds
import aidge_nb.kernels.cpu.attention.microsoft  # binds
import aidge_nb.kernels.cpu.convolution.standard  # binds
import aidge_nb.kernels.cpu.images.decoder  # binds
import aidge_nb.kernels.cpu.images.regions  # binds
import aidge_nb.kernels.cpu.learning.forward  # binds
import aidge_nb.kernels.cpu.learning.losses  # binds
import aidge_nb.kernels.cpu.linear.microsoft  # binds
import aidge_nb.kernels.cpu.linear.standard  # binds
import aidge_nb.kernels.cpu.normalization.standard  # binds
import aidge_nb.kernels.cpu.pooling.standard  # binds
import aidge_nb.kernels.cpu.producer.random  # binds
import aidge_nb.kernels.cpu.quantization.forward  # binds
import aidge_nb.kernels.cpu.quantization.microsoft  # binds
import aidge_nb.kernels.cpu.recurrent.forward  # binds
import aidge_nb.kernels.cpu.resampling.sampling  # binds
import aidge_nb.kernels.cpu.sequence.control  # binds
import aidge_nb.kernels.cpu.sequence.tensors  # binds
import aidge_nb.kernels.cpu.shape.casting  # binds
import aidge_nb.kernels.cpu.signal.forward  # binds
import aidge_nb.kernels.cpu.text.forward  # noqa: F401  # binds
