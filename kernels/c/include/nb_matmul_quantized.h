/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_matmul_quantized: products of matrices of 8-bit numbers; sums are 32-bit and wrap around.
 *
 * The first letters of a suffix are the type of a (and of the result), the last those of b. Zero
 * points are one, or one per row of a and per column of b; NULL when they are 0. A bias that is
 * NULL is 0. matmul_scaled gives float32 numbers: the sum with its bias, times a scale of a and one
 * of b, plus a number per column.
 */
#ifndef NB_MATMUL_QUANTIZED_H
#define NB_MATMUL_QUANTIZED_H

#include "nb_conv_quantized.h"

typedef struct nb_matmul_quantized_config {
    int32_t rows;
    int32_t columns;
    int32_t depth;
    int32_t a_row;                /* strides of a matrix, which may be transposed */
    int32_t a_depth;
    int32_t b_depth;
    int32_t b_column;
    int32_t bias_row;             /* strides of the bias, 0 where it repeats */
    int32_t bias_column;
    int32_t a_zero_step;          /* 1 when there is one per row, else 0 */
    int32_t b_zero_step;          /* 1 when there is one per column, else 0 */
    int32_t factor_row;           /* strides of the factors, 0 where they repeat */
    int32_t factor_column;
    int32_t rank;                 /* dimensions of a stack of products, from 1 on */
    int32_t dims[NB_MAX_RANK];
    int32_t a_stack[NB_MAX_RANK]; /* strides from one matrix to the next */
    int32_t b_stack[NB_MAX_RANK];
    int32_t y_stack[NB_MAX_RANK];
} nb_matmul_quantized_config;

#define NB_DECLARE_MATMUL(SUFFIX, A, B)                                                        \
    void nb_matmul_integer_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,      \
                                    const B *b, const A *a_zero, const B *b_zero, int32_t *y); \
    void nb_matmul_quantized_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,    \
                                      const B *b, const A *a_zero, const B *b_zero,            \
                                      const int32_t *bias, const float *factor,                \
                                      const A *y_zero, A *y);                                  \
    void nb_matmul_scaled_##SUFFIX(const nb_matmul_quantized_config *config, const A *a,       \
                                   const B *b, const A *a_zero, const B *b_zero,               \
                                   const int32_t *bias, const float *a_scale,                  \
                                   const float *b_scale, const float *added, float *y);

NB_QUANTIZED_PAIRS(NB_DECLARE_MATMUL)
#undef NB_DECLARE_MATMUL

#endif
