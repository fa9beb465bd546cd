/* SPDX-License-Identifier: MIT-0 */
/*
 * nb_matmul_then: nb_matmul, and what follows each sum, see nb_finish.h.
 */
#ifndef NB_MATMUL_THEN_H
#define NB_MATMUL_THEN_H

#include "nb_matmul.h"

typedef struct nb_matmul_then_config {
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
    int32_t then;                /* what follows the sums, see nb_finish.h */
    int32_t norm_row;            /* strides of factors and offsets; 0 where they repeat */
    int32_t norm_column;
    int32_t norm_size;           /* from a factor to its offset */
    float low;
    float high;
} nb_matmul_then_config;

/*
 * norm is a factor for each channel, then an offset for each, and more lies as y does: both are
 * NULL where `then` has no use for them. The others are those of nb_matmul_f32.
 */
void nb_matmul_then_f32(const nb_matmul_then_config *config, const float *a, const float *b,
                        const float *bias, const float *norm, const float *more, float *y);

#endif
