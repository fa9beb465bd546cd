/* SPDX-License-Identifier: MIT-0 */
#include "nb_arithmetic.h"

#include "nb_float.h"

NB_BINARY(nb_add_f32, float, float, u + v)
NB_BINARY(nb_sub_f32, float, float, u - v)
NB_BINARY(nb_mul_f32, float, float, u * v)
NB_BINARY(nb_div_f32, float, float, u / v)
NB_BINARY(nb_max_f32, float, float, nb_max(u, v))
NB_BINARY(nb_min_f32, float, float, nb_min(u, v))
NB_BINARY(nb_prelu_f32, float, float, u > 0.0f ? u : v * u)
