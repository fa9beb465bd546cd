/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_softmax: exp(x) divided by the sum of exp along an axis, and its logarithm.
 *
 * The largest element is subtracted first, so that exp cannot overflow; the sum is taken in the
 * order of storage. y may be x.
 */
#ifndef NB_SOFTMAX_H
#define NB_SOFTMAX_H

#include "nb_common.h"

typedef struct nb_softmax_config {
    int32_t outer; /* elements of all axes before */
    int32_t size;  /* of the axis */
    int32_t inner; /* elements of all axes behind */
} nb_softmax_config;

void nb_softmax_f32(const nb_softmax_config *config, const float *x, float *y);

/* x - most - ln(sum of exp(x - most)) */
void nb_log_softmax_f32(const nb_softmax_config *config, const float *x, float *y);

/* x divided by the sum of |x|, or by the root of the sum of x * x; zeros stay zeros. */
void nb_l1_normalize_f32(const nb_softmax_config *config, const float *x, float *y);
void nb_l2_normalize_f32(const nb_softmax_config *config, const float *x, float *y);

/* 1 where the first largest element along the axis is (or the first NaN), 0 elsewhere; y may not
   be x. */
void nb_hardmax_f32(const nb_softmax_config *config, const float *x, float *y);

#endif
