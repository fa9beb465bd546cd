# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.recipes.absorb_transpose_softmax import absorb_transpose_softmax
from aidge_nb.recipes.constant_folding import constant_folding
from aidge_nb.recipes.constant_shape_folding import constant_shape_folding
from aidge_nb.recipes.conv_to_matmul import conv_to_matMul
from aidge_nb.recipes.conv_to_matmul import conv_to_matmul
from aidge_nb.recipes.explicit_transpose import explicit_transpose
from aidge_nb.recipes.explicit_transpose import set_data_format
from aidge_nb.recipes.fillers import VarianceNorm
from aidge_nb.recipes.fillers import constant_filler
from aidge_nb.recipes.fillers import he_filler
from aidge_nb.recipes.fillers import init_weights
from aidge_nb.recipes.fillers import normal_filler
from aidge_nb.recipes.fillers import uniform_filler
from aidge_nb.recipes.fillers import xavier_normal_filler
from aidge_nb.recipes.fillers import xavier_uniform_filler
from aidge_nb.recipes.fuse_adds import fuse_consecutive_adds
from aidge_nb.recipes.fuse_attention import fuse_attention
from aidge_nb.recipes.fuse_batchnorm import fuse_batchnorm
from aidge_nb.recipes.fuse_concatenation import fuse_concatenation
from aidge_nb.recipes.fuse_convolution import fuse_convolution
from aidge_nb.recipes.fuse_gelu import fuse_gelu
from aidge_nb.recipes.fuse_layernorm import fuse_layernorm
from aidge_nb.recipes.fuse_mul_add import fuse_mul_add
from aidge_nb.recipes.fuse_multi_head_attention import fuse_multi_head_attention
from aidge_nb.recipes.fuse_pad_with_conv import fuse_pad_with_conv
from aidge_nb.recipes.fuse_qkv import fuse_qkv
from aidge_nb.recipes.fuse_reduce_unsqueeze import fuse_reduce_unsqueeze
from aidge_nb.recipes.fuse_reshape import fuse_consecutive_reshape
from aidge_nb.recipes.fuse_slices import fuse_consecutive_slices
from aidge_nb.recipes.fuse_squeeze import fuse_consecutive_squeeze
from aidge_nb.recipes.fuse_transpose import fuse_transpose
from aidge_nb.recipes.fuse_unsqueeze import fuse_consecutive_unsqueeze
from aidge_nb.recipes.known import RECIPES
from aidge_nb.recipes.matmul_to_fc import matmul_to_fc
from aidge_nb.recipes.producers import producers
from aidge_nb.recipes.producers import set_producers_constant
from aidge_nb.recipes.registry import Recipe
from aidge_nb.recipes.registry import recipe
from aidge_nb.recipes.remove_dropout import remove_dropout
from aidge_nb.recipes.remove_duplicate_producers import remove_duplicate_producers
from aidge_nb.recipes.remove_flatten import remove_flatten
from aidge_nb.recipes.remove_idempotent import remove_idempotent
from aidge_nb.recipes.remove_identity import remove_identity
from aidge_nb.recipes.remove_neutral import remove_neutral
from aidge_nb.recipes.remove_nodes import remove_node
from aidge_nb.recipes.remove_nodes import remove_nodes
from aidge_nb.recipes.remove_noop import remove_noop
from aidge_nb.recipes.simplify import Application
from aidge_nb.recipes.simplify import SimplifyReport
from aidge_nb.recipes.simplify import simplify

__all__ = [
    "absorb_transpose_softmax",
    "constant_folding",
    "constant_shape_folding",
    "conv_to_matMul",
    "conv_to_matmul",
    "explicit_transpose",
    "set_data_format",
    "VarianceNorm",
    "constant_filler",
    "he_filler",
    "init_weights",
    "normal_filler",
    "uniform_filler",
    "xavier_normal_filler",
    "xavier_uniform_filler",
    "fuse_consecutive_adds",
    "fuse_attention",
    "fuse_batchnorm",
    "fuse_concatenation",
    "fuse_convolution",
    "fuse_gelu",
    "fuse_layernorm",
    "matmul_to_fc",
    "fuse_mul_add",
    "fuse_multi_head_attention",
    "fuse_pad_with_conv",
    "fuse_qkv",
    "fuse_consecutive_squeeze",
    "fuse_reduce_unsqueeze",
    "fuse_consecutive_reshape",
    "fuse_consecutive_slices",
    "fuse_transpose",
    "fuse_consecutive_unsqueeze",
    "producers",
    "set_producers_constant",
    "RECIPES",
    "Recipe",
    "recipe",
    "remove_dropout",
    "remove_duplicate_producers",
    "remove_flatten",
    "remove_idempotent",
    "remove_identity",
    "remove_neutral",
    "remove_node",
    "remove_nodes",
    "remove_noop",
    "Application",
    "SimplifyReport",
    "simplify",
]
