/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_reduce: sums and means along some axes.
 *
 * Terms are taken one after the other, as they are stored, from 0 on.
 */
#ifndef NB_REDUCE_H
#define NB_REDUCE_H

#include "nb_fold.h"

void nb_reduce_sum_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_mean_f32(const nb_reduce_config *config, const float *x, float *y);

#endif
