/* SPDX-License-Identifier: MIT-0 */
#include "nb_reduce.h"

NB_FOLD(nb_reduce_sum_f32, float, float, 0.0f, total + v, total)
NB_FOLD(nb_reduce_mean_f32, float, float, 0.0f, total + v, total / c->count)
