/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_fixed_wide: operators on 16-bit codes that round as TensorFlow Lite does.
 *
 * Zero points are 0 unless a function takes them. Sums of products have 64 bits; where `is_wide` is
 * not 0 they are rescaled by the upper half of their factor, else as sums of 32 bits.
 */
#ifndef NB_FIXED_WIDE_H
#define NB_FIXED_WIDE_H

#include "nb_binary.h"
#include "nb_conv.h"
#include "nb_fixed.h"
#include "nb_pool.h"
#include "nb_rescale.h"

/* `by` has a multiplier and a shift per channel; `ends` are the least, the largest, `is_wide`. */
void nb_conv_wide(const nb_conv_config *config, const int16_t *x, const int8_t *w,
                  const int64_t *bias, const int32_t *by, const int32_t *ends, int16_t *y);

/* The same configuration as of nb_gemm_fixed_i8; zero points are not read. */
void nb_gemm_wide(const nb_gemm_fixed_config *config, const int16_t *a, const int8_t *b,
                  const int64_t *bias, const int32_t *by, const int32_t *ends, int16_t *y);
void nb_matmul_wide(const nb_gemm_fixed_config *config, const int16_t *a, const int16_t *b,
                    const int32_t *by, const int32_t *ends, int16_t *y);

/* `by` as of the functions on 8-bit codes; square is (a - b)^2, whose `by` ends with y's zero. */
void nb_add_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                 const int32_t *by, int16_t *y);
void nb_mul_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                 const int32_t *by, int16_t *y);
void nb_square_wide(const nb_binary_config *config, const int16_t *a, const int16_t *b,
                    const int32_t *by, int16_t *y);

void nb_average_pool_wide(const nb_pool_config *config, const int16_t *x, const int32_t *ends,
                          int16_t *y);
void nb_mean_wide(const nb_mean_fixed_config *config, const int16_t *x, int16_t *y);

typedef struct nb_rescale_config {
    int32_t count;
} nb_rescale_config;

/*
 * `by` is the zero point of x; multiplier and shift from zero on, and below zero; the zero point of
 * y, its least and its largest code.
 */
void nb_rescale_i16i16(const nb_rescale_config *config, const int16_t *x, const int32_t *by,
                       int16_t *y);
void nb_rescale_i16i8(const nb_rescale_config *config, const int16_t *x, const int32_t *by,
                      int8_t *y);
void nb_rescale_i8i16(const nb_rescale_config *config, const int8_t *x, const int32_t *by,
                      int16_t *y);

typedef struct nb_curve_config {
    int32_t count;
    int32_t multiplier; /* of codes, which makes places in the table of them */
    int32_t shift;
    int32_t is_tangent; /* else the sigmoid */
} nb_curve_config;

/* `table` has 256 values of the sigmoid. */
void nb_curve_wide(const nb_curve_config *config, const int16_t *x, const uint16_t *table,
                   int16_t *y);

typedef struct nb_softmax_wide_config {
    int32_t outer;
    int32_t size; /* codes of a line */
    int32_t multiplier;
    int32_t shift;
} nb_softmax_wide_config;

/* `tables` has 513 values of exp on [-10, 0], then 513 of 1 / (1 + x) on [0, 1]. */
void nb_softmax_wide(const nb_softmax_wide_config *config, const int16_t *x,
                     const int16_t *tables, int16_t *y);

void nb_quantize_away_i16(const nb_quantize_away_config *config, const float *x,
                          const float *scale, const int16_t *zero, int16_t *y);

#endif
