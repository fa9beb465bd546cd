/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_reduce_extremes: the largest and the smallest along some axes.
 *
 * The first one decides between 0 and -0; where one is NaN, a NaN is the result.
 */
#ifndef NB_REDUCE_EXTREMES_H
#define NB_REDUCE_EXTREMES_H

#include "nb_fold.h"

void nb_reduce_max_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_min_f32(const nb_reduce_config *config, const float *x, float *y);

#endif
