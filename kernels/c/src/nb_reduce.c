/* SPDX-License-Identifier: MIT-0 */
#include "nb_reduce.h"

#include "nb_float.h"

NB_FOLD(nb_reduce_sum_f32, float, float, 0.0f, total + v, total)
NB_FOLD(nb_reduce_mean_f32, float, float, 0.0f, total + v, total / c->count)
NB_FOLD(nb_reduce_max_f32, float, float, -NB_INFINITY, nb_max(total, v), total)
NB_FOLD(nb_reduce_min_f32, float, float, NB_INFINITY, nb_min(total, v), total)
