"""Recipes: transformations of graphs that preserve results, and parameter initialisation."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "absorb_transpose_softmax": "absorb_transpose_softmax",
        "constant_folding": "constant_folding",
        "constant_shape_folding": "constant_shape_folding",
        "conv_to_matmul": "conv_to_matMul conv_to_matmul",
        "explicit_transpose": "explicit_transpose set_data_format",
        "fillers": """
            VarianceNorm constant_filler he_filler init_weights normal_filler uniform_filler
            xavier_normal_filler xavier_uniform_filler
        """,
        "fuse_adds": "fuse_consecutive_adds",
        "fuse_attention": "fuse_attention",
        "fuse_batchnorm": "fuse_batchnorm",
        "fuse_concatenation": "fuse_concatenation",
        "fuse_convolution": "fuse_convolution",
        "fuse_gelu": "fuse_gelu",
        "fuse_layernorm": "fuse_layernorm",
        "matmul_to_fc": "matmul_to_fc",
        "fuse_mul_add": "fuse_mul_add",
        "fuse_multi_head_attention": "fuse_multi_head_attention",
        "fuse_pad_with_conv": "fuse_pad_with_conv",
        "fuse_qkv": "fuse_qkv",
        "fuse_squeeze": "fuse_consecutive_squeeze",
        "fuse_reduce_unsqueeze": "fuse_reduce_unsqueeze",
        "fuse_reshape": "fuse_consecutive_reshape",
        "fuse_slices": "fuse_consecutive_slices",
        "fuse_transpose": "fuse_transpose",
        "fuse_unsqueeze": "fuse_consecutive_unsqueeze",
        "producers": "producers set_producers_constant",
        "known": "RECIPES",
        "registry": "Recipe recipe",
        "remove_dropout": "remove_dropout",
        "remove_duplicate_producers": "remove_duplicate_producers",
        "remove_flatten": "remove_flatten",
        "remove_idempotent": "remove_idempotent",
        "remove_identity": "remove_identity",
        "remove_neutral": "remove_neutral",
        "remove_nodes": "remove_node remove_nodes",
        "remove_noop": "remove_noop",
        "simplify": "Application SimplifyReport simplify",
    },
)
