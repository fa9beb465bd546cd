/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_pool_last: the largest element, or the mean, of windows over rows and columns of pixels whose
 * channels lie side by side. The arithmetic is that of nb_pool, tap by tap.
 */
#ifndef NB_POOL_LAST_H
#define NB_POOL_LAST_H

#include "nb_common.h"

typedef struct nb_pool_last_config {
    int32_t batch;
    int32_t channels;
    int32_t in_dims[2]; /* rows and columns */
    int32_t out_dims[2];
    int32_t kernel[2];
    int32_t strides[2];
    int32_t dilations[2];
    int32_t pads[2];         /* missing elements before each dimension */
    int32_t low[2];          /* the elements that sums take: from low on, before high */
    int32_t high[2];
    int32_t counted_low[2];  /* the same for the number of taps, which may count padding */
    int32_t counted_high[2];
} nb_pool_last_config;

void nb_max_pool_last_f32(const nb_pool_last_config *config, const float *x, float *y);

/* Sums start at 0 and are divided by the number of taps that count, 1 at least. */
void nb_average_pool_last_f32(const nb_pool_last_config *config, const float *x, float *y);

#endif
