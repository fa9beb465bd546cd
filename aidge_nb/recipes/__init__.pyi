# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.recipes.constant_folding import constant_folding as constant_folding
from aidge_nb.recipes.constant_shape_folding import constant_shape_folding as constant_shape_folding
from aidge_nb.recipes.conv_to_matmul import conv_to_matMul as conv_to_matMul
from aidge_nb.recipes.conv_to_matmul import conv_to_matmul as conv_to_matmul
from aidge_nb.recipes.explicit_transpose import explicit_transpose as explicit_transpose
from aidge_nb.recipes.explicit_transpose import set_data_format as set_data_format
from aidge_nb.recipes.fillers import VarianceNorm as VarianceNorm
from aidge_nb.recipes.fillers import constant_filler as constant_filler
from aidge_nb.recipes.fillers import he_filler as he_filler
from aidge_nb.recipes.fillers import init_weights as init_weights
from aidge_nb.recipes.fillers import normal_filler as normal_filler
from aidge_nb.recipes.fillers import uniform_filler as uniform_filler
from aidge_nb.recipes.fillers import xavier_normal_filler as xavier_normal_filler
from aidge_nb.recipes.fillers import xavier_uniform_filler as xavier_uniform_filler
from aidge_nb.recipes.fuse_adds import fuse_consecutive_adds as fuse_consecutive_adds
from aidge_nb.recipes.fuse_attention import fuse_attention as fuse_attention
from aidge_nb.recipes.fuse_batchnorm import fuse_batchnorm as fuse_batchnorm
from aidge_nb.recipes.fuse_concatenation import fuse_concatenation as fuse_concatenation
from aidge_nb.recipes.fuse_gelu import fuse_gelu as fuse_gelu
from aidge_nb.recipes.fuse_layernorm import fuse_layernorm as fuse_layernorm
from aidge_nb.recipes.fuse_mul_add import fuse_mul_add as fuse_mul_add
from aidge_nb.recipes.fuse_multi_head_attention import (
    fuse_multi_head_attention as fuse_multi_head_attention,
)
from aidge_nb.recipes.fuse_pad_with_conv import fuse_pad_with_conv as fuse_pad_with_conv
from aidge_nb.recipes.fuse_qkv import fuse_qkv as fuse_qkv
from aidge_nb.recipes.fuse_reduce_unsqueeze import fuse_reduce_unsqueeze as fuse_reduce_unsqueeze
from aidge_nb.recipes.fuse_reshape import fuse_consecutive_reshape as fuse_consecutive_reshape
from aidge_nb.recipes.fuse_slices import fuse_consecutive_slices as fuse_consecutive_slices
from aidge_nb.recipes.fuse_squeeze import fuse_consecutive_squeeze as fuse_consecutive_squeeze
from aidge_nb.recipes.fuse_transpose import fuse_transpose as fuse_transpose
from aidge_nb.recipes.fuse_unsqueeze import fuse_consecutive_unsqueeze as fuse_consecutive_unsqueeze
from aidge_nb.recipes.matmul_to_fc import matmul_to_fc as matmul_to_fc
from aidge_nb.recipes.producers import producers as producers
from aidge_nb.recipes.producers import set_producers_constant as set_producers_constant
from aidge_nb.recipes.registry import RECIPES as RECIPES
from aidge_nb.recipes.registry import Recipe as Recipe
from aidge_nb.recipes.registry import recipe as recipe
from aidge_nb.recipes.remove_dropout import remove_dropout as remove_dropout
from aidge_nb.recipes.remove_duplicate_producers import (
    remove_duplicate_producers as remove_duplicate_producers,
)
from aidge_nb.recipes.remove_flatten import remove_flatten as remove_flatten
from aidge_nb.recipes.remove_idempotent import remove_idempotent as remove_idempotent
from aidge_nb.recipes.remove_identity import remove_identity as remove_identity
from aidge_nb.recipes.remove_neutral import remove_neutral as remove_neutral
from aidge_nb.recipes.remove_nodes import remove_node as remove_node
from aidge_nb.recipes.remove_nodes import remove_nodes as remove_nodes
from aidge_nb.recipes.remove_noop import remove_noop as remove_noop
from aidge_nb.recipes.simplify import Application as Application
from aidge_nb.recipes.simplify import SimplifyReport as SimplifyReport
from aidge_nb.recipes.simplify import simplify as simplify

__all__ = [
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
    "fuse_gelu",
    "fuse_layernorm",
    "fuse_mul_add",
    "fuse_multi_head_attention",
    "fuse_pad_with_conv",
    "fuse_qkv",
    "fuse_reduce_unsqueeze",
    "fuse_consecutive_reshape",
    "fuse_consecutive_slices",
    "fuse_consecutive_squeeze",
    "fuse_transpose",
    "fuse_consecutive_unsqueeze",
    "matmul_to_fc",
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
