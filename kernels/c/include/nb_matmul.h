/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_matmul: products of matrices, which also serve fully connected layers and 1x1 convolutions.
 *
 * y[i][j] = bias[i][j] + a[i][0] b[0][j] + a[i][1] b[1][j] + ..., from left to right: the sum
 * starts at the bias, or at 0, and its terms are added one after the other. Strides, in elements,
 * say where things lie, so that nothing need be transposed; it is fast where b_column is 1.
 */
#ifndef NB_MATMUL_H
#define NB_MATMUL_H

#include "nb_common.h"

typedef struct nb_matmul_config {
    int32_t rows;                /* of y */
    int32_t columns;             /* of y */
    int32_t depth;               /* number of terms */
    int32_t a_row;               /* strides */
    int32_t a_depth;
    int32_t b_depth;
    int32_t b_column;
    int32_t y_row; /* the columns of y lie side by side */
    int32_t bias_row;            /* 0 where the bias repeats */
    int32_t bias_column;
    int32_t rank;                /* dimensions of a stack of products, from 1 on */
    int32_t dims[NB_MAX_RANK];
    int32_t a_stack[NB_MAX_RANK]; /* strides from one matrix to the next */
    int32_t b_stack[NB_MAX_RANK];
    int32_t y_stack[NB_MAX_RANK];
} nb_matmul_config;

/* bias may be NULL; y may not overlap an input. */
void nb_matmul_f32(const nb_matmul_config *config, const float *a, const float *b,
                   const float *bias, float *y);

typedef struct nb_gemm_finish_config {
    int32_t rows;
    int32_t columns;
    int32_t bias_row; /* strides; 0 where the bias repeats */
    int32_t bias_column;
    float alpha;
    float beta;
} nb_gemm_finish_config;

/* y = alpha y + beta bias, of a contiguous y; bias may be NULL. */
void nb_gemm_finish_f32(const nb_gemm_finish_config *config, const float *bias, float *y);

#endif
