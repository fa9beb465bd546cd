/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_fixed: operators on 8-bit codes that round as TensorFlow Lite does.
 *
 * Sums are rescaled by factors of nb_rescale. Results are between two codes.
 */
#ifndef NB_FIXED_H
#define NB_FIXED_H

#include "nb_binary.h"
#include "nb_pool.h"
#include "nb_rescale.h"

typedef struct nb_gemm_fixed_config {
    int32_t batch; /* products, each of the next matrices */
    int32_t rows;
    int32_t depth;
    int32_t columns;
    int32_t b_depth;  /* from one number to the next of a sum in b */
    int32_t b_column; /* from one column to the next in b */
    int32_t a_zero;
    int32_t b_zero;
    int32_t by_step; /* 2 when there is a factor per column, 0 when there is one */
    int32_t y_zero;
    int32_t least;
    int32_t most;
} nb_gemm_fixed_config;

/* `by` has a multiplier and a shift per factor; bias may be NULL. */
void nb_gemm_fixed_i8(const nb_gemm_fixed_config *config, const int8_t *a, const int8_t *b,
                      const int32_t *bias, const int32_t *by, int8_t *y);

/*
 * add: `by` is the zero points of a and b; multiplier and shift of a, of b and of their sum; the
 *      zero point of y, its least and its largest code; 1 or -1, which b is multiplied by.
 * mul: `by` is the zero points of a and b; multiplier and shift; then the three of y.
 */
void nb_add_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *by, int8_t *y);
void nb_mul_fixed_i8(const nb_binary_config *config, const int8_t *a, const int8_t *b,
                     const int32_t *by, int8_t *y);

/* The mean of the codes of each window; `ends` are the least and the largest code of y. */
void nb_average_pool_fixed_i8(const nb_pool_config *config, const int8_t *x, const int32_t *ends,
                              int8_t *y);

typedef struct nb_mean_fixed_config {
    int32_t outer;
    int32_t size;  /* codes of a mean */
    int32_t inner; /* from one of them to the next */
    int32_t x_zero;
    int32_t multiplier;
    int32_t shift;
    int32_t y_zero;
} nb_mean_fixed_config;

void nb_mean_fixed_i8(const nb_mean_fixed_config *config, const int8_t *x, int8_t *y);

typedef struct nb_softmax_fixed_config {
    int32_t outer;
    int32_t size; /* codes of a line */
} nb_softmax_fixed_config;

/* `table` has the exponentials of the differences -255 to 0, as fractions of 2^31. */
void nb_softmax_fixed_i8(const nb_softmax_fixed_config *config, const int8_t *x,
                         const int32_t *table, int8_t *y);

typedef struct nb_quantize_away_config {
    int32_t batch;
    int32_t pixels;
    int32_t channels;
} nb_quantize_away_config;

/* Elements are pixel by pixel in x, and channel by channel in y. */
void nb_quantize_away_i8(const nb_quantize_away_config *config, const float *x,
                         const float *scale, const int8_t *zero, int8_t *y);

#endif
