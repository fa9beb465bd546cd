"""Operators: declarations, and factories that make nodes of them.

One module per family declares its operators; :mod:`aidge_nb.kernels` computes them. Names in
capitals, such as ``aidge_nb.ops.convolution.CONVS``, are declarations; ``aidge_nb.graph.SPECS`` has
all of them by type.
"""

from aidge_nb.core.lazy import attach
from aidge_nb.graph.spec import SPECS

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Tensors
        "producer": "ConstantOfShape EyeLike Producer Range",
        # Element by element
        "maths": """
            Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Cos Cosh Erf Exp Floor IsInf
            IsNaN Ln Neg Not Reciprocal Round Sign Sin Sinh Sqrt Tan Tanh
        """,
        "arithmetic": """
            Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual
            Less LessOrEqual Max Mean Min Mod Mul Or Pow Sub Sum Where Xor
        """,
        "activation": """
            Celu Clip Elu Gelu HardSigmoid HardSwish Heaviside LeakyReLU Mish PRelu ReLU Selu
            Sigmoid Softplus Softsign Swish ThresholdedRelu
        """,
        # Convolutions, pooling, normalization
        "convolution": """
            Conv1D Conv2D Conv3D ConvDepthWise1D ConvDepthWise2D ConvDepthWise3D ConvTranspose1D
            ConvTranspose2D ConvTranspose3D
        """,
        "pooling": """
            AvgPooling1D AvgPooling2D AvgPooling3D GlobalAveragePooling GlobalMaxPooling
            MaxPooling1D MaxPooling2D MaxPooling3D
        """,
        "normalization": """
            BatchNorm2D GroupNormalization Hardmax InstanceNorm LRN LayerNorm LogSoftmax
            LpNormalization RMSNormalization Softmax
        """,
        # Matrix products and reductions
        "linear": "Einsum FC Gemm MatMul",
        "reduction": """
            ArgMax ArgMin CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax
            ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare TopK
        """,
        # Dimensions, types and positions
        "shape": """
            Cast CastLike Dropout Expand Flatten Identity Reshape Shape Size Squeeze Transpose
            Unsqueeze
        """,
        "slicing": "Concat Pad Slice Split Tile Trilu",
        "indexing": "Compress Gather GatherElements GatherND NonZero OneHot Scatter ScatterND",
        "resampling": "DepthToSpace Fold2D Resize SpaceToDepth Unfold2D",
        # Cyclic and conditional graphs
        "sequence": "Memorize Pop Select Stack",
        # Meta-operators
        "spiking": "Lapicque Leaky leaky_reset",
        "padded": """
            PaddedConv1D PaddedConv2D PaddedConv3D PaddedConvDepthWise1D PaddedConvDepthWise2D
            PaddedConvDepthWise3D PaddedAvgPooling1D PaddedAvgPooling2D PaddedAvgPooling3D
            PaddedMaxPooling1D PaddedMaxPooling2D PaddedMaxPooling3D
        """,
        "recurrent": "GRU LSTM",
    },
)

SPECS.complete_with(lambda: [__getattr__(name) for name in __all__])  # imports every family
