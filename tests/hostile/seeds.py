"""Small valid models to mutate: every family of operators, functions, loops and a small network."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPERATORS = """
Conv                    x:1,2,6,6 w:4,2,3,3 w:4         pads=[1,1,1,1] strides=[2,2]
Conv                    x:1,4,6 w:4,1,3                 group=4 auto_pad='SAME_UPPER'
ConvTranspose           x:1,2,4,4 w:2,3,3,3 w:3         strides=[2,2] output_padding=[1,1]
MaxPool                 x:1,2,6,6                       kernel_shape=[2,2] strides=[2,2] ceil_mode=1
AveragePool             x:1,2,6,6                       kernel_shape=[3,3] pads=[1,1,1,1]
LpPool                  x:1,2,6,6                       kernel_shape=[2,2] p=2
GlobalAveragePool       x:1,2,6,6
GlobalMaxPool           x:1,2,6,6
MaxUnpool               x:1,1,2,2 i:1,1,2,2             kernel_shape=[2,2] strides=[2,2]
DeformConv              x:1,1,4,4 w:1,1,2,2 w:1,8,3,3   kernel_shape=[2,2]
Gemm                    x:2,3 w:4,3 w:4                 transB=1
Gemm                    x:2,3 w:3,4                     alpha=0.5
MatMul                  x:2,3,4 w:4,5
Einsum                  x:2,3 w:3,4                     equation='ij,jk->ik'
Det                     x:3,3
LSTM                    x:3,1,4 w:1,12,4 w:1,12,3 w:1,24 hidden_size=3
GRU                     x:3,1,4 w:1,9,4 w:1,9,3          hidden_size=3
GRU                     x:3,1,4 w:2,9,4 w:2,9,3 w:2,18   hidden_size=3 direction='bidirectional'
RNN                     x:3,1,4 w:1,3,4 w:1,3,3 w:1,6    hidden_size=3
BatchNormalization      x:1,3,4,4 w:3 w:3 w:3 w:3       epsilon=1e-3
InstanceNormalization   x:1,3,4,4 w:3 w:3
LayerNormalization      x:2,3,4 w:4 w:4                 axis=-1
GroupNormalization      x:1,4,4,4 w:4 w:4               num_groups=2
RMSNormalization        x:2,3,4 w:4                     axis=-1
LRN                     x:1,4,3,3                       size=3
LpNormalization         x:2,3                           axis=1 p=2
Softmax                 x:2,3                           axis=-1
LogSoftmax              x:2,3
Relu                    x:2,3
LeakyRelu               x:2,3                           alpha=0.1
PRelu                   x:2,3 w:3
Elu                     x:2,3
HardSigmoid             x:2,3                           alpha=0.2
Gelu                    x:2,3                           approximate='tanh'
Clip                    x:2,3 f=-1 f=1
Shrink                  x:2,3                           lambd=0.5
ThresholdedRelu         x:2,3                           alpha=1.0
Add                     x:2,3 w:3
Div                     x:2,3 w:3
Pow                     x:2,3 f=2
Mod                     x:2,3 w:3                       fmod=1
BitShift                u:4 u:4                         direction='LEFT'
Where                   b:2,3 w:2,3 x:2,3
Equal                   x:2,3 w:3
Max                     x:2,3 w:3 w:1
Sqrt                    x:2,3
Round                   x:2,3
IsInf                   x:2,3                           detect_negative=1
CumSum                  x:2,3 s=1                       exclusive=1
ReduceMean              x:2,3,4 i=1,2                   keepdims=0
ReduceLogSumExp         x:2,3,4 i=1                     keepdims=0
ReduceSum               x:2,3,4
ArgMax                  x:2,3,4                         axis=1 keepdims=0
TopK                    x:2,5 i=2                       axis=1                      !2
NonZero                 x:2,3
Unique                  x:6                                                         !2
Reshape                 x:2,3,4 i=0,-1
Flatten                 x:2,3,4                         axis=2
Squeeze                 x:2,1,4 i=1
Unsqueeze               x:2,4 i=0,3
Transpose               x:2,3,4                         perm=[2,0,1]
Expand                  x:2,1 i=2,2,3
Tile                    x:2,3 i=2,2
Concat                  x:2,3 w:2,3                     axis=1
Split                   x:2,6 i=2,4                     axis=1                      !2
Slice                   x:4,5 i=1,0 i=3,5 i=0,1 i=1,2
Gather                  x:4,5 i=0,2                     axis=1
GatherElements          x:2,3 i:2,3                     axis=1
GatherND                x:2,3 i:2,1                     batch_dims=0
ScatterElements         x:2,3 i:1,3 w:1,3               axis=0 reduction='add'
ScatterND               x:4,3 i:2,1 w:2,3
OneHot                  i:4 s=3 w:2                     axis=-1
Pad                     x:1,2,4 i=0,0,1,0,0,1 f=0       mode='reflect'
Pad                     x:2,3 i=1,1 f=0 i=1
Resize                  x:1,1,4,4 ! ! i=1,1,8,8         mode='linear'
Resize                  x:1,1,4,4 ! w=1,1,2,2           mode='cubic' antialias=1
Upsample@9              x:1,1,4,4 w=1,1,2,2             mode='nearest'
GridSample              x:1,1,4,4 w:1,3,3,2             align_corners=1
RoiAlign                x:1,1,6,6 w:2,4 i=0,0           output_height=2 output_width=2
NonMaxSuppression       w:1,4,4 x:1,1,4 s=2 w=0.5 w=0.1
Col2Im                  x:1,4,4 i=4,4 i=2,2             strides=[2,2]
DepthToSpace            x:1,8,2,2                       blocksize=2 mode='CRD'
SpaceToDepth            x:1,2,4,4                       blocksize=2
ReverseSequence         x:4,2 i=1,2                     time_axis=0 batch_axis=1
CenterCropPad           x:4,5 i=3,6                     axes=[0,1]
Trilu                   x:3,3 s=1                       upper=0
EyeLike                 x:3,4                           k=1 dtype=1
Shape                   x:2,3,4                         start=1
Size                    x:2,3
ConstantOfShape         i=2,3
Range                   s=0 s=6 s=2
Cast                    x:2,3                           to=7
CastLike                x:2,3 i:1
Dropout                 x:2,3 f=0.5                                                 !2
Identity                x:2,3
QuantizeLinear          x:2,3 f=0.1 q=3
DequantizeLinear        u:2,3 f=0.1 q=3
DynamicQuantizeLinear   x:2,3                                                       !3
QLinearConv             u:1,1,4,4 f=0.1 q=3 v:1,1,3,3 f=0.1 q=3 f=0.1 q=3  pads=[1,1,1,1]
QLinearMatMul           u:2,3 f=0.1 q=3 v:3,4 f=0.1 q=3 f=0.1 q=3
MatMulInteger           u:2,3 v:3,4 q=1 q=1
ConvInteger             u:1,1,4,4 v:1,1,3,3 q=1
RandomNormal                                            shape=[2,3]
RandomUniformLike       x:2,3                           seed=1.0
Bernoulli               x:2,3
Multinomial@7           x:2,3                           sample_size=4
Attention               x:1,2,4,8 w:1,2,4,8 w:1,2,4,8    is_causal=1
RotaryEmbedding         x:1,2,4,8 w:1,4,4 w:1,4,4
DFT                     x:1,8,1                         onesided=1
STFT                    x:1,16,1 s=4 w:8
MelWeightMatrix         s=4 s=8 s=16 f=0 f=8
HannWindow              s=8
NegativeLogLikelihoodLoss x:3,4 i:3                     reduction='mean'
SoftmaxCrossEntropyLoss x:3,4 i:3
StringNormalizer        t=a,b                           case_change_action='UPPER'
TfIdfVectorizer         i:2,4  mode='TF' min_gram_length=1 max_gram_length=1 max_skip_count=0 \
ngram_counts=[0] ngram_indexes=[0,1] pool_int64s=[1,2]
SplitToSequence         x:4,3 i=2,2                     axis=0
com.microsoft:Gelu      x:2,3
com.microsoft:BiasGelu  x:2,3 w:3
com.microsoft:FusedConv x:1,2,6,6 w:4,2,3,3             activation='Relu'
com.microsoft:FusedMatMul x:2,3 w:4,3                   transB=1
com.microsoft:Attention x:1,4,8 w:8,24 w:24             num_heads=2
com.microsoft:MultiHeadAttention x:1,4,8 w:1,4,8 w:1,4,8 num_heads=2
com.microsoft:SkipLayerNormalization x:1,4,8 w:1,4,8 w:8 w:8
com.microsoft:EmbedLayerNormalization j:1,4 j:1,4 w:9,8 w:9,8 w:2,8 w:8 w:8
com.microsoft:QLinearAdd u:2,3 f=0.1 q=3 v:2,3 f=0.1 q=3 f=0.1 q=3
com.microsoft:QLinearSigmoid u:2,3 f=0.1 q=3 f=0.1 q=3
com.microsoft:QLinearConcat f=0.1 q=3 u:2,3 f=0.1 q=3 v:2,3 f=0.1 q=3 axis=1
com.microsoft:QLinearGlobalAveragePool u:1,2,4,4 f=0.1 q=3 f=0.1 q=3
com.microsoft:QLinearAveragePool u:1,2,4,4 f=0.1 q=3 f=0.1 q=3 kernel_shape=[2,2]
com.microsoft:DynamicQuantizeMatMul x:2,3 v:3,4 f=0.1
com.microsoft:QGemm     u:2,3 f=0.1 q=3 v:3,4 f=0.1 q=3
ai.onnx.ml:Binarizer    x:2,3                           threshold=0.5
ai.onnx.ml:ArrayFeatureExtractor x:2,3 i=0,2
"""
"""One model per line: operator (and opset), inputs, attributes, number of outputs.

