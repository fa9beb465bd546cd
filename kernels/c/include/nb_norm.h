/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_norm: normalizations by statistics, stored or of the data.
 */
#ifndef NB_NORM_H
#define NB_NORM_H

#include "nb_common.h"

typedef struct nb_batch_norm_config {
    int32_t batch;
    int32_t channels;
    int32_t size; /* elements of a channel */
    float epsilon;
} nb_batch_norm_config;

/* x f + (shift - mean f), with f = scale / sqrt(variance + epsilon); y may be x. */
void nb_batch_norm_f32(const nb_batch_norm_config *config, const float *x, const float *scale,
                       const float *shift, const float *mean, const float *variance, float *y);

typedef struct nb_standardize_config {
    int32_t rows;
    int32_t size; /* of a row */
    float epsilon;
    float count; /* what sums are divided by to give means */
} nb_standardize_config;

/* Rows minus their mean, times 1 / sqrt(variance + epsilon); y may be x. */
void nb_standardize_f32(const nb_standardize_config *config, const float *x, float *y);

/* Rows times 1 / sqrt(mean square + epsilon); y may be x. */
void nb_divide_by_rms_f32(const nb_standardize_config *config, const float *x, float *y);

#endif
