/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_reduce_more: products, norms and logarithms of sums along some axes.
 */
#ifndef NB_REDUCE_MORE_H
#define NB_REDUCE_MORE_H

#include "nb_fold.h"

void nb_reduce_prod_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_l1_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_l2_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_sum_square_f32(const nb_reduce_config *config, const float *x, float *y);
void nb_reduce_log_sum_f32(const nb_reduce_config *config, const float *x, float *y);

/* ln of the sum of exp(x), from the largest on so that nothing overflows */
void nb_reduce_log_sum_exp_f32(const nb_reduce_config *config, const float *x, float *y);

#endif