Inputs are ``KIND:dims`` or ``KIND=values``; x, u, b, j are inputs of the graph (float32, uint8,
bool, int32), all others are constants; ``!`` is an input left out.
"""

_TYPES = {"x": "float32", "w": "float32", "f": "float32", "i": "int64", "s": "int64", "j": "int32"}
_TYPES |= {"u": "uint8", "v": "uint8", "q": "uint8", "b": "bool", "t": "str"}
_GIVEN, _SCALARS = "xubj", "fsq"


def seed_models() -> Iterator[onnx.ModelProto]:
    """Make all of them, in the same order each time."""
    for line in filter(None, OPERATORS.replace("\\\n", "").splitlines()):
        yield _of_line(line)
    yield network()
    yield nested_functions(3)
    yield branches()
    yield loop(5)


def model_of(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[str, list[int]]],
    constants: dict[str, NDArray[np.generic]],
    outputs: list[str],
    *,
    opset: int = 24,
    functions: list[onnx.FunctionProto] = [],  # noqa: B006  # is read only
) -> onnx.ModelProto:
    """Make a model of nodes; ``inputs`` have a type and dims."""
    of_type = {
        name: helper.np_dtype_to_tensor_dtype(np.dtype(t)) for name, (t, _) in inputs.items()
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(k, of_type[k], dims) for k, (_, dims) in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    domains = {node.domain for node in nodes} | {function.domain for function in functions}
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain, 1) for domain in sorted(domains - {""})]
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=9)


def _of_line(line: str) -> onnx.ModelProto:
    head, *words = line.split()
    kind, _, opset = head.partition("@")
    domain, _, op_type = kind.rpartition(":")
    count = next((int(word[1:]) for word in words if word[0] == "!" and word[1:]), 1)
    inputs, constants, names, attributes = {}, {}, [], {}
    random = np.random.default_rng(len(line))
    for place, word in enumerate(words):
        if word[0] == "!":
            names += [""] if word == "!" else []
        elif (
            len(word) > 1
            and word[1] in ":="
            and word[0] in _TYPES
            and word[:2] != "p="
            and word[:2] != "k="
        ):
            name = f"{word[0]}{place}"
            names.append(name)
            sizes = [int(size) for size in word[2:].split(",")] if word[1] == ":" else []
            if word[0] in _GIVEN:
                inputs[name] = (_TYPES[word[0]], sizes)
            elif word[1] == ":":
                constants[name] = random.integers(0, 2, sizes).astype(_TYPES[word[0]])
            else:
                values = np.array(word[2:].split(",")).astype(
                    object if word[0] == "t" else _TYPES[word[0]]
                )
                constants[name] = values[0] if word[0] in _SCALARS else values
        else:
            key, _, value = word.partition("=")
            attributes[key] = literal_eval(value)
    outputs = [f"y{index}" for index in range(count)]
    node = helper.make_node(op_type, names, outputs, "node", domain=domain, **attributes)
    return model_of([node], inputs, constants, outputs, opset=int(opset or 24))


def network() -> onnx.ModelProto:
    """Make a network with a branch, a shape that is computed, and weights that can be folded."""
    nodes = [
        helper.make_node("Transpose", ["w"], ["v"], "turn", perm=[0, 1, 3, 2]),
        helper.make_node("Conv", ["x", "v", "b"], ["a"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "b", "b", "b", "s"], ["n"], "norm"),
        helper.make_node("Relu", ["n"], ["r"], "relu"),
        helper.make_node("Add", ["r", "a"], ["c"], "add"),
        helper.make_node("Shape", ["c"], ["d"], "shape"),
        helper.make_node("Gather", ["d", "zero"], ["batch"], "gather"),
        helper.make_node("Concat", ["batch", "rest"], ["wanted"], "wanted", axis=0),
        helper.make_node("Reshape", ["c", "wanted"], ["flat"], "reshape"),
        helper.make_node("MatMul", ["flat", "m"], ["y"], "matmul"),
    ]
    random = np.random.default_rng(0)
    constants: dict[str, NDArray[np.generic]] = {
        "w": random.normal(size=(4, 2, 3, 3)).astype(np.float32),
        "b": np.ones(4, np.float32),
        "s": np.ones(4, np.float32),
        "zero": np.zeros(1, np.int64),
        "rest": np.array([-1]),
        "m": np.ones((64, 3), np.float32),
    }
    return model_of(nodes, {"x": ("float32", [1, 2, 4, 4])}, constants, ["y"])


def nested_functions(depth: int, calls: int = 2) -> onnx.ModelProto:
    """Make a function that calls another ``calls`` times, which calls another one, and so on."""
    imports = [helper.make_opsetid("", 24), helper.make_opsetid("own", 1)]
    functions = []
    for level in range(depth):
        op_type, domain = (f"F{level + 1}", "own") if level + 1 < depth else ("Relu", "")
        values = ["x", *(f"v{index}" for index in range(calls - 1)), "y"]
        nodes = [
            helper.make_node(op_type, [before], [after], domain=domain)
            for before, after in pairwise(values)
        ]
        functions.append(helper.make_function("own", f"F{level}", ["x"], ["y"], nodes, imports))
    node = helper.make_node("F0", ["x"], ["y"], "call", domain="own")
    return model_of([node], {"x": ("float32", [2])}, {}, ["y"], functions=functions)


def branches(depth: int = 1) -> onnx.ModelProto:
    """Make an If inside an If, and so on, with the branches beneath it."""
    body = last = _body([helper.make_node("Relu", ["x"], ["r"])], "r")
    for _ in range(depth):
        node = helper.make_node("If", ["c"], ["r"], then_branch=body, else_branch=last)
        body = _body([node], "r")
    given = {"x": ("float32", [2]), "c": ("bool", [1])}
    return model_of(list(body.node), given, {}, ["r"])


def _body(nodes: list[onnx.NodeProto], output: str) -> onnx.GraphProto:
    made = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    return helper.make_graph(nodes, "body", [], [made])


def loop(trips: int) -> onnx.ModelProto:
    """Make a Loop that adds to its state, ``trips`` times."""
    names = {"i": TensorProto.INT64, "going": TensorProto.BOOL, "state": TensorProto.FLOAT}
    given = [helper.make_tensor_value_info(name, kind, []) for name, kind in names.items()]
    kinds = {"still": TensorProto.BOOL, "next": TensorProto.FLOAT}
    made = [helper.make_tensor_value_info(name, kind, []) for name, kind in kinds.items()]
    nodes = [
        helper.make_node("Identity", ["going"], ["still"]),
        helper.make_node("Add", ["state", "state"], ["next"]),
    ]
    body = helper.make_graph(nodes, "body", given, made)
    node = helper.make_node("Loop", ["trips", "", "x"], ["y"], "loop", body=body)
    constants: dict[str, NDArray[np.generic]] = {"trips": np.array(trips)}
    return model_of([node], {"x": ("float32", [])}, constants, ["y"])
