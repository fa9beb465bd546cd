"""A vision transformer in the primitive operators that exporters write it with."""

from __future__ import annotations

from math import sqrt

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder


def dinov2_like(
    size: int = 224,
    batch: int = 1,
    patch: int = 14,
    dim: int = 384,
    heads: int = 6,
    depth: int = 12,
    seed: int = 0,
) -> OnnxModel:
    """Build a vision transformer like DINOv2 (small), in primitive operators.

    Layer normalisation, GELU and attention are written out as exporters do, so that a graph query
    can find them: ``2 depth + 1`` normalisations, ``depth`` GELU, ``depth`` attentions, and
    ``3 depth`` of the form MatMul, Add (the bias of query, key and value is added after the
    Split, and makes no such pair).

    Parameters
    ----------
    size
        Height and width of the image, in pixels; a multiple of ``patch``.
    batch
        Number of images.
    patch
        Height and width of a patch, in pixels.
    dim
        Number of features of a token; a multiple of ``heads``.
    heads
        Number of attention heads.
    depth
        Number of transformer blocks.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``pixel_values`` of dims (batch, 3, size, size), output ``pooler_output`` of dims
        (batch, dim): the class token after the last normalisation.

    Raises
    ------
    OnnxError
        When ``size`` or ``dim`` is not such a multiple.

    References
    ----------
    M. Oquab et al., "DINOv2: Learning Robust Visual Features without Supervision", 2023,
    https://arxiv.org/abs/2304.07193; A. Dosovitskiy et al., "An Image is Worth 16x16 Words", 2020,
    https://arxiv.org/abs/2010.11929

    Examples
    --------
    >>> model = dinov2_like(size=28, dim=16, heads=2, depth=2)
    >>> sum(node.op_type == "Softmax" for node in model.nodes)
    2
    """
    _check_multiple("size", size, "patch", patch)
    _check_multiple("dim", dim, "heads", heads)
    builder = ModelBuilder("dinov2_like", seed)
    builder.constant("two", 2.0)
    builder.constant("epsilon", 1e-6)
    builder.constant("sqrt_two", sqrt(2))
    builder.constant("one", 1.0)
    builder.constant("half", 0.5)
    builder.constant("sqrt_head_dim", sqrt(dim // heads))
    builder.constant("qkv_sizes", [dim, dim, dim])
    tokens = (size // patch) ** 2 + 1
    builder.constant("heads_dims", [batch, tokens, heads, dim // heads])
    builder.constant("tokens_dims", [batch, tokens, dim])
    value = _embeddings(builder, size, batch, patch, dim, tokens)
    for number in range(depth):
        value = _block(builder, f"layer{number}", value, dim)
    value = _layer_norm(builder, "layernorm", value, dim)
    index = builder.constant("class_token_index", 0)
    value = builder.node("Gather", [value, index], "pooler_output", axis=1)
    return builder.build({value: (batch, dim)})


def _check_multiple(name: str, value: int, of: str, unit: int) -> None:
    if value % unit:
        raise OnnxError.at(
            "dinov2_like", f"{name} must be a multiple of {of}", expected=f"n × {unit}", found=value
        )


def _embeddings(
    builder: ModelBuilder, size: int, batch: int, patch: int, dim: int, tokens: int
) -> str:
    """Turn patches into tokens, put the class token before them, add the positions."""
    image = builder.input("pixel_values", (batch, 3, size, size))
    value = builder.conv("embeddings_patch", image, 3, dim, patch, stride=patch, gain=1.0)
    dims = builder.constant("embeddings_dims", [batch, dim, tokens - 1])
    value = builder.node("Reshape", [value, dims], "embeddings_flatten")
    value = builder.node("Transpose", [value], "embeddings_transpose", perm=(0, 2, 1))
    token = builder.normal("class_token", [batch, 1, dim], 1.0)
    value = builder.node("Concat", [token, value], "embeddings_concat", axis=1)
    positions = builder.normal("position_embeddings", [1, tokens, dim], 0.5)
    return builder.node("Add", [value, positions], "embeddings_add")


def _block(builder: ModelBuilder, name: str, value: str, dim: int) -> str:
    """Add attention and a perceptron, each after a normalisation and with a shortcut."""
    branch = _layer_norm(builder, f"{name}_norm1", value, dim)
    branch = _attention(builder, f"{name}_attention", branch, dim)
    value = _scaled_shortcut(builder, f"{name}_1", branch, value, dim)
    branch = _layer_norm(builder, f"{name}_norm2", value, dim)
    branch = _linear(builder, f"{name}_fc1", branch, dim, 4 * dim)
    branch = _gelu(builder, f"{name}_gelu", branch)
    branch = _linear(builder, f"{name}_fc2", branch, 4 * dim, dim)
    return _scaled_shortcut(builder, f"{name}_2", branch, value, dim)


def _scaled_shortcut(builder: ModelBuilder, name: str, branch: str, shortcut: str, dim: int) -> str:
    """Scale each feature of the branch and add the shortcut ("LayerScale")."""
    scale = builder.normal(f"{name}_lambda", [dim], 0.1, mean=0.5)
    branch = builder.node("Mul", [branch, scale], f"{name}_scale")
    return builder.node("Add", [branch, shortcut], f"{name}_add")


def _linear(builder: ModelBuilder, name: str, value: str, inputs: int, outputs: int) -> str:
    weight = builder.weight(f"{name}_weight", [inputs, outputs], inputs, gain=1.0)
    value = builder.node("MatMul", [value, weight], f"{name}_matmul")
    return builder.node("Add", [builder.normal(f"{name}_bias", [outputs], 0.1), value], name)


def _layer_norm(builder: ModelBuilder, name: str, value: str, dim: int) -> str:
    mean = builder.node("ReduceMean", [value], f"{name}_mean", axes=(-1,), keepdims=1)
    centred = builder.node("Sub", [value, mean], f"{name}_sub")
    square = builder.node("Pow", [centred, "two"], f"{name}_pow")
    variance = builder.node("ReduceMean", [square], f"{name}_var", axes=(-1,), keepdims=1)
    variance = builder.node("Add", [variance, "epsilon"], f"{name}_add_epsilon")
    deviation = builder.node("Sqrt", [variance], f"{name}_sqrt")
    value = builder.node("Div", [centred, deviation], f"{name}_div")
    scale = builder.normal(f"{name}_weight", [dim], 0.1, mean=1.0)
    value = builder.node("Mul", [value, scale], f"{name}_mul")
    return builder.node("Add", [value, builder.normal(f"{name}_bias", [dim], 0.1)], name)


def _gelu(builder: ModelBuilder, name: str, value: str) -> str:
    part = builder.node("Div", [value, "sqrt_two"], f"{name}_div")
    part = builder.node("Erf", [part], f"{name}_erf")
    part = builder.node("Add", [part, "one"], f"{name}_add")
    part = builder.node("Mul", [value, part], f"{name}_mul")
    return builder.node("Mul", [part, "half"], name)


def _attention(builder: ModelBuilder, name: str, value: str, dim: int) -> str:
    """Add attention: one product for query, key, value; softmax(query keyᵀ / √d) value."""
    weight = builder.weight(f"{name}_qkv_weight", [dim, 3 * dim], dim, gain=1.0)
    value = builder.node("MatMul", [value, weight], f"{name}_qkv")
    parts = [f"{name}_{part}" for part in ("query", "key", "value")]
    builder.node("Split", [value, "qkv_sizes"], f"{name}_split", parts, axis=-1)
    perms = ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
    query, key, value = (
        _heads(builder, part, dim, perm) for part, perm in zip(parts, perms, strict=True)
    )
    scores = builder.node("MatMul", [query, key], f"{name}_scores")
    scores = builder.node("Div", [scores, "sqrt_head_dim"], f"{name}_scale")
    weights = builder.node("Softmax", [scores], f"{name}_softmax", axis=-1)
    value = builder.node("MatMul", [weights, value], f"{name}_context")
    value = builder.node("Transpose", [value], f"{name}_transpose", perm=(0, 2, 1, 3))
    value = builder.node("Reshape", [value, "tokens_dims"], f"{name}_reshape")
    return _linear(builder, f"{name}_output", value, dim, dim)


def _heads(builder: ModelBuilder, name: str, dim: int, perm: tuple[int, ...]) -> str:
    """Add the bias and spread the features over the heads."""
    bias = builder.normal(f"{name}_bias", [dim], 0.1)
    value = builder.node("Add", [bias, name], f"{name}_add")
    value = builder.node("Reshape", [value, "heads_dims"], f"{name}_reshape")
    return builder.node("Transpose", [value], f"{name}_transpose", perm=perm)
