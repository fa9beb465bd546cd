"""Operators that Aidge has and this library runs for its sake alone.

They run on NumPy. ONNX has some of them with other inputs, which its models get; none has a
derivative, the exported program's arithmetic, or C.
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "signal": "ComplexToInnerPair DFT HannWindow InnerPairToComplex STFT",
        "integer_functions": "SDLayerNorm SDShiftGELU SDShiftSiLU SDShiftmax",
        "images": "ConnectedComponentLabeling DropBlock GridSample NonMaxSuppression",
        "packing": "WeightInterleaving",
        "regression": "SVMRegressor",
        "chance": "RandomNormalLike",
        "padded": "PaddedConvTranspose1D PaddedConvTranspose2D PaddedConvTranspose3D",
        "rounded": "CGPACT DoReFa DoReFaMode FixedQ LSQ ScaleAdjust TanhClamp",
        "spiking": "Cusum RLeaky RSynaptic SpikGRU Synaptic",
        "gated": "SConv2DLSTM SLSTM",
        "scaling": "Dequantizer Quantizer",
    },
)
